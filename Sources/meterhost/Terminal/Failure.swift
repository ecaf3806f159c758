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

  /// Nil for what is no failure of a command: help, a version, and an exit status that a command has chosen itself.
  init?(_ error: any Error) {
    switch error {
    case let error as GatewayError:
      self.init(error.code, error.message, hint: error.hint, status: Self.status(error.kind))
    case let error as BluetoothError: self.init(error.code.rawValue, error.message, status: Self.status(error.code))
    case let error as StoreError:
      self.init(error.code.rawValue, error.message, cause: error.cause, status: Self.status(error.code))
    case let error as RegistryError: self.init(error.code.rawValue, error.message, status: 69)
    case let error as ReceiverError:
      self.init(
        error.code.rawValue, error.message, cause: error.cause.map { "\($0)" }, status: Self.status(error.code))
    case let error as MeterScriptError: self.init(error.code.rawValue, error.description, status: 64)
    case let error as VirtualMeterError: self.init(error.code.rawValue, error.message, status: 69)
    case is CancellationError: self.init("cancelled", "interrupted", status: 130)
    case is ExitCode, is CleanExit: return nil
    default:
      let status = MeterHostCommand.exitCode(for: error)
      guard status != .success else { return nil }
      let isUsage = status == .validationFailure
      self.init(
        isUsage ? "usage" : "failed", isUsage ? MeterHostCommand.message(for: error) : "\(error)",
        status: isUsage ? 64 : 1)
    }
  }

  private init(_ code: String, _ message: String, hint: String? = nil, cause: String? = nil, status: Int32) {
    self.code = code
    self.message = message + (cause.map { " (\($0))" } ?? "")
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

  private static func status(_ code: StoreError.Code) -> Int32 {
    switch code {
    case .busy, .locked: 75
    default: 1
    }
  }

  private static func status(_ code: ReceiverError.Code) -> Int32 {
    switch code {
    case .invalidConfiguration, .invalidIdentifier, .invalidToken, .tokenInUse: 64
    case .cannotListen, .databaseUnreachable, .databaseRefused: 69
    default: 1
    }
  }

  /// Writes the error to standard error. A wrong command line is told with its usage, as the argument parser has it.
  func report(_ error: any Error, asJSON: Bool) {
    let terminal = Terminal()
    if asJSON {
      terminal.rawError(GatewayJSON.line(["error": JSONFailure(code: code, message: message, hint: hint)]))
    } else if code == "usage" {
      terminal.error(MeterHostCommand.fullMessage(for: error))
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
