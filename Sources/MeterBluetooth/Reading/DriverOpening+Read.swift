import BluetoothWire
public import DriverRuntime
import Foundation
import Logging
public import MeterDrivers

extension DriverOpening {
  /// What a driver may know when a read starts (rule R9).
  init(
    plan: ReadPlan, purpose: DriverPurpose, report: AdvertisingReport, meter: MeterDescription,
    storage: [String: [UInt8]], security: UInt8, isClockTrusted: Bool
  ) {
    let facts = DeviceFacts(
      name: meter.name, manufacturer: meter.information.manufacturer, model: meter.information.model)
    self.init(
      peripheralID: plan.peripheral.id, purpose: purpose,
      clockTrust: isClockTrusted ? .synchronised : .unknown,
      unixMicroseconds: HostClock.unixMicroseconds,
      utcOffsetSeconds: Int32(clamping: TimeZone.current.secondsFromGMT()),
      address: report.address.littleEndianBytes, addressType: report.address.kind.rawValue, security: security,
      manufacturer: meter.information.manufacturer ?? "", model: meter.information.model ?? "",
      name: meter.name ?? "", advertisedName: report.advertisingData.localName ?? "", advertisement: report.data,
      parameters: plan.peripheral.parameters(for: facts).map(\.driverParameter), storage: storage)
  }
}

extension ParameterSetting {
  /// The setting as it crosses the contract.
  public var driverParameter: DriverParameter {
    switch value {
    case .integer(let number): DriverParameter(name: name, value: .integer(number))
    case .text(let text): DriverParameter(name: name, value: .text(text))
    }
  }
}

extension DriverLogLevel {
  /// The level of the host's log.
  var logLevel: Logger.Level {
    switch self {
    case .error: .error
    case .warning: .warning
    case .info: .info
    case .debug: .debug
    }
  }
}
