// The types of a session are part of this module's own interface.
@_exported public import DriverContract

/// One open session of a driver, in a worker process or in this one; both behave alike.
public protocol DriverSession: Sendable {
  /// Hands one fact to the driver and returns everything that it put out.
  ///
  /// Calls are served one at a time in the order in which they arrive. When the calling task is cancelled, the session closes.
  /// - Throws: `DriverFault`; after one, every further call throws `closed`.
  func handle(_ event: DriverEvent) async throws(DriverFault) -> DriverUnit

  /// Ends the session and waits until nothing of it is left. Harmless when it has ended already.
  ///
  /// - Returns: What the driver did wrong on its way out; nothing of the session depends on it any more.
  @discardableResult
  func close() async -> DriverFault?
}
