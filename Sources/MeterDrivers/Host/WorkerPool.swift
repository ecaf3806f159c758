import Dispatch
import DriverContract
import Glibc
import MeterCore
import Synchronization

/// Workers that have been started, are confined, and wait for a bundle. Only they are shared: with its bundle a worker
/// belongs to one session for the rest of its life (rule R24).
final class WorkerPool: Sendable {
  private struct Spare {
    let process: WorkerProcess
    let socket: Int32
  }

  private let path: String?
  /// How many are kept waiting; 0: each is started when it is needed.
  private let most: Int
  private let spares = Mutex<[Spare]>([])
  private let grouping = Mutex<WorkerGroups?>(nil)
  /// Hears of workers that get a driver, and of those that fail.
  let counted = CountedEvents()

  /// What gives each worker a control group, when it starts ahead or else when it is used; nil: nothing does.
  var groups: WorkerGroups? {
    get { grouping.withLock(\.self) }
    set { grouping.withLock { $0 = newValue } }
  }

  init(path: String?, most: Int) {
    self.path = path
    self.most = most
  }

  deinit { spares.withLock { for spare in $0 { close(spare.socket) } } }

  /// A worker that waits, or a new one. The caller owns the socket, and says ``refill(atLeast:)`` when its own session has
  /// what it needs: the start of the next worker would be in its way.
  func take() throws(DriverFault) -> (WorkerProcess, socket: Int32) {
    while let spare = spares.withLock({ $0.popLast() }) {
      guard spare.process.isRunning else {
        close(spare.socket)
        continue
      }
      return (spare.process, spare.socket)
    }
    return try WorkerProcess.start(path: WorkerLocation.find(path))
  }

  /// Starts what is missing, at least `least`, on a thread of its own. Whoever needs a worker hears of what goes wrong.
  func refill(atLeast least: Int = 0) {
    let wanted = max(most, least)
    guard wanted > 0 else { return }
    DispatchQueue.global(qos: .utility).async { [weak self] in self?.fill(to: wanted) }
  }

  /// Starts what is missing, on this thread.
  func fill(to wanted: Int) {
    guard let place = try? WorkerLocation.find(path) else { return }
    while spares.withLock({ $0.count }) < wanted {
      guard let (process, socket) = try? WorkerProcess.start(path: place) else { return }
      // Here and not when it is needed: the kernel may let a process wait that changes its group.
      if let groups { process.enter(groups, limits: WorkerGroups.ofAnyWork) }
      let isWanted = spares.withLock { spares in
        // Another refill may have been faster.
        guard spares.count < wanted else { return false }
        spares.append(Spare(process: process, socket: socket))
        return true
      }
      if !isWanted { close(socket) }
    }
  }
}
