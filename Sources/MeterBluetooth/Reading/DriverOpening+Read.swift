import BluetoothWire
import CMeterDriver
public import DriverContract
import Foundation
import HostPrimitives
import Logging
import MeterCore
import MeterDrivers

extension DriverOpening {
  /// What a driver may know when a read starts (rule R9).
  init(
    plan: ReadPlan, purpose: DriverPurpose, report: AdvertisingReport, meter: MeterDescription,
    storage: [ExactText: [UInt8]], assignment: MeterAssignment?, zone: TimeZone, security: UInt8, options: ReadOptions,
    unixMicroseconds: Int64
  ) {
    var parameters = plan.peripheral.parameters(for: meter.facts).map(\.driverParameter)
    if let slot = assignment?.slot { parameters.append(.userSlot(slot)) }
    // A driver could not know better: it is told to set the clock only where the host may let it.
    let knowsDate = options.knowsDate(at: unixMicroseconds)
    if options.setsClock == true, knowsDate, purpose == .read { parameters.append(.setClock) }
    self.init(
      peripheralID: plan.peripheral.id, purpose: purpose,
      clockTrust: knowsDate ? .synchronised : .unknown,
      unixMicroseconds: unixMicroseconds,
      since: options.window.sinceMicroseconds, until: options.window.untilMicroseconds,
      utcOffsetSeconds: Int32(clamping: zone.secondsFromGMT()),
      limit: options.window.limit ?? 0, address: report.address.bigEndianBytes,
      addressType: report.address.kind.rawValue, security: security,
      manufacturer: meter.information.manufacturer ?? "", model: meter.information.model ?? "",
      name: meter.name ?? "", advertisedName: report.advertisingData.localName ?? "", advertisement: report.data,
      parameters: parameters, assets: plan.bundle.assets)
    keys = storage
  }
}

extension MeterDescription {
  /// What quirks ask for.
  var facts: DeviceFacts {
    DeviceFacts(name: name, manufacturer: information.manufacturer, model: information.model)
  }
}

extension DriverParameter {
  /// Set the meter's clock to the host's.
  static var setClock: DriverParameter { DriverParameter(name: UInt16(MH_PARAM_SET_CLOCK), value: .integer(1)) }

  /// The meter's user slot that belongs to the session's user.
  static func userSlot(_ slot: UInt16) -> DriverParameter {
    DriverParameter(name: UInt16(MH_PARAM_USER_SLOT), value: .integer(Int64(slot)))
  }
}

extension ReadOptions {
  /// What this read wants of the meter's assignment.
  ///
  /// - Parameter isFirst: Whether it has no session with the meter behind it: another one goes on where that has stopped.
  func assignmentRequest(at unixMicroseconds: Int64, isFirst: Bool) -> AssignmentRequest {
    AssignmentRequest(
      slot: userSlot, wantsHistory: takesHistory, rereads: readsAgain && isFirst && !window.isBounded,
      confirmsFirst: submission == .confirmFirst,
      nowMicroseconds: knowsDate(at: unixMicroseconds) ? unixMicroseconds : nil)
  }

  /// Whether the host's clock is trusted, and shows a date that can be one.
  func knowsDate(at unixMicroseconds: Int64) -> Bool {
    HostClockReading(utcMicroseconds: unixMicroseconds, isSynchronized: clockTrust.isSynchronized).knowsDate
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
