import DriverContract
import DriverProbe
import DriverRuntime
import MeterDrivers

/// A probe in the hands of a conformance suite: it runs a bundle in a manner that the suite chooses, and whatever
/// happens to it is an answer.
///
/// Not thread-safe; blocks its caller.
final class ProbeProcess {
  /// The talk with it.
  let client: ProbeClient
  /// The drivers of the bundle.
  let drivers: [DriverDescription]
  private let process: WorkerProcess
  private let verdict: WorkerVerdict

  /// Starts a probe and waits until it has loaded the bundle.
  ///
  /// - Throws: `DriverFault`.
  init(
    _ bundle: VerifiedBundle, manner: ProbeManner, configuration: DriverHostConfiguration
  ) throws(DriverFault) {
    let path = try WorkerLocation.probe(configuration.workerPath)
    let (process, socket) = try WorkerProcess.start(path: path)
    let client = ProbeClient(socket: socket, limit: configuration.eventLimit)
    self.process = process
    self.client = client
    verdict = WorkerVerdict(driver: bundle.name, process: process)
    do throws(ProbeFailure) { drivers = try client.load(bundle.descriptor, name: bundle.name, manner) } catch {
      throw WorkerVerdict(driver: bundle.name, process: process, stage: .loading).fault(of: error)
    }
  }

  deinit { _ = process.end(patience: .zero) }

  /// What a broken talk means; the process is gone then, unless the driver broke a rule and lives on.
  func fault(_ failure: ProbeFailure) -> DriverFault { verdict.fault(of: failure) }

  /// What the driver has printed since the last call; nobody sees it in a gateway.
  func printed() -> String { process.output.text() }
}

extension WorkerVerdict {
  fileprivate func fault(of failure: ProbeFailure) -> DriverFault {
    switch failure {
    // The probe can be asked on.
    case .fault(let fault): fault
    case .ended: probeEnded(process.end(patience: Self.patience))
    case .late: fault(.late)
    case .garbage(let words): fault(.garbage(words))
    }
  }

  /// A probe that gives up by itself says so by its exit status, and that is no fault of the driver in it.
  private func probeEnded(_ end: WorkerEnd) -> DriverFault {
    switch end {
    case .exited(ProbeServer.noMemory):
      DriverFault(
        .workerFailed, driver: driver,
        message: "the probe has no memory left for what it lends to the driver; report this suite, not the driver")
    case .exited(WorkerServer.notConfined) where stage == .running,
      .exited(WorkerServer.notUnderstood) where stage == .running:
      DriverFault(
        .workerFailed, driver: driver,
        message: "the probe broke off the talk with the suite; report this suite, not the driver")
    case .exited(ProbeServer.memoryTaken):
      DriverFault(
        .brokeRule, driver: driver, rule: "R16",
        message: "the driver has taken more memory than a worker has, and gives nothing back")
    default: ended(end)
    }
  }
}
