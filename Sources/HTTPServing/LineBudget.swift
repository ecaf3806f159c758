package import HostPrimitives
import Synchronization

/// Bounds what strangers can write into a log: a few lines of a kind in a minute, and the number of those that were left out.
package final class LineBudget: Sendable {
  private struct Minute {
    var begun: HostInstant
    var lines = 0
    var leftOut = 0
  }

  private let lines: Int
  private let clock: any HostClock
  private let minutes = Mutex<[String: Minute]>([:])

  /// - Parameter lines: How many of a kind in a minute.
  package init(lines: Int = 20, clock: any HostClock = .system) { (self.lines, self.clock) = (lines, clock) }

  /// - Parameter kind: One of a few; each is remembered.
  /// - Returns: nil when the line is to be left out, else how many of its kind were before it.
  package func take(_ kind: String) -> Int? {
    let now = clock.now
    return minutes.withLock { minutes in
      var minute = minutes[kind] ?? Minute(begun: now)
      defer { minutes[kind] = minute }
      if now - minute.begun >= .seconds(60) { (minute.begun, minute.lines) = (now, 0) }
      guard minute.lines < lines else {
        minute.leftOut += 1
        return nil
      }
      minute.lines += 1
      defer { minute.leftOut = 0 }
      return minute.leftOut
    }
  }
}
