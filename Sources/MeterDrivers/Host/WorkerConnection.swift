import CLinux
import DriverRuntime
import Glibc

/// A worker and the talk with it; turns every way of failing into a fault and leaves no process behind.
/// Not thread-safe, but for `process`.
final class WorkerConnection {
  let process: WorkerProcess
  /// The drivers that the bundle holds.
  let drivers: [DriverDescription]
  private let driver: String
  private let client: WorkerClient
  private var fault: DriverFault?

  /// How long a worker may take to go when its socket is closed or it has been told to.
  private static let patience = Duration.seconds(1)

  /// Starts a worker and waits until it has loaded the bundle.
  init(
    _ bundle: VerifiedBundle, driver: String, services: (any SessionServices)? = nil,
    configuration: DriverHostConfiguration
  ) throws(DriverFault) {
    let path = try WorkerLocation.find(configuration.workerPath)
    let (process, socket) = try WorkerProcess.start(path: path, bundle: bundle)
    let client = WorkerClient(socket: socket, driver: driver, services: services)
    self.process = process
    self.client = client
    self.driver = driver
    do throws(WorkerFailure) {
      drivers = try client.hello(within: configuration.startLimit)
    } catch { throw Self.fault(error, driver, process) }
  }

  /// One exchange. After a fault every further one throws `closed`.
  func exchange<Result>(
    _ body: (WorkerClient) throws(WorkerFailure) -> Result
  ) throws(DriverFault) -> Result {
    if let fault {
      throw DriverFault(
        .closed, driver: driver, message: "the session has ended; open a new one", cause: fault.message)
    }
    do { return try body(client) } catch {
      let fault = Self.fault(error, driver, process)
      self.fault = fault
      throw fault
    }
  }

  /// Ends the session and the process.
  func close() {
    if fault == nil {
      fault = DriverFault(.closed, driver: driver, message: "the session was closed")
      try? client.close(within: Self.patience)
    }
    _ = process.end(patience: .zero)
  }

  private static func fault(_ failure: WorkerFailure, _ driver: String, _ process: WorkerProcess) -> DriverFault {
    switch failure {
    case .fault(let fault):
      _ = process.end(patience: .zero)
      return fault
    case .late:
      _ = process.end(patience: .zero)
      return DriverFault(
        .hung, driver: driver, rule: "R16",
        message: "the driver did not come back in time and was stopped; read the meter again, and report the driver")
    case .ended: return ended(process.end(patience: patience), driver)
    case .garbage(let words):
      _ = process.end(patience: .zero)
      return DriverFault(
        .brokeProtocol, driver: driver, message: "the worker's answer makes no sense and it was stopped", cause: words)
    case .system(let number):
      _ = process.end(patience: .zero)
      return DriverFault(
        .workerFailed, driver: driver, message: "the talk with the worker failed; try again",
        cause: String(cString: strerror(number)))
    }
  }

  private static func ended(_ end: WorkerEnd, _ driver: String) -> DriverFault {
    switch end {
    case .killed(SIGPROF):
      DriverFault(
        .hung, driver: driver, rule: "R16",
        message: "one call into the driver used more than a second of CPU time; read the meter again, and report the "
          + "driver")
    case .killed(let signal):
      DriverFault(
        .crashed, driver: driver, rule: "R24",
        message: "the driver crashed (\(name(signal))); read the meter again, and report the driver")
    case .exited(let status):
      DriverFault(
        .crashed, driver: driver, rule: "R24",
        message: "the driver ended its process (exit status \(status)); read the meter again, and report the driver")
    }
  }

  private static func name(_ signal: Int32) -> String {
    clinux_signal_name(signal).map { String(cString: $0) } ?? "signal \(signal)"
  }
}
