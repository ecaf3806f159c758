import BluetoothWire
import Foundation
import HostPrimitives
import MeterDrivers
import Synchronization
import TestSupport

@testable import MeterBluetooth

/// The scale of Tests/Fixtures/DriverBundle/beacon.c, which only advertises.
enum Beacon {
  /// What the scale's payload tells its driver to do.
  enum Order: UInt8 {
    case unstable, stable, stableLast, storedLast, count, later, ready, ask, refuse, crash, hold, needsLink
    case deny = 100
  }

  static let peripheral: UInt32 = 30_000

  static func address(_ number: UInt8) -> BluetoothAddress {
    BluetoothAddress(value: 0xC800_0000_0000 + UInt64(number))
  }

  /// An advertisement of the n-th scale.
  static func says(
    _ order: Order, _ weight: UInt16 = 7150, from number: UInt8 = 1, variant: UInt8 = 0, rssi: Int8 = -60
  ) -> AdvertisingReport {
    let payload = [order.rawValue + variant, UInt8(weight & 0xFF), UInt8(weight >> 8)]
    let data = AdvertisingData(
      [.flags(6)] + AdvertisingData.Structure.services([0x181D]) + [.serviceData(0x181D, payload)])
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

/// An air in which a test speaks for the meters; what is said while nobody listens is heard by the next who does.
final class SpokenAir: ConnectionlessAir {
  private struct State {
    var unheard: [AdvertisingReport] = []
    var listener: AsyncThrowingStream<AdvertisingReport, any Error>.Continuation?
    var end: Result<Void, BluetoothError>?
    var connections = 0
  }

  private let state = Mutex(State())

  init(_ reports: [AdvertisingReport] = []) { say(reports) }

  var connectionAttempts: Int { state.withLock(\.connections) }

  func say(_ reports: [AdvertisingReport]) {
    state.withLock { state in
      guard let listener = state.listener else { return state.unheard += reports }
      for report in reports { listener.yield(report) }
    }
  }

  func say(_ reports: AdvertisingReport...) { say(reports) }

  /// The radio goes away behind what was said.
  func end(_ error: BluetoothError? = nil) {
    state.withLock { $0.end = error.map { .failure($0) } ?? .success(()) }
  }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let (stream, sink) = AsyncThrowingStream<AdvertisingReport, any Error>.makeStream()
    state.withLock { state in
      for report in state.unheard { sink.yield(report) }
      state.unheard = []
      state.listener = sink
      switch state.end {
      case .success: sink.finish()
      case .failure(let error): sink.finish(throwing: error)
      case nil: break
      }
    }
    sink.onTermination = { [weak self] _ in self?.state.withLock { $0.listener = nil } }
    return stream
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    state.withLock { $0.connections += 1 }
    throw BluetoothError(.connectionFailure, "nobody takes connections here")
  }
}

/// An air without links has no security.
protocol ConnectionlessAir: Radio {}

extension ConnectionlessAir {
  func isPaired(with address: BluetoothAddress) async -> Bool { true }
  func pair(
    with address: BluetoothAddress, asking person: PairingPerson
  ) async throws(BluetoothError) -> PairedLink {
    throw BluetoothError(.pairingFailure, "nobody pairs here")
  }
  func security(of address: BluetoothAddress) async -> UInt8 { 0 }
  func forget(_ address: BluetoothAddress) async throws(BluetoothError) {}
}

/// An air in which one meter says the same over and over.
struct EndlessAir: ConnectionlessAir {
  private let report: AdvertisingReport
  private let clock = JumpingClock.ofTest

  init(_ report: AdvertisingReport) { self.report = report }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    AsyncThrowingStream { [report, clock] in await clock.elapsed(.milliseconds(20)) ? report : nil }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    throw BluetoothError(.connectionFailure, "nobody takes connections here")
  }

}

/// An air in which one thing is said after the other, in the pace of a scale, and the last one for ever.
struct SteppingAir: ConnectionlessAir {
  private let reports: [AdvertisingReport]
  private let pace: Duration
  private let clock = JumpingClock.ofTest

  init(_ reports: [AdvertisingReport], every pace: Duration = .milliseconds(20)) {
    (self.reports, self.pace) = (reports, pace)
  }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let next = Mutex(0)
    return AsyncThrowingStream { [reports, pace, clock] in
      guard await clock.elapsed(pace) else { return nil }
      let index = next.withLock { next in
        defer { next += 1 }
        return next
      }
      return index < reports.count ? reports[index] : reports.last
    }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    throw BluetoothError(.connectionFailure, "nobody takes connections here")
  }
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
