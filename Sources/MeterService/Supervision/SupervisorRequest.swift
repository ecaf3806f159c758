package import LinuxSockets

/// What systemd asks of the service that it has started, in its environment (sd_notify(3), sd_watchdog_enabled(3)).
package struct SupervisorRequest: Sendable, Hashable {
  /// Where systemd listens.
  package let systemd: ServiceNotification
  /// How long the service may be silent before systemd ends it; nil when it may be for ever.
  package let watchdog: Duration?

  package init(_ systemd: ServiceNotification, watchdog: Duration? = nil) {
    self.systemd = systemd
    self.watchdog = watchdog
  }

  /// Nil when nobody asks this process: it was started by a person, or systemd has asked its parent.
  ///
  /// - Parameter process: The id of this process.
  package init?(environment: [String: String], process: Int32) {
    guard let systemd = ServiceNotification(environment: environment) else { return nil }
    self.init(systemd, watchdog: Self.watchdog(environment, process))
  }

  private static func watchdog(_ environment: [String: String], _ process: Int32) -> Duration? {
    if let asked = environment["WATCHDOG_PID"], Int32(asked) != process { return nil }
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else { return nil }
    return .microseconds(microseconds)
  }
}
