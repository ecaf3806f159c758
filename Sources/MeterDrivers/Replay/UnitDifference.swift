import DriverContract
import HostPrimitives

/// What is unlike in two units, in words for people.
enum UnitDifference {
  /// The first few differences; the host's own log lines do not count.
  static func words(recorded: DriverUnit, replayed: DriverUnit) -> [String] {
    var words: [String] = []
    if recorded.status != replayed.status {
      words.append("event returned \(replayed.status), recorded \(recorded.status)")
    }
    words += lists("record", recorded.records, replayed.records, record)
    words += lists("action", recorded.actions, replayed.actions) { ["is \(short($1)), recorded \(short($0))"] }
    words += lists("write to storage", recorded.writes, replayed.writes) { old, new in
      [old.key == new.key ? "of \(new.key) has other content" : "is to \(new.key), recorded \(old.key)"]
    }
    words += lists("log line", recorded.logs.filter { !$0.isHosts }, replayed.logs.filter { !$0.isHosts }) { old, new in
      ["says \"\(new.message.prefix(80))\", recorded \"\(old.message.prefix(80))\""]
    }
    return Array(words.prefix(8))
  }

  private static func lists<Element: Equatable>(
    _ name: String, _ recorded: [Element], _ replayed: [Element], _ words: (Element, Element) -> [String]
  ) -> [String] {
    var found: [String] = []
    if recorded.count != replayed.count {
      found.append("\(replayed.count) \(name)\(replayed.count == 1 ? "" : "s"), recorded \(recorded.count)")
    }
    for (index, (old, new)) in zip(recorded, replayed).enumerated() where old != new {
      return found + words(old, new).map { "\(name) \(index + 1) \($0)" }
    }
    return found
  }

  private static func record(_ old: DriverRecord, _ new: DriverRecord) -> [String] {
    var words: [String] = []
    func compare<Value: Equatable>(_ name: String, _ path: KeyPath<DriverRecord, Value>) {
      if old[keyPath: path] != new[keyPath: path] {
        words.append("has \(name) \(short(new[keyPath: path])), recorded \(short(old[keyPath: path]))")
      }
    }
    compare("kind", \.kind)
    compare("flags", \.flags.rawValue)
    compare("user slot", \.deviceUser)
    compare("kind of time", \.timeKind)
    compare("start", \.startMicroseconds)
    compare("end", \.endMicroseconds)
    compare("sequence number", \.deviceSequence)
    compare("UTC offset", \.utcOffsetSeconds)
    compare("group", \.group)
    if old.identity != new.identity {
      words.append("has identity \(new.identity.hexadecimal), recorded \(old.identity.hexadecimal)")
    }
    compare("identity class", \.identityClass)
    words += lists("value", old.values, new.values) { old, new in
      ["is \(number(new)), recorded \(number(old))"]
    }
    words += lists("text", old.texts, new.texts) { old, new in
      ["is \"\(new.text.prefix(80))\" (\(new.field)), recorded \"\(old.text.prefix(80))\" (\(old.field))"]
    }
    return words
  }

  private static func number(_ value: DriverValue) -> String {
    "\(value.raw)e\(value.exponent) of metric \(value.metric) in unit \(value.unit)"
      + (value.qualifier == .exact ? "" : " (\(value.qualifier))") + (value.isRounded ? " (rounded)" : "")
  }

  private static func short(_ value: some Any) -> String { String("\(value)".prefix(120)) }
}
