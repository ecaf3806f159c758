import BluetoothWire
import Foundation
import MeterDrivers
import Synchronization
import TestSupport

@testable import MeterBluetooth

/// The scale of Tests/Fixtures/DriverBundle/beacon.c, which only advertises.
enum Beacon {
  /// What the scale's payload tells its driver to do.
  enum Order: UInt8 {
    case unstable, stable, stableLast, storedLast, count, later, ready, ask, refuse, crash, hold, needsLink
  }

  static let peripheral: UInt32 = 30_000

  static func address(_ number: UInt8) -> BluetoothAddress { BluetoothAddress(value: 0xC800_0000_0000 + UInt64(number)) }

  /// An advertisement of the n-th scale.
  static func says(
    _ order: Order, _ weight: UInt16 = 7150, from number: UInt8 = 1, variant: UInt8 = 0, rssi: Int8 = -60
  ) -> AdvertisingReport {
    let payload = [order.rawValue + variant, UInt8(weight & 0xFF), UInt8(weight >> 8)]
    let data = AdvertisingData([.flags(6)] + .services([0x181D]) + [.serviceData(0x181D, payload)])
    return AdvertisingReport(
      eventType: .nonconnectable, address: address(number), rssi: rssi, data: data.encoded)
  }

  /// The scan response of the n-th scale.
  static func responds(_ name: String, from number: UInt8 = 1) -> AdvertisingReport {
    AdvertisingReport(
      eventType: .scanResponse, address: address(number), rssi: -60,
      data: AdvertisingData([.completeName(name)]).encoded)
  }

  /// The repository's registry with the scale in it.
  static let staged = Result {
    let bundle = try CompiledBundle.make(["beacon.c"])
    return try StagedRegistry(others: [bundle]) { text in
      let driver = """
        {"id": "org.example.beacon", "version": "1.0.0", "vendor": "tests", "license": "MIT", "family": "beacon",
         "library": "drivers/\(bundle.lastPathComponent)", "capabilities": ["advertisement_only"],
         "abi": {"major": \(CompiledABI.current.version.major), "minor": \(CompiledABI.current.version.minor)}},
        """
      let peripheral = """
        {"id": \(peripheral), "kind": "bluetooth", "name": "Beacon scale", "manufacturer": "tests", "model": "beacon",
         "type": "weight_scale", "requires_pairing": false, "instructions": "Step on it.",
         "reading_instructions": "Stand still until the number stands still.", "connection_kind": "advertisement",
         "supported_since": "0.1.0", "maturity": "alpha", "stored_history": false, "passive": "yes",
         "announces_before_measurement": true, "driver": "org.example.beacon", "match": [{"services": ["181D"]}]},
        """
      return
        text
        .replacingOccurrences(of: "\"families\": [", with: #""families": [{"id": "beacon", "name": "Beacon"},"#)
        .replacingOccurrences(of: "\"drivers\": [", with: "\"drivers\": [" + driver)
        .replacingOccurrences(of: "\"peripherals\": [", with: "\"peripherals\": [" + peripheral)
    }
  }
}

/// An air in which a test speaks for the meters; what was said before anybody listened is heard by the first.
final class SpokenAir: Radio {
  private let stream: AsyncThrowingStream<AdvertisingReport, any Error>
  private let sink: AsyncThrowingStream<AdvertisingReport, any Error>.Continuation
  private let connections = Mutex(0)

  init(_ reports: [AdvertisingReport] = []) {
    (stream, sink) = AsyncThrowingStream.makeStream()
    say(reports)
  }

  var connectionAttempts: Int { connections.withLock { $0 } }

  func say(_ reports: [AdvertisingReport]) { for report in reports { sink.yield(report) } }
  func say(_ reports: AdvertisingReport...) { say(reports) }
  /// The radio goes away.
  func end(_ error: BluetoothError? = nil) { sink.finish(throwing: error) }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> { stream }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    connections.withLock { $0 += 1 }
    throw BluetoothError(.connectionFailure, "nobody takes connections here")
  }

  func isPaired(with address: BluetoothAddress) async -> Bool { true }
  func pair(with address: BluetoothAddress) async throws(BluetoothError) {}
}

extension ReadBench {
  /// A host that hears this air.
  convenience init(
    _ air: SpokenAir, isolation: DriverHostConfiguration.Isolation = .inProcess
  ) throws {
    try self.init(air, staged: try Beacon.staged.get(), isolation: isolation)
  }
}

extension ReadOptions {
  /// A meter counts as gone after this time.
  static func holdOff(_ time: Duration, _ change: (inout ReadOptions) -> Void = { _ in }) -> ReadOptions {
    .with { options in
      options.session.holdOff = time
      change(&options)
    }
  }
}
