import CMeterDriver

/// One key of storage that the driver wrote (rule R23).
public struct DriverStorageWrite: Sendable, Hashable {
  /// The key, beginning with "user/" or "meter/".
  public var key: String
  /// The new content; empty removes the key.
  public var value: [UInt8]

  /// Makes a write.
  public init(key: String, value: [UInt8]) {
    self.key = key
    self.value = value
  }
}

/// How important a line of the log is (`MH_LOG_*`).
public enum DriverLogLevel: Int32, Sendable, Hashable, CaseIterable {
  case error = 1
  case warning
  case info
  case debug
}

/// One line that the driver logged, in one line of valid UTF-8.
public struct DriverLogLine: Sendable, Hashable {
  /// How important it is.
  public var level: DriverLogLevel
  /// The words.
  public var message: String
  /// The host's own line beside the driver's; no part of what a replay compares.
  public var isHosts: Bool

  /// Makes a line.
  public init(level: DriverLogLevel, message: String, isHosts: Bool = false) {
    self.level = level
    self.message = message
    self.isHosts = isHosts
  }
}

/// The output of one event: taken whole or not at all (rule R25). Rounds after `MH_E_FULL` are merged (rule R13).
public struct DriverUnit: Sendable, Hashable {
  /// What `event` returned: `MH_OK`; `MH_E_PROTOCOL`: the bytes were refused; `MH_E_UNSUPPORTED`: the driver does not know the
  /// event, and the unit is empty; anything else ended the session.
  public var status: Int32
  /// Records in the order in which the driver put them out.
  public var records: [DriverRecord]
  /// Actions in order, 32 at most.
  public var actions: [DriverAction]
  /// Keys to commit together with the records; the last write of each key.
  public var writes: [DriverStorageWrite]
  /// Lines for the log.
  public var logs: [DriverLogLine]
  /// Set by the host's session: the meter has indicated records, and may forget each as soon as it is confirmed. What is
  /// not taken then is in no meter any more.
  public var meterMayForget = false

  /// Makes a unit.
  public init(
    status: Int32 = 0, records: [DriverRecord] = [], actions: [DriverAction] = [], writes: [DriverStorageWrite] = [],
    logs: [DriverLogLine] = []
  ) {
    self.status = status
    self.records = records
    self.actions = actions
    self.writes = writes
    self.logs = logs
  }

  /// Whether the session may be handed another event.
  public var sessionGoesOn: Bool {
    guard status == MH_OK || status == MH_E_PROTOCOL || status == MH_E_UNSUPPORTED else { return false }
    return !actions.contains { if case .fail = $0 { true } else { false } }
  }
}
