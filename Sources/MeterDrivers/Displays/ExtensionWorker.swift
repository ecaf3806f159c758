import DriverContract

/// A worker that serves one draft extension: the connection, and what its driver may take.
final class ExtensionWorker {
  let driver: String
  let connection: WorkerConnection
  /// Wall time of one call.
  let limit: Duration
  private let closing: Duration

  init(
    _ bundle: VerifiedBundle, _ entry: DriverEntry, limits: DriverLimits, pool: WorkerPool,
    configuration: DriverHostConfiguration, patience: Int = 1
  ) throws(DriverFault) {
    driver = entry.id
    closing = configuration.eventLimit(limits)
    limit = closing * patience
    connection = try WorkerConnection(
      bundle, driver: entry.id, limits: limits, within: configuration.startLimit, from: pool)
    do throws(DriverFault) { try entry.expectAgreement(with: connection.drivers) } catch {
      connection.close(within: closing)
      throw error
    }
  }

  func close() { connection.close(within: closing) }

  static func closed(_ driver: String) -> DriverFault {
    DriverFault(.closed, driver: driver, message: "it was closed; open a new one")
  }

  static func cancelled(_ driver: String) -> DriverFault {
    DriverFault(.cancelled, driver: driver, message: "it was cancelled by its caller")
  }
}

extension DriverFault {
  /// The fault in the words of a host that reads no meter over the air.
  func aboutDisplays(_ again: String) -> DriverFault {
    var fault = self
    fault.message = message.replacing("read the meter again", with: again)
    return fault
  }
}
