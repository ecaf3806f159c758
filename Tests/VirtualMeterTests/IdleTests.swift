import BluetoothWire
import HostPrimitives
import LinuxSockets
import Synchronization
import TestSupport
import Testing

@testable import VirtualMeter

/// A meter that has nothing to do must not wake the machine.
@Suite("A meter that is idle", .timeLimit(.minutes(60)))
struct IdleTests {
  private static func run(
    _ script: MeterScript, _ body: (TestAir, CountingClock, VirtualMeter) async throws -> Void
  ) async throws {
    let (air, clock) = (TestAir(), CountingClock())
    let meter = VirtualMeter(script: script, clock: clock)
    var events = meter.events().makeAsyncIterator()
    let running = Task { try await meter.run(in: air.air) }
    #expect(await events.wait { $0 == .advertising } != nil)
    let result: Result<Void, any Error>
    do { result = .success(try await body(air, clock, meter)) } catch { result = .failure(error) }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    try result.get()
  }

  @Test("that nobody listens to waits for no time, and advertises from the first listener on")
  func advertising() async throws {
    try await Self.run(try ShippedScripts.load("contour-next-one")) { air, clock, meter in
      let address = meter.script.address
      var events = meter.events().makeAsyncIterator()
      let link = try PacketSocket.connect(to: try air.air.attPath(of: address))
      for _ in 0..<20 { _ = try await link.ask(.readRequest(handle: 3)) }
      link.close()
      #expect(await events.wait { $0 == .advertising } != nil)
      #expect(clock.base.sleepers == 0)
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: address))
      #expect(try await ear.receive() == meter.advertisement.encoded)
      await clock.base.advanceToNextDeadline()
      #expect(try await ear.receive() == meter.advertisement.encoded)
      // Who has gone is noticed by the next advertisement, and nothing is waited for from then on.
      ear.close()
      await clock.base.advanceToNextDeadline()
      let again = try PacketSocket.connect(to: try air.air.advertisingPath(of: address))
      #expect(try await again.receive() == meter.advertisement.encoded)
    }
  }

  @Test("that has said all of its sequence is still on, and waits for no time")
  func afterTheSequence() async throws {
    let script = try AdvertiseBehaviourTests.script(#", "steps": [{"raw": "020101"}]"#, connectable: true)
    try await Self.run(script) { air, clock, meter in
      var events = meter.events().makeAsyncIterator()
      let ear = try PacketSocket.connect(to: try air.air.advertisingPath(of: script.address))
      await clock.base.advanceToNextDeadline()
      #expect(try await ear.receive() != nil)
      #expect(await events.wait { $0 == .procedureDone("advertisements") } != nil)
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(await events.wait { if case .connected = $0 { true } else { false } } != nil)
      #expect(clock.base.sleepers == 0)
      link.close()
    }
  }

  @Test("that waits for a confirmation does not ask the time over and over")
  func confirmation() async throws {
    let script = try TestMeter.script(
      services: #"{"uuid": "1822", "characteristics": [{"uuid": "2A5E", "properties": ["indicate"]}]}"#,
      extra: #"""
        , "behaviour": {"kind": "stream", "characteristic": "2A5E", "period_ms": 5, "values": ["01", "02"]}
        """#)
    try await Self.run(script) { air, clock, _ in
      let link = try PacketSocket.connect(to: try air.air.attPath(of: script.address))
      #expect(try await link.ask(.writeRequest(handle: 4, value: [2, 0])) == .writeResponse)
      let value = try await link.receive().map { try ATTPDU(decoding: $0) }
      #expect(value == .handleValueIndication(handle: 3, value: [1]))
      // The second value is due, and cannot leave before the first is confirmed.
      await clock.base.advanceToNextDeadline()
      var asked: [Int] = []
      for _ in 0..<20 {
        _ = try await link.ask(.readRequest(handle: 2))
        asked.append(clock.asked)
      }
      #expect((asked.last ?? 0) - (asked.first ?? 0) < 400, "\(asked)")
      try await link.send(ATTPDU.handleValueConfirmation.encoded)
      let next = try await link.receive().map { try ATTPDU(decoding: $0) }
      #expect(next == .handleValueIndication(handle: 3, value: [2]))
      link.close()
    }
  }
}

/// A clock that the test moves, and that counts who asks for the time.
private final class CountingClock: HostClock {
  let base = StoppedClock()
  private let count = Atomic(0)

  var asked: Int { count.load(ordering: .relaxed) }
  var now: HostInstant {
    count.add(1, ordering: .relaxed)
    return base.now
  }
  var unixMicroseconds: Int64 { base.unixMicroseconds }
  func sleep(until deadline: HostInstant) async throws { try await base.sleep(until: deadline) }
}
