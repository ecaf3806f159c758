import DriverContract

/// The first thing in which what a driver put out differs from what it put out before.
struct UnitDifference {
  /// Index of the event.
  let index: Int
  let words: String

  /// nil when all is the same. Log lines do not count: they are for people.
  init?(_ expected: [DriverUnit], _ found: [DriverUnit]) {
    for (index, (before, after)) in zip(expected, found).enumerated() {
      guard let words = Self.words(before, after) else { continue }
      self.index = index
      self.words = words
      return
    }
    guard expected.count != found.count else { return nil }
    index = min(expected.count, found.count)
    words = "the session ended after \(found.count) events, before it took \(expected.count)"
  }

  private static func words(_ before: DriverUnit, _ after: DriverUnit) -> String? {
    if before.status != after.status { return "event returned \(after.status), before \(before.status)" }
    if before.records != after.records {
      guard before.records.count == after.records.count else {
        return "\(after.records.count) records came, before \(before.records.count)"
      }
      let (old, new) = zip(before.records, after.records).first { $0 != $1 } ?? (before.records[0], after.records[0])
      return "a record differs in its \(field(old, new))"
    }
    if before.actions != after.actions {
      return "the actions are \(after.actions.map(\.word)), before \(before.actions.map(\.word))"
    }
    if before.writes != after.writes {
      return
        "the keys written are \(after.writes.map(\.key)), before \(before.writes.map(\.key)), or hold something else"
    }
    return nil
  }

  private static func field(_ old: DriverRecord, _ new: DriverRecord) -> String {
    if old.identity != new.identity || old.identityClass != new.identityClass { return "identity" }
    if old.startMicroseconds != new.startMicroseconds || old.endMicroseconds != new.endMicroseconds
      || old.timeKind != new.timeKind || old.utcOffsetSeconds != new.utcOffsetSeconds
    {
      return "time"
    }
    if old.values != new.values { return "values (\(list(new.values)), before \(list(old.values)))" }
    if old.texts != new.texts { return "texts" }
    if old.deviceSequence != new.deviceSequence { return "sequence number" }
    if old.flags != new.flags { return "flags" }
    return "kind, user or group"
  }

  private static func list(_ values: [DriverValue]) -> String {
    values.map { "\($0.metric)=\($0.raw)e\($0.exponent)" }.joined(separator: " ")
  }
}

extension DriverAction {
  /// What it is called in messages.
  var word: String {
    switch self {
    case .subscribe(let handle, _): "subscribe \(handle)"
    case .unsubscribe(let handle, _): "unsubscribe \(handle)"
    case .read(let handle, _): "read \(handle)"
    case .write(let handle, let value, _): "write \(handle) of \(value.count) bytes"
    case .writeNoResponse(let handle, let value): "write-no-response \(handle) of \(value.count) bytes"
    case .exchangeMTU(let mtu, _): "mtu \(mtu)"
    case .pair: "pair"
    case .timer(let token, _): "timer \(token)"
    case .cancelTimer(let token): "cancel-timer \(token)"
    case .ready: "ready"
    case .progress: "progress"
    case .askUser: "ask-user"
    case .finish: "finish"
    case .fail(let code, let subcode, _): "fail \(code) \(subcode)"
    }
  }

  /// The handle that it names; nil when it names none.
  var handle: UInt16? {
    switch self {
    case .subscribe(let handle, _), .unsubscribe(let handle, _), .read(let handle, _), .write(let handle, _, _),
      .writeNoResponse(let handle, _):
      handle
    default: nil
    }
  }
}
