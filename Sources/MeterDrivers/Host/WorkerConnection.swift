import CLinux
package import DriverContract
package import DriverRuntime
import Glibc
import MeterCore

/// A worker and the talk with it; turns every way of failing into a fault and leaves no process behind.
/// Not thread-safe, but for `process`.
final class WorkerConnection {
  let process: WorkerProcess
  /// The drivers that the bundle holds.
  let drivers: [DriverDescription]
  private let driver: String
  private let client: WorkerClient
  private let counted: CountedEvents
  private var fault: DriverFault?

  /// Takes a worker and waits until it has loaded the bundle.
  init(
    _ bundle: VerifiedBundle, driver: String, services: (any SessionServices)? = nil,
    limits: DriverLimits = .greatest, within limit: Duration, from pool: WorkerPool
  ) throws(DriverFault) {
    defer { pool.refill() }
    let (process, socket) = try pool.take()
    let counted = pool.counted
    counted.tell(.workerStarted(driver: driver))
    // One that has waited is in its group; only the limit of its work is missing.
    if let groups = pool.groups { process.enter(groups, limits: limits) }
    let client = WorkerClient(socket: socket, driver: driver, services: services, limits: limits) {
      process.grantCPU(milliseconds: $0)
    }
    self.process = process
    self.client = client
    self.counted = counted
    self.driver = driver
    do throws(WorkerFailure) {
      drivers = try client.load(bundle.descriptor, name: bundle.name, within: limit)
    } catch {
      let stage = client.hasBegun ? WorkerVerdict.Stage.running : .starting
      let fault = WorkerVerdict(driver: driver, process: process, stage: stage).fault(error)
      counted.tell(.workerFailed(driver: driver, rule: fault.rule))
      throw fault
    }
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
      // The driver of a worker that this host has killed, because its caller gave up, has done nothing wrong.
      let wasStopped = process.wasStopped
      let fault = WorkerVerdict(driver: driver, process: process).fault(error)
      if !wasStopped { counted.tell(.workerFailed(driver: driver, rule: fault.rule)) }
      self.fault = fault
      throw fault
    }
  }

  /// Ends the session and the process.
  ///
  /// - Parameter limit: What closing may take, as an event may.
  /// - Returns: What the driver did wrong on its way out; nothing of the session depends on it any more.
  @discardableResult
  func close(within limit: Duration) -> DriverFault? {
    defer { _ = process.end(patience: .zero) }
    // One that this host has killed, because its caller gave up, has done nothing wrong.
    guard fault == nil, !process.wasStopped else { return nil }
    fault = DriverFault(.closed, driver: driver, message: "the session was closed")
    do throws(WorkerFailure) {
      try client.close(within: limit)
      return nil
    } catch {
      let fault = WorkerVerdict(driver: driver, process: process).fault(error)
      counted.tell(.workerFailed(driver: driver, rule: fault.rule))
      return fault
    }
  }
}

