import Dispatch
import Foundation
import Synchronization

/// Somebody who does something when everything waits.
package protocol StillnessWatcher: AnyObject, Sendable {
  /// Whether it wants to be told.
  var isWaiting: Bool { get }

  /// Everything waits, and will go on waiting unless this does something.
  func everythingWaits()
}

/// Finds the moments at which this process and all that it has started wait for something.
///
/// It asks the kernel and not the code under test, so that sockets, databases and worker processes count as tasks do: a thread that
/// was woken counts as running from that moment on, whenever the machine gets to it. One look takes the threads one after the
/// other; a second look at which none has run since the first makes the two a look at a single moment. Between looks it makes sure
/// that no task is queued behind threads that wait.
package final class Stillness: Sendable {
  /// This process and its children.
  package static let ofThisProcess = Stillness()

  private struct State {
    var watchers: [ObjectIdentifier: any StillnessWatcher] = [:]
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Tells `watcher` at each still moment, as long as it is waiting.
  package func watch(_ watcher: any StillnessWatcher) {
    let starts = state.withLock { state in
      state.watchers[ObjectIdentifier(watcher)] = watcher
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if starts { Thread { self.run() }.start() }
  }

  private func isStill(_ own: pid_t) -> Bool {
    guard ThreadSurvey.everythingWaits(but: own) else { return false }
    letQueuedTasksRun()
    return ThreadSurvey.everythingWaits(but: own)
  }

  /// The concurrency runtime has few threads, and those that wait for something outside, a process or a lock, keep what is queued
  /// behind them from running although nothing seems to run. Threads that wait for long wait for the time to go on.
  private func letQueuedTasksRun() {
    let (priorities, done) = ([TaskPriority.high, .medium, .low, .background], DispatchSemaphore(value: 0))
    for priority in priorities { Task.detached(priority: priority) { done.signal() } }
    let patience = DispatchTime.now() + .seconds(5)
    for _ in priorities { _ = done.wait(timeout: patience) }
  }

  private func run() {
    let own = ThreadSurvey.ownThread
    var nap: UInt32 = 200
    while true {
      let watchers = state.withLock { state -> [any StillnessWatcher] in
        state.watchers = state.watchers.filter { $0.value.isWaiting }
        state.isRunning = !state.watchers.isEmpty
        return Array(state.watchers.values)
      }
      guard !watchers.isEmpty else { return }
      if isStill(own) {
        nap = 200
        for watcher in watchers { watcher.everythingWaits() }
      } else {
        // A busy machine is looked at less often: what is looked for is far.
        nap = min(nap * 2, 5_000)
      }
      usleep(nap)
    }
  }
}
