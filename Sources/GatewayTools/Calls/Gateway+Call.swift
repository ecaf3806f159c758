package import GatewayAPI
package import GatewayEngine
import CMeterDriver
import Foundation
import MeterBluetooth
import MeterDrivers

extension Gateway {
  /// The functions that the registry lists for a driver (rule R19). No driver is opened.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  package func functions(of id: String) throws(GatewayError) -> [FunctionDescription] {
    try driver(id).functions.map(FunctionDescription.init)
  }

  /// One of them.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver` or `unknown_function`.
  package func function(_ name: String, of id: String) throws(GatewayError) -> FunctionDescription {
    FunctionDescription(try declared(name, try driver(id)))
  }

  /// Calls a function of a driver with arguments as they stand on a command line.
  ///
  /// - Throws: ``GatewayError``: `unknown_driver`, `unknown_function` or `bad_argument` before anything is called;
  ///   `driver_unavailable` when the bundle is refused; `driver_fault` when the driver breaks a rule, crashes or hangs;
  ///   `function_failed` when the function itself answers with an error.
  package func call(
    _ name: String, of id: String, arguments words: [String]
  ) async throws(GatewayError) -> CallDescription {
    let entry = try driver(id)
    let function = try declared(name, entry)
    let call = try Self.call(function, words)
    let answer = try await answer(call, entry)
    guard answer.status == 0 else {
      throw GatewayError(
        .failed, code: "function_failed",
        "\(id): \(name) answers \(answer.statusName): \(answer.explanation ?? Self.words(answer.status))",
        hint: answer.logs.last.map { "it logged: \($0.message)" })
    }
    let outputs = zip(function.outputs, answer.outputs).map {
      CallDescription.Output(name: $0.name, unit: $0.unit, value: $1)
    }
    let log = answer.logs.map { CallDescription.Line(level: "\($0.level)", message: $0.message) }
    return CallDescription(driver: id, function: name, outputs: outputs, log: log)
  }

  /// What an error of the contract means when a function answers with it.
  private static func words(_ status: Int32) -> String {
    switch status {
    case MH_E_ARG: "an argument is outside of what it takes"
    case MH_E_UNSUPPORTED: "it does not know what it was given"
    case MH_E_PROTOCOL: "the bytes are not what the meter's protocol allows"
    case MH_E_FULL: "its answer is longer than \(FunctionSignature.mostBytes) bytes"
    case MH_E_CRYPTO: "a cryptographic check failed"
    case MH_E_DENIED: "it needs what no function is lent: a key, storage, random numbers"
    case MH_E_MEMORY: "there is no memory"
    case MH_E_NOT_FOUND: "there is no such thing"
    case MH_E_NO_VALUE: "the bytes hold no value"
    default: "status \(status)"
    }
  }

  private func declared(_ name: String, _ driver: DriverEntry) throws(GatewayError) -> DriverEntry.Function {
    guard let function = driver.functions.first(where: { $0.name == name }) else {
      let known = driver.functions.map(\.name).joined(separator: ", ")
      throw GatewayError(
        .usage, code: "unknown_function", "\(driver.id) has no function \(name)",
        hint: known.isEmpty
          ? "it has no functions at all"
          : "it has \(known); `meterhost driver call \(driver.id)` "
            + "describes them")
    }
    return function
  }

  private static func call(
    _ function: DriverEntry.Function, _ words: [String]
  ) throws(GatewayError) -> FunctionCall {
    guard words.count == function.arguments.count else {
      let wanted = function.arguments.map { "\($0.name) (\($0.kind.rawValue))" }.joined(separator: ", ")
      throw GatewayError(
        .usage, code: "bad_argument",
        "\(function.name) takes \(wanted.isEmpty ? "no arguments" : wanted), not \(words.count) arguments",
        hint: function.arguments.first.map { "\($0.name): \($0.form)" })
    }
    do {
      let arguments = try zip(words, function.arguments).map { try $1.argument($0, file: bytes(ofFile:)) }
      return try FunctionCall(function.name, function.signature, arguments)
    } catch {
      throw GatewayError(.usage, code: "bad_argument", "\(error)", cause: error)
    }
  }

  private static func bytes(ofFile path: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    // One more than may be is enough to be refused; a device has no end.
    return [UInt8](try file.read(upToCount: FunctionSignature.mostBytes + 1) ?? Data())
  }

  private func answer(_ call: FunctionCall, _ entry: DriverEntry) async throws(GatewayError) -> FunctionAnswer {
    do {
      return try await drivers.call(try bundles.bundle(for: entry), driver: entry, call)
    } catch let fault as DriverFault {
      let isMissing = fault.code == .workerFailed || fault.code == .loadFailed
      throw GatewayError(
        isMissing ? .unavailable : .failed, code: isMissing ? "driver_unavailable" : "driver_fault", "\(fault)",
        cause: fault)
    } catch {
      throw GatewayError(
        .unavailable, code: "driver_unavailable", "\(error)", hint: "`meterhost driver why \(entry.id)` says more",
        cause: error)
    }
  }
}
