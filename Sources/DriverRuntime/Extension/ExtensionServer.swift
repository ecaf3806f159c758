package import DriverContract

/// One open extension of a driver on the worker's side: makes calls into the driver's table of payloads, and payloads of what
/// comes back, unchecked. Whoever asked checks it.
///
/// A new kind of driver is a type of this, a client on the host's side, and a line of `ExtensionServers.all`:
///
/// ```swift
/// final class CalendarServer: ExtensionServer {
///   static let kind = ExtensionKind(.calendar, callCPU: { $0.loadCPUMilliseconds })
///   func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload { ... }
/// }
/// ```
package protocol ExtensionServer: AnyObject {
  /// What is granted to it.
  static var kind: ExtensionKind { get }

  /// Opens the extension.
  ///
  /// - Parameter opening: What the kind's client has written.
  /// - Throws: `DriverFault`: `unknownDriver` when the driver has no such table; `refused` when the payload makes no sense, or
  ///   by the driver; `brokeRule`.
  init(
    tables: any ExtensionTables, driver: String, opening: ExtensionPayload, limits: DriverLimits
  ) throws(DriverFault)

  /// Answers one question of the kind's client.
  ///
  /// - Throws: `DriverFault`: `refused` when the payload makes no sense, `brokeRule`, `closed`.
  func answer(_ question: ExtensionPayload) throws(DriverFault) -> ExtensionPayload

  /// Leaves nothing behind in the driver. Harmless when it was called before.
  func close()
}

extension ExtensionServer {
  package func close() {}
}

/// A mapped bundle, as extensions need it.
package protocol ExtensionTables: AnyObject {
  /// A table of a driver beyond the frozen contract (rule R5), with zeros for what the driver's own ends before.
  ///
  /// - Throws: `DriverFault` `unknownDriver`, or `brokeRule` for a table that is none.
  func table<Table: BitwiseCopyable>(
    _ id: String, _ name: DriverExtension, empty: Table
  ) throws(DriverFault) -> Table

  /// Makes a call into an extension when no other one is being made.
  func inTurn(_ body: () -> Int32) -> Int32
}

extension DriverLibrary: ExtensionTables {}

extension ExtensionPayload {
  /// Reads all of what the host has said of a driver's extension. Nothing of it reaches the driver when it makes no sense, and
  /// the driver has no part in that.
  func understood<Value>(
    _ kind: ExtensionKind, _ driver: String, _ body: (inout WireReader) throws(WireError) -> Value
  ) throws(DriverFault) -> Value {
    do throws(WireError) { return try read(body) } catch {
      throw DriverFault(
        .refused, driver: driver,
        message:
          "what the host says to the extension \(kind.id.rawValue) makes no sense; install host and worker together",
        cause: error.message)
    }
  }
}
