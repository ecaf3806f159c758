import HostPrimitives
import NATSSupport
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import NATSSink

@Suite("A queue that goes to a fleet's stream", .jumpingTime, .timeLimit(.minutes(60)))
struct NATSDeliveryTests {
  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
  }

  private func commit(_ numbers: ClosedRange<UInt64>) throws {
    let generation = try store.currentSession().generation
    _ = try store.commit([Fixture.unit(generation, Fixture.readings(numbers))])
  }

  /// Delivers in the background until nothing waits.
  private func deliverAll(_ fleet: PlayedFleet) async throws {
    let sink = try fleet.sink()
    let engine = DeliveryEngine(
      store: store, receiver: sink, settings: fleet.setting().deliverySettings, clock: .ofTest)
    let events = await engine.events()
    let running = Task { await engine.run() }
    defer { running.cancel() }
    if try store.pendingCount(sink: MeterStore.defaultSink) == 0 { return }
    for await _ in events { if try store.pendingCount(sink: MeterStore.defaultSink) == 0 { return } }
  }

  @Test("loses and doubles nothing over a connection that breaks again and again")
  func brokenConnections() async throws {
    var faults = PlayedFleet.Faults()
    // Behind every 37th message, whose answer and confirmation are lost.
    faults.cutsAfter = { $0.earlier % 37 == 36 }
    let fleet = try PlayedFleet(faults)
    defer { fleet.stop() }
    try commit(1...400)
    let later = Task {
      // A stream forgets names after its window; the receiver then says again what it has.
      while fleet.stored.count < 400 { guard await JumpingClock.ofTest.elapsed(.seconds(10)) else { return } }
      fleet.faults.withLock { $0.answer = { message in fleet.repeated(message) } }
    }
    try await deliverAll(fleet)
    await later.value
    #expect(fleet.stored.count == 400 && fleet.stored.values.allSatisfy { $0 == 1 })
    #expect(try store.tally().isEmpty && fleet.server.faults.isEmpty)
  }

  @Test("waits for a stream that is full, and goes on when it has room")
  func fullStream() async throws {
    let fleet = try PlayedFleet()
    defer { fleet.stop() }
    let refused = Mutex(0)
    fleet.faults.withLock { faults in
      faults.answer = { message in
        refused.withLock { $0 += 1 }
        return .publish(
          message.reply ?? "",
          #"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"R","seq":0}"#)
      }
    }
    try commit(1...10)
    let emptied = Task {
      while refused.withLock(\.self) < 30 { guard await JumpingClock.ofTest.elapsed(.seconds(10)) else { return } }
      fleet.faults.withLock { $0.answer = nil }
    }
    try await deliverAll(fleet)
    await emptied.value
    #expect(fleet.stored.count == 10 && fleet.stored.values.allSatisfy { $0 == 1 })
    #expect(try store.tally().isEmpty)
  }
}