/// What is to be said of a worker that failed: takes its remains away and looks at them.
package struct WorkerVerdict {
  package let driver: String
  package let process: WorkerProcess
  /// How far the worker has come, as far as its host can know.
  package enum Stage {
    /// Nothing of the bundle has run: whatever goes wrong, the bundle has no part in it.
    case starting
    /// The bundle may run, or not yet: a probe does not say.
    case loading
    /// The bundle runs, and may be behind everything.
    case running
  }

  /// How far the worker has come.
  package var stage = Stage.running

  package init(driver: String, process: WorkerProcess, stage: Stage = .running) {
    self.driver = driver
    self.process = process
    self.stage = stage
  }

  /// How long a worker whose socket has ended may take to be gone.
  package static let patience = Duration.seconds(1)

  package func fault(_ failure: WorkerFailure) -> DriverFault {
    guard case .ended = failure else {
      _ = process.end(patience: .zero)
      return stopped(failure)
    }
    return ended(process.end(patience: Self.patience))
  }

  /// The worker still ran, and was stopped.
  private func stopped(_ failure: WorkerFailure) -> DriverFault {
    switch failure {
    case .fault(let fault): fault
    case .garbage(let words) where stage == .starting: notStarted("what it said makes no sense: \(words)")
    case .late where stage == .starting: notStarted("it was not ready in time")
    case .garbage(let words):
      DriverFault(
        .brokeProtocol, driver: driver, message: "the worker's answer makes no sense and it was stopped", cause: words)
    case .otherVersion(let words): otherVersion(words)
    case .system(let number):
      DriverFault(
        .workerFailed, driver: driver, message: "the talk with the worker failed; try again",
        cause: String(cString: strerror(number)))
    case .late, .ended:
      DriverFault(
        .hung, driver: driver, rule: "R16",
        message: "the driver did not come back in time and was stopped; read the meter again, and report the driver")
    }
  }

  /// What the end of the worker's process says.
  package func ended(_ end: WorkerEnd) -> DriverFault {
    if let fault = endedAtStart(end) { return fault }
    return switch end {
    case .exited(Int32(CLINUX_FORBIDDEN_CALL)):
      DriverFault(
        .brokeRule, driver: driver, rule: "R7",
        message:
          "the driver asked the system for what it may not have\(forbiddenCall) and was stopped; report the driver"
      )
    case .exited(let status):
      DriverFault(
        .crashed, driver: driver, rule: "R24",
        message: "the driver ended its process (exit status \(status)); read the meter again, and report the driver")
    case .outOfMemory:
      DriverFault(
        .brokeRule, driver: driver, rule: "R16",
        message: "the driver took more memory than its worker has and was stopped; report the driver")
    case .killed(SIGPROF), .killed(SIGXCPU):
      DriverFault(
        .hung, driver: driver, rule: "R16",
        message: "one call into the driver used more CPU time than it has; read the meter again, and report the driver")
    case .killed(SIGKILL) where process.wasStopped:
      DriverFault(
        .brokeProtocol, driver: driver, rule: "R7",
        message: "the driver closed its worker's socket and was stopped; report the driver")
    case .killed(SIGKILL):
      DriverFault(
        .killed, driver: driver,
        message:
          "the driver's worker was killed from outside (SIGKILL), perhaps because memory ran out; read the meter "
          + "again")
    case .killed(let signal) where WorkerProcess.requests.contains(signal):
      DriverFault(
        .killed, driver: driver,
        message: "the driver's worker was told to end from outside (\(name(signal))); read the meter again")
    case .unknown:
      DriverFault(
        .workerFailed, driver: driver,
        message: "the system does not say how the driver's worker ended; try again, and leave SIGCHLD as it is")
    case .killed(let signal):
      DriverFault(
        .crashed, driver: driver, rule: "R24",
        message: "the driver crashed (\(name(signal))); read the meter again, and report the driver")
    }
  }

  /// What an end says of a worker that was not ready; nil where it says the same of every worker. A bundle cannot pretend one
  /// of these: it does not run yet.
  private func endedAtStart(_ end: WorkerEnd) -> DriverFault? {
    switch end {
    case .exited(WorkerServer.notUnderstood) where stage != .running:
      otherVersion("the worker did not understand this host")
    case .exited(WorkerServer.notConfined) where stage != .running:
      DriverFault(
        .workerFailed, driver: driver,
        message:
          "the kernel does not confine the worker (seccomp, resource limits), so no driver was run; use a kernel "
          + "that has them")
    case .exited(let status) where stage == .starting: notStarted("it ended with exit status \(status)")
    case .killed(SIGKILL) where stage == .starting && process.wasStopped: notStarted("it closed its socket")
    case .killed(let signal)
    where stage == .starting && signal != SIGKILL && !WorkerProcess.requests.contains(signal):
      notStarted("it died (\(name(signal)))")
    case .outOfMemory where stage == .starting: notStarted("the memory of its control group was too little")
    case .exited, .killed, .outOfMemory, .unknown: nil
    }
  }

  private func notStarted(_ words: String) -> DriverFault {
    DriverFault(
      .workerFailed, driver: driver,
      message: "the worker did not start, and no driver was run; free memory, or install host and worker again",
      cause: words)
  }

  private func otherVersion(_ words: String) -> DriverFault {
    DriverFault(
      .workerFailed, driver: driver,
      message: "the worker is of another version than this host; install both together, and start the host again",
      cause: words)
  }

  /// The system call that the worker's last words name.
  private var forbiddenCall: String {
    let words = "forbidden system call"
    guard let line = process.output.text().split(separator: "\n").last(where: { $0.hasPrefix(words) }),
      let number = Int32(line.dropFirst(words.count).drop { $0 == " " })
    else { return "" }
    return " (\(clinux_call_name(number).map { String(cString: $0) } ?? "system call \(number)"))"
  }

  private func name(_ signal: Int32) -> String {
    clinux_signal_name(signal).map { String(cString: $0) } ?? "signal \(signal)"
  }
}
