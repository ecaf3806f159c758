import Glibc
import Synchronization
import UnixSignals

/// Ctrl-C and SIGTERM, as a cancellation. A second one ends the process at once: what is on disk is whole at every moment.
package final class Interruption: Sendable {
  private let count = Mutex(0)

  /// Whether the process has been interrupted.
  package var isRaised: Bool { count.withLock { $0 > 0 } }

  private func raise() {
    let times = count.withLock { count in
      count += 1
      return count
    }
    if times > 1 { exit(130) }
  }

  /// Blocks the signals in the thread that calls it; for the main thread, before anything runs beside it.
  ///
  /// libdispatch hears signals through a descriptor, and blocks them in threads of its own. One that comes before the main
  /// thread has become such a thread would kill the process.
  package static func prepare(hearsHangup: Bool = false) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] + (hearsHangup ? [SIGHUP] : []) { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Runs a body until it ends or the process is interrupted; an interruption is an orderly end.
  package static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await run(onHangup: nil, body)
  }

  /// As ``run(_:)``, of a process that may be told to read its files anew.
  ///
  /// - Parameter onHangup: What SIGHUP does; nil leaves it the end of the process, as a terminal that is closed means it.
  package static func run(
    onHangup: (@Sendable () -> Void)?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm] + (onHangup == nil ? [] : [.sighup]))
    let interruption = Interruption()
    let work = Task { try await body() }
    let watcher = Task {
      for await signal in signals {
        if signal == .sighup {
          onHangup?()
        } else {
          interruption.raise()
          work.cancel()
        }
      }
    }
    defer { watcher.cancel() }
    do {
      try await work.value
    } catch  where interruption.isRaised {
      // Ending was asked for; how the body puts it does not matter.
      return
    }
  }

  /// Calls an action at the first interruption while a body runs. An interruption may come before the body has anything to
  /// cancel; it can ask.
  package static func whileRunning<Result: Sendable>(
    onInterrupt: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (Interruption) async throws -> Result
  ) async throws -> Result {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let interruption = Interruption()
    let watcher = Task {
      for await _ in signals {
        interruption.raise()
        onInterrupt()
      }
    }
    defer { watcher.cancel() }
    return try await body(interruption)
  }
}
