import BluetoothWire
import Synchronization
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

@Suite("A radio that does not hear", .jumpingTime, .timeLimit(.minutes(60)))
struct DeafRadioTests {
  @Test("a radio that fails to listen once is asked again")
  func asksAgain() async throws {
    let meter = try BenchMeter.glucose()
    let traffic = AirTraffic(OneRadio(OnceDeafRadio(BenchRadio([meter]))), clock: .ofTest)
    // Whoever only listened before is told of the failure; a passive demand waits for the next try.
    let (steps, sink) = AsyncStream<AirTraffic.Step>.makeStream()
    let demand = traffic.newDemand()
    traffic.setPassive([(demand, nil)], AirTraffic.PassiveMatcher { _ in [(demand, .link)] }, sink)
    for await step in steps {
      guard case .start(let turn) = step else { continue }
      #expect(turn.work.meter == meter.script.address)
      traffic.ended(turn, .nothingNew)
      break
    }
    traffic.setPassive([], nil, sink)
  }
}

/// A radio that cannot listen the first time.
private final class OnceDeafRadio: WrappingRadio {
  let base: BenchRadio
  private let hasFailed = Mutex(false)

  init(_ base: BenchRadio) { self.base = base }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let isFirst = hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return !hasFailed
    }
    guard isFirst else { return base.advertisements() }
    return AsyncThrowingStream { $0.finish(throwing: BluetoothError(.connectionFailure, "the adapter is busy")) }
  }
}
