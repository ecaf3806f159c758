import Dispatch

/// A serial executor with a thread to block: waiting for a driver must not take a thread from everybody else's tasks.
package final class BlockingExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String) { queue = DispatchQueue(label: label) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
