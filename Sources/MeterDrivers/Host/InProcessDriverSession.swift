import DriverContract
import DriverRuntime

/// A session in this process: same driver, same results, no protection from its faults.
actor InProcessDriverSession: DriverSession {
  private let executor = BlockingExecutor(label: "meterhost.driver")
  private let session: LocalSession

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ library: DriverLibrary, driver: String, opening: DriverOpening, services: any SessionServices,
    limits: DriverLimits
  ) throws(DriverFault) {
    session = try LocalSession(library: library, driver: driver, opening: opening, services: services, limits: limits)
  }

  func handle(_ event: DriverEvent) throws(DriverFault) -> DriverUnit {
    guard !Task.isCancelled else {
      session.close()
      throw DriverFault(.cancelled, driver: session.driver, message: "the session was cancelled by its caller")
    }
    return try session.handle(event)
  }

  func close() -> DriverFault? {
    session.close()
    return nil
  }
}
