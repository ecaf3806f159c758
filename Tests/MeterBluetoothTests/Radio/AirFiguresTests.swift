import BluetoothWire
import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("Numbers of the radios", .jumpingTime, .timeLimit(.minutes(60)))
struct AirFiguresTests {
  @Test("advertisements are counted, and an adapter that is gone is down until it is back") func adapters() async throws
  {
    let (first, second) = (TalkingRadio("hci0", [Beacon.says(.stable)]), TalkingRadio("hci1"))
    let source = GivenRadios([first, second])
    let traffic = AirTraffic(source, clock: .ofTest)
    let heard = traffic.advertisements()
    for try await _ in heard { break }
    #expect(traffic.figures.advertisements == 1)
    #expect(traffic.figures.adapters.map(\.name) == ["hci0", "hci1"])
    #expect(traffic.figures.adapters.allSatisfy { $0.isUp && $0.connections == 0 })
    source.give([second])
    while traffic.figures.adapters.first?.isUp != false { await Task.yield() }
    #expect(traffic.figures.adapters.map(\.isUp) == [false, true])
    source.give([TalkingRadio("hci0"), second])
    while traffic.figures.adapters.first?.isUp != true { await Task.yield() }
    #expect(traffic.figures.adapters.map(\.name) == ["hci0", "hci1"])
  }
}

/// Radios as the test gives them.
private final class GivenRadios: RadioSource {
  private let current: Mutex<[any NamedRadio]>
  private let changes = Broadcast<[any NamedRadio]>(.unbounded)

  init(_ radios: [any NamedRadio]) { current = Mutex(radios) }

  func give(_ radios: [any NamedRadio]) {
    current.withLock { $0 = radios }
    changes.send(radios)
  }

  func radios() -> AsyncStream<[any NamedRadio]> {
    let (later, now) = (changes.listen(), current.withLock { $0 })
    let (stream, continuation) = AsyncStream<[any NamedRadio]>.makeStream()
    continuation.yield(now)
    let passing = Task { for await radios in later { continuation.yield(radios) } }
    continuation.onTermination = { _ in passing.cancel() }
    return stream
  }

  var problem: BluetoothError { BluetoothError(.bluetoothOff, "there is no radio") }
}

/// A radio with a name that says a few things.
private final class TalkingRadio: WrappingRadio, NamedRadio {
  let base: SpokenAir
  let name: String

  init(_ name: String, _ reports: [AdvertisingReport] = []) { (self.name, base) = (name, SpokenAir(reports)) }
}
