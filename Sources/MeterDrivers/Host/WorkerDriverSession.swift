import DriverContract
import DriverRuntime

/// A session in a worker process of its own (rule R24).
actor WorkerDriverSession: DriverSession {
  private let executor: BlockingExecutor
  private let bundle: VerifiedBundle
  private let driver: String
  private let services: any SessionServices
  private let limits: DriverLimits
  private let configuration: DriverHostConfiguration
  private let pool: WorkerPool
  private var connection: WorkerConnection?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ bundle: VerifiedBundle, driver: String, services: any SessionServices, limits: DriverLimits,
    configuration: DriverHostConfiguration, pool: WorkerPool
  ) {
    executor = BlockingExecutor(label: "meterhost.driver")
    self.bundle = bundle
    self.driver = driver
    self.services = services
    self.limits = limits
    self.pool = pool
    self.configuration = configuration
  }

  /// Starts the worker and opens the session.
  func open(_ opening: DriverOpening) throws(DriverFault) {
    let connection = try WorkerConnection(
      bundle, driver: driver, services: services, limits: limits, within: configuration.startLimit, from: pool)
    do {
      let limit = configuration.eventLimit(limits)
      try connection.exchange { client throws(WorkerFailure) in try client.open(opening, within: limit) }
    } catch {
      connection.close(within: configuration.eventLimit(limits))
      throw error
    }
    self.connection = connection
  }

  func handle(_ event: DriverEvent) async throws(DriverFault) -> DriverUnit {
    guard let process = connection?.process else { throw closed }
    let result = await withTaskCancellationHandler {
      exchange(event)
    } onCancel: {
      process.kill()
    }
    do { return try result.get() } catch {
      connection?.close(within: configuration.eventLimit(limits))
      guard Task.isCancelled else { throw error }
      throw DriverFault(.cancelled, driver: driver, message: "the session was cancelled by its caller")
    }
  }

  func close() -> DriverFault? {
    defer { connection = nil }
    return connection?.close(within: configuration.eventLimit(limits))
  }

  private func exchange(_ event: DriverEvent) -> Result<DriverUnit, DriverFault> {
    guard let connection else { return .failure(closed) }
    let limit = configuration.eventLimit(limits)
    do throws(DriverFault) {
      var unit = try connection.exchange { client throws(WorkerFailure) in try client.handle(event, within: limit) }
      unit.logs += connection.process.output.logLines()
      return .success(unit)
    } catch { return .failure(error) }
  }

  private var closed: DriverFault {
    DriverFault(.closed, driver: driver, message: "the session has ended; open a new one")
  }
}
