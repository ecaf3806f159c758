import Logging
import MeterCore
import Synchronization

/// What is logged, in a test that waits for it.
final class LogLines: Sendable {
  private struct State {
    var lines: [LogLine] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Logs everything.
  var logger: Logger {
    let all = LogSwitch()
    all.settings[.core] = .trace
    return Logger(label: "meterhost.core") { label in
      AreaLogHandler(label: label, obeying: all) { line in self.add(line) }
    }
  }

  var all: [LogLine] { state.withLock(\.lines) }

  private func add(_ line: LogLine) {
    let waiters = state.withLock { state in
      state.lines.append(line)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// The first line that fits, as soon as it is there.
  func first(_ fits: @Sendable (LogLine) -> Bool) async -> LogLine {
    while true {
      let (found, count) = state.withLock { ($0.lines.first(where: fits), $0.lines.count) }
      if let found { return found }
      await withCheckedContinuation { continuation in
        let isNew = state.withLock { state in
          if state.lines.count > count { return true }
          state.waiters.append(continuation)
          return false
        }
        if isNew { continuation.resume() }
      }
    }
  }
}
