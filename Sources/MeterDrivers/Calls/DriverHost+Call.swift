import DriverContract
import DriverRuntime

extension DriverHost {
  /// Calls a function beyond the contract that the registry lists for a driver (rule R19): in a worker of its own that
  /// ends with the call, or in this process, as configured.
  ///
  /// - Parameters:
  ///   - bundle: A verified bundle.
  ///   - entry: The driver's entry; what the bundle says of itself must agree with it.
  ///   - call: The function and its arguments.
  /// - Returns: What the function answered, checked; also when it failed.
  /// - Throws: `DriverFault`, naming the function: `brokeRule` (R19) when bundle and entry disagree or the outputs are not what
  ///   the signature promises, `crashed` or `hung` as for an event.
  package func call(
    _ bundle: VerifiedBundle, driver entry: DriverEntry, _ call: FunctionCall
  ) async throws(DriverFault) -> FunctionAnswer {
    let (configuration, pool) = (configuration, pool)
    do throws(DriverFault) {
      return try await blocking { () throws(DriverFault) in
        guard configuration.isolation == .worker else {
          let library = try Self.library(bundle)
          try entry.expectAgreement(with: library.drivers)
          return try LocalCall(library: library, driver: entry.id).answer(call)
        }
        let connection = try WorkerConnection(
          bundle, driver: entry.id, limits: entry.limits, within: configuration.startLimit, from: pool)
        defer { connection.close(within: configuration.eventLimit(entry.limits)) }
        try entry.expectAgreement(with: connection.drivers)
        return try connection.exchange { client throws(WorkerFailure) in
          try client.call(call, within: configuration.eventLimit(entry.limits))
        }
      }
    } catch { throw error.naming(call.function) }
  }
}

extension DriverEntry {
  /// Throws when a bundle is not what the entry says of it (rule R19).
  func expectAgreement(with drivers: [DriverDescription]) throws(DriverFault) {
    guard let (reason, cure) = disagreement(with: drivers) else { return }
    throw DriverFault(.brokeRule, driver: id, rule: "R19", message: "\(reason); \(cure)")
  }
}

extension DriverFault {
  /// The fault with the function in whose call it happened.
  fileprivate func naming(_ function: String) -> DriverFault {
    var fault = self
    // No meter was being read.
    fault.message = message.replacing("read the meter again, and report", with: "report")
    if !message.contains("function \(function)") { fault.message = "function \(function): \(fault.message)" }
    return fault
  }
}
