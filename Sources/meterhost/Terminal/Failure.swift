import ArgumentParser
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import MeterGateway
import MeterReceiver
import VirtualMeter

/// An error as the command line tells it: what happened, what to do, and an exit status.
struct Failure {
  let code: String
  let message: String
  let hint: String?
  let exitStatus: Int32

  /// Nil for the errors that the argument parser tells better itself.
  init?(_ error: any Error) {
    switch error {
    case let error as GatewayError:
      self.init(error.code, error.message, hint: error.hint, status: Self.status(error.kind))
    case let error as BluetoothError:
      self.init(error.code.rawValue, error.message, hint: nil, status: Self.status(error.code))
    case let error as StoreError:
      self.init(error.code.rawValue, error.message, hint: nil, status: error.code == .busy ? 75 : 1)
    case let error as RegistryError: self.init(error.code.rawValue, error.message, hint: nil, status: 69)
    case let error as ReceiverError: self.init(error.code.rawValue, error.message, hint: nil, status: 1)
    case let error as MeterScriptError: self.init(error.code.rawValue, error.description, hint: nil, status: 64)
    case let error as VirtualMeterError: self.init(error.code.rawValue, error.message, hint: nil, status: 69)
    case is CancellationError: self.init("cancelled", "interrupted", hint: nil, status: 130)
    default: return nil
    }
  }

  private init(_ code: String, _ message: String, hint: String?, status: Int32) {
    self.code = code
    self.message = message
    self.hint = hint
    exitStatus = status
  }

  private static func status(_ kind: GatewayError.Kind) -> Int32 {
    switch kind {
    case .failed: 1
    case .usage: 64
    case .unavailable: 69
    case .temporary: 75
    case .cancelled: 130
    }
  }

  private static func status(_ code: BluetoothError.Code) -> Int32 {
    switch code {
    case .unknownPeripheral: 64
    case .bluetoothOff, .driverUnavailable, .licenceMissing, .keyMissing, .approvalNeeded: 69
    case .busy, .connectionTimeout, .readingTimeout, .noReading: 75
    case .cancelled: 130
    default: 1
    }
  }

  /// Writes the error to standard error.
  func report(asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      let body = ["error": JSONFailure(code: code, message: message, hint: hint)]
      terminal.error(Terminal.json(body))
    } else {
      terminal.error("\(terminal.styled("error:", .red)) \(message)")
      if let hint { terminal.error("hint: \(hint)") }
    }
  }

  private struct JSONFailure: Encodable {
    var code: String
    var message: String
    var hint: String?
  }
}
