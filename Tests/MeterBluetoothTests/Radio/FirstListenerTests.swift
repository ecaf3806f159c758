import BluetoothWire
import HostPrimitives
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("A meter that says a thing once", .jumpingTime, .timeLimit(.minutes(60)))
struct FirstListenerTests {
  @Test("is heard by the demand for which the radio begins to listen, however late that one reads")
  func heardByTheDemand() async throws {
    let air = SpokenAir([Beacon.says(.stable)])
    let traffic = AirTraffic(air, clock: .ofTest)
    let queue = AdvertisementQueue()
    let standing = try traffic.begin(
      .read, until: JumpingClock.ofTest.now + .seconds(60), nil, hearing: AirTraffic.Listener(queue: queue))
    // Time goes on when the radio has handed over what it has heard, and nothing is left to do.
    try await JumpingClock.ofTest.sleep(for: .seconds(1))
    for try await report in queue.stream(onEnd: {}) {
      #expect(report == Beacon.says(.stable))
      break
    }
    traffic.withdraw(standing.id)
  }

  @Test("is not waited for when there is no radio, and the reason reaches the listener")
  func noRadio() async throws {
    let traffic = AirTraffic(NoRadios(), clock: .ofTest)
    let queue = AdvertisementQueue()
    _ = try traffic.begin(
      .read, until: JumpingClock.ofTest.now + .seconds(60), nil, hearing: AirTraffic.Listener(queue: queue))
    let error = await #expect(throws: BluetoothError.self) { for try await _ in queue.stream(onEnd: {}) {} }
    #expect(error?.code == .bluetoothOff)
  }
}

/// A gateway without an adapter.
private struct NoRadios: RadioSource {
  func radios() -> AsyncStream<[any NamedRadio]> { AsyncStream { $0.yield([]) } }
  var problem: BluetoothError { BluetoothError(.bluetoothOff, "there is no radio") }
}
