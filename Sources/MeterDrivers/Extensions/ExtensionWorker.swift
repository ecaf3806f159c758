import DriverContract
import DriverRuntime

/// A worker in which one extension of a driver is open: the connection, and what its driver may take. It knows no kind.
final class ExtensionWorker {
  let driver: String
  let connection: WorkerConnection
  /// Wall time of one call.
  let limit: Duration
  private let closing: Duration

  /// Opens an extension in a worker of its own.
  ///
  /// - Parameters:
  ///   - kind: What is granted to it.
  ///   - opening: What the kind's client has written.
  ///   - openingLimit: Wall time for opening it; nil: that of a call.
  ///   - recorder: Hears everything that goes in and comes out (rule R8).
  init(
    _ host: DriverHost, _ bundle: VerifiedBundle, _ entry: DriverEntry, _ kind: ExtensionKind,
    opening: ExtensionPayload, openingLimit: Duration? = nil, recorder: SessionRecorder? = nil
  ) throws(DriverFault) {
    let limits = kind.limits(entry.limits)
    let closing = host.configuration.eventLimit(limits)
    let limit = closing * kind.patience
    let connection = try WorkerConnection(
      bundle, driver: entry.id, limits: limits, within: host.configuration.startLimit, from: host.pool)
    driver = entry.id
    self.closing = closing
    self.limit = limit
    self.connection = connection
    do throws(DriverFault) { try entry.expectAgreement(with: connection.drivers) } catch {
      connection.close(within: closing)
      throw error
    }
    do throws(DriverFault) {
      try connection.exchange { client throws(WorkerFailure) in
        if let recorder { client.onExtension = { recorder.note(extension: $0) } }
        try client.open(kind, opening, within: openingLimit ?? limit)
      }
    } catch {
      connection.close(within: closing)
      throw error.ofExtension
    }
  }

  /// Ends the extension and the process.
  ///
  /// - Returns: What the driver did wrong on its way out.
  @discardableResult
  func close() -> DriverFault? { connection.close(within: closing) }

  static func closed(_ driver: String) -> DriverFault {
    DriverFault(.closed, driver: driver, message: "it was closed; open a new one")
  }

  static func cancelled(_ driver: String) -> DriverFault {
    DriverFault(.cancelled, driver: driver, message: "it was cancelled by its caller")
  }
}

extension DriverFault {
  /// The fault in the words of a host that reads no meter over the air.
  var ofExtension: DriverFault {
    var fault = self
    fault.message = message.replacing("read the meter again", with: "open it again")
    return fault
  }
}

extension DriverEntry {
  /// Throws when the entry does not offer an extension.
  func expect(_ wanted: DriverExtension) throws(DriverFault) {
    guard extensions.contains(wanted) else {
      throw DriverFault(
        .unknownDriver, driver: id,
        message: "the driver's entry does not list the extension \(wanted.rawValue) in \"extensions\"")
    }
  }
}
