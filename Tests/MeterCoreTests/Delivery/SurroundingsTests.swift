import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A sink that keeps a connection, and tells the test what it is told.
private final class AttendedSink: Sink {
  let capabilities = SinkCapabilities(wantsSurroundings: true)
  let (seen, continuation) = AsyncStream.makeStream(of: (SinkStatus, String?).self)

  func check(_ credential: SinkCredential) async -> CredentialReply { CredentialReply(.accepted) }

  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    records.map { _ in SinkReply(.delivered()) }
  }

  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.delivered()) }

  func serve(_ surroundings: SinkSurroundings) async {
    for await _ in surroundings.changes {
      guard let status = await surroundings.status() else { continue }
      continuation.yield((status, await surroundings.credential()?.token?.secret))
    }
    continuation.finish()
  }
}

@Suite("What a sink with a connection is told", .timeLimit(.minutes(60)))
struct SurroundingsTests {
  @Test("how deliveries stand, which meters are known, and with what readings go out, for as long as deliveries run")
  func told() async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let sink = AttendedSink()
    let engine = DeliveryEngine(store: store, receiver: sink, jitter: { 1 })
    let running = Task { await engine.run() }
    var seen = sink.seen.makeAsyncIterator()
    let first = await seen.next()
    #expect(first?.0 == SinkStatus() && first?.1 == Fixture.token.secret)
    _ = try store.commit([
      Fixture.unit(generation, [Fixture.glucose(1)]),
      Fixture.unit(generation, [Fixture.glucose(2)], disposition: .held(.implausibleValue)),
    ])
    while let (status, _) = await seen.next() { if status.pending == 0, status.held == 1 { break } }
    try store.noteMeter(
      MeterSighting(Fixture.meter, peripheral: 1_000, address: "AA:BB:CC:DD:EE:FF", addressKind: .public, isRead: true))
    let meter = try #require(try store.meters().first)
    try store.forgetMeter(meter.uuid)
    while let (status, _) = await seen.next() { if status.meters.isEmpty { break } }
    running.cancel()
    await running.value
    while await seen.next() != nil {}
  }
}
