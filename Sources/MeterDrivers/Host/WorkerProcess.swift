import CLinux
import DriverContract
import Glibc
import Synchronization

package enum WorkerEnd: Sendable, Hashable {
  case exited(Int32)
  case killed(signal: Int32)
  /// The kernel has ended it because its control group was full.
  case outOfMemory
  /// Somebody else has taken its remains away.
  case unknown
}

/// One worker process. It can be killed from any thread, and leaves no zombie behind.
package final class WorkerProcess: Sendable {
  private enum State {
    case running(clinux_child, WorkerGroup?)
    case ended(WorkerEnd)
  }

  /// Signals that ask a process to end. No driver can send one; a worker that has not begun yet ends by them.
  static let requests: Set<Int32> = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

  private let state: Mutex<State>
  private let stopped = Atomic(false)
  /// What it prints: its driver's words, and its own last ones.
  package let output: WorkerOutput

  /// Standard output and error, then the socket to the host; standard input is /dev/null.
  private static let firstDescriptor = STDOUT_FILENO

  private init(child: clinux_child, output: WorkerOutput) {
    state = Mutex(.running(child, nil))
    self.output = output
  }

  deinit { _ = end(patience: .zero) }

  /// Starts a worker, which waits for a bundle.
  ///
  /// - Returns: The process, and the host's end of its socket, which the caller owns.
  package static func start(path: String) throws(DriverFault) -> (WorkerProcess, socket: Int32) {
    var pair: [Int32] = [-1, -1]
    let paired = clinux_stream_pair(&pair)
    guard paired == 0 else { throw failed("no socket for a worker can be made", paired) }
    defer { close(pair[1]) }
    var pipe: [Int32] = [-1, -1]
    let piped = clinux_output_pipe(&pipe)
    guard piped == 0 else {
      close(pair[0])
      throw failed("no pipe for a worker can be made", piped)
    }
    defer { close(pipe[1]) }
    let output = WorkerOutput(descriptor: pipe[0])
    var arguments = [strdup(path), nil]
    // Nothing of the host's environment; a backtrace of a crash in a debug build would take seconds.
    var environment = [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for string in arguments + environment { free(string) } }
    var child = clinux_child(pidfd: -1, number: 0)
    let spawned = clinux_spawn(
      path, &arguments, &environment, [pipe[1], pipe[1], pair[1]], 3, firstDescriptor, &child)
    guard spawned == 0 else {
      close(pair[0])
      throw failed("the worker \(path) cannot be started", spawned)
    }
    return (WorkerProcess(child: child, output: output), pair[0])
  }

  /// Whether it still runs.
  var isRunning: Bool {
    state.withLock { if case .running(let child, _) = $0 { !Self.waits(child.pidfd, .zero) } else { false } }
  }

  /// Whether this host has killed it; if not, a SIGKILL came from somewhere else.
  var wasStopped: Bool { stopped.load(ordering: .acquiring) }

  /// Kills the worker if it still runs; `end` tells the rest.
  func kill() { signal(SIGKILL) }

  /// Sends a signal to the worker if it still runs.
  func signal(_ number: Int32) {
    state.withLock {
      guard case .running(let child, _) = $0 else { return }
      if number == SIGKILL { stopped.store(true, ordering: .releasing) }
      _ = clinux_signal(child.pidfd, number)
    }
  }

  /// Puts the worker into a control group of its own, or gives the one that it has other limits, before it has a bundle. One that gets none
  /// has its other limits.
  func enter(_ groups: WorkerGroups, limits: DriverLimits) {
    state.withLock { state in
      switch state {
      case .running(_, let group?): group.limit(limits)
      // It has not been taken away: its number is nobody else's.
      case .running(let child, nil): state = .running(child, groups.group(for: child.number, limits: limits))
      case .ended: break
      }
    }
  }

  /// Lets the worker use so much more CPU time from now on, and little more: what runs in it cannot change that, as it can
  /// change its own clock.
  func grantCPU(milliseconds: UInt32) {
    // Where the system allows no limit, the worker's own clock and the deadline of the exchange are left.
    state.withLock { if case .running(let child, _) = $0 { _ = clinux_grant_cpu(child, milliseconds) } }
  }

  /// Waits for the worker's own end as long as `patience` says, then kills it, and takes its remains away.
  package func end(patience: Duration) -> WorkerEnd {
    let pidfd = state.withLock { state -> Int32? in if case .running(let child, _) = state { child.pidfd } else { nil }
    }
    if let pidfd, !Self.waits(pidfd, patience) { kill() }
    return state.withLock { state in
      switch state {
      case .ended(let end): return end
      case .running(let child, let group):
        var how = clinux_exit()
        let reaped = clinux_reap(child.pidfd, 1, &how)
        close(child.pidfd)
        let wasFull = group?.end() == true
        let end: WorkerEnd =
          reaped != 0
          ? .unknown
          : how.how == 1
            ? .exited(how.code) : wasFull && how.code == SIGKILL ? .outOfMemory : .killed(signal: how.code)
        state = .ended(end)
        return end
      }
    }
  }

  private static func waits(_ pidfd: Int32, _ patience: Duration) -> Bool {
    let (seconds, attoseconds) = patience.components
    var child = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
    return poll(&child, 1, Int32(clamping: seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000)) == 1
  }

  private static func failed(_ what: String, _ status: Int32) -> DriverFault {
    DriverFault(
      .workerFailed, driver: WorkerLocation.name,
      message: "\(what); free memory or descriptors, or check its permissions",
      cause: String(cString: strerror(-status))
    )
  }
}
