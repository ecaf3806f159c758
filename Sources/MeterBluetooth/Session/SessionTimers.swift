/// The timers of one session's driver. A timer that ran out while the driver's request waited for the disk is owed: it starts again.
struct SessionTimers: Sendable {
  private struct Timer: Sendable {
    let serial: UInt64
    let nanoseconds: UInt64
    /// It ran out while a request still waited for the disk.
    var isOwed = false
  }

  private var timers: [UInt64: Timer] = [:]
  private var lastSerial: UInt64 = 0

  var count: Int { timers.count }

  /// Starts a timer; one with the same token is replaced.
  mutating func start(_ token: UInt64, nanoseconds: UInt64) -> SessionMachine.Command {
    lastSerial += 1
    timers[token] = Timer(serial: lastSerial, nanoseconds: nanoseconds)
    return .startTimer(token: token, serial: lastSerial, nanoseconds: nanoseconds, from: .event)
  }

  mutating func cancel(_ token: UInt64) { timers[token] = nil }

  /// Whether this is the timer of its token, and was neither replaced nor stopped.
  func runs(_ token: UInt64, _ serial: UInt64) -> Bool { timers[token]?.serial == serial }

  /// The driver is about to hear of it; false when it was replaced or stopped meanwhile.
  mutating func take(_ token: UInt64, _ serial: UInt64) -> Bool {
    guard runs(token, serial) else { return false }
    timers[token] = nil
    return true
  }

  /// It ran out before the request was sent: ``restartOwed()`` starts it again with its whole time.
  mutating func owe(_ token: UInt64) { timers[token]?.isOwed = true }

  /// Starts what is owed.
  mutating func restartOwed() -> [SessionMachine.Command] {
    let owed = timers.filter(\.value.isOwed).sorted { $0.key < $1.key }
    return owed.map { token, timer in
      timers[token]?.isOwed = false
      return .startTimer(token: token, serial: timer.serial, nanoseconds: timer.nanoseconds, from: .now)
    }
  }
}
