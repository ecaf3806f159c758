import Foundation
import MeterCore
import Synchronization
import TestSupport
import Testing

@testable import GatewayEngine

@Suite("A sink that is counted", .timeLimit(.minutes(60))) struct CountedSinkTests {
  /// Answers as it is told to, and confirms what it is given.
  private struct Scripted: Sink {
    var replies: [SinkReply] = []
    var confirms: [SinkConfirmation] = []

    var capabilities: SinkCapabilities { SinkCapabilities(batchSize: 4, confirmsLater: !confirms.isEmpty) }
    func check(_ credential: SinkCredential) async -> CredentialReply { CredentialReply(.accepted) }
    func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] { replies }
    func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply { SinkReply(.retry()) }
    func confirmations() async -> AsyncStream<SinkConfirmation> {
      AsyncStream { continuation in
        for confirmation in confirms { continuation.yield(confirmation) }
        continuation.finish()
      }
    }
  }

  private let credential = SinkCredential(user: SessionUser(userID: "u", organizationID: "o"), token: nil)

  private func record(at microseconds: Int64) throws -> Record {
    let time = RecordTime(
      startMicroseconds: microseconds, endMicroseconds: microseconds, civilMicroseconds: nil, utcOffsetSeconds: nil,
      zoneSource: nil, kind: .utc)
    return Record(
      logID: try #require(LogID(UUID().uuidString)), identityClass: .live, type: .weight, time: time, values: [],
      source: RecordSource(
        peripheralID: 0, manufacturer: nil, model: nil, deviceID: "", driverID: "manual", driverVersion: "1"))
  }

  @Test("tells what became of each reading, what nothing was said of among them, and changes no reply")
  func deliveries() async throws {
    let clock = StoppedClock()
    clock.unixMicroseconds = 1_700_000_000_000_000
    let (heard, counted) = (Heard(), CountedEvents())
    counted.listen { heard.add($0) }
    let replies = [
      SinkReply(.delivered(id: "x"), clockSkewSeconds: 3), SinkReply(.refused(reason: "no")),
      SinkReply(.unconfirmed(within: .seconds(9))),
    ]
    let sink = CountedSink(Scripted(replies: replies), name: "a", counted: counted, clock: clock)
    let records = try [-60, 0, 0, 0].map { try record(at: 1_700_000_000_000_000 + $0 * 1_000_000) }
    #expect(await sink.deliver(records, with: credential) == replies)
    #expect(
      heard.events == [
        .answered(sink: "a", took: .zero, skewSeconds: 3), .sent(sink: "a", .delivered, delayMicroseconds: 60_000_000),
        .sent(sink: "a", .refused, delayMicroseconds: nil), .sent(sink: "a", .unconfirmed, delayMicroseconds: nil),
        .sent(sink: "a", .retry, delayMicroseconds: nil),
      ])
  }

  @Test("tells what receivers say later, and passes it on") func confirmations() async throws {
    let (heard, counted) = (Heard(), CountedEvents())
    counted.listen { heard.add($0) }
    let confirmation = SinkConfirmation(
      logID: try #require(LogID(UUID().uuidString)), revision: 1, SinkReply(.credentialRefused))
    let sink = CountedSink(Scripted(confirms: [confirmation]), name: "a", counted: counted)
    var passed: [SinkConfirmation] = []
    for await each in await sink.confirmations() { passed.append(each) }
    #expect(passed == [confirmation])
    #expect(heard.events == [.sent(sink: "a", .credentialRefused, delayMicroseconds: nil)])
  }
}

/// What was told, in its order.
private final class Heard: Sendable {
  private let told = Mutex<[CountedEvent]>([])
  var events: [CountedEvent] { told.withLock(\.self) }
  func add(_ event: CountedEvent) { told.withLock { $0.append(event) } }
}
