import CMeterDriver

/// A storage write that takes effect with its event's unit.
struct PendingWrite {
  let key: StaticString
  let value: [UInt8]
}

// Storage (rule R23).
extension Output {
  /// Reads a key; sees this event's own writes. Keys begin with `user/` or `meter/`.
  ///
  /// - Returns: nil when there is none.
  /// - Throws: ``DriverError/denied`` when the host refuses.
  public func stored(_ key: StaticString) throws(DriverError) -> [UInt8]? {
    for write in writes.reversed() where write.key.isSame(as: key) {
      return write.value.isEmpty ? nil : write.value
    }
    return try host.get(key)
  }

  /// Writes a key together with this event's records, or not at all; empty bytes remove it.
  public mutating func store(_ value: [UInt8], as key: StaticString) {
    writes.append(PendingWrite(key: key, value: value))
  }

  /// Removes a key together with this event's records.
  public mutating func removeStored(_ key: StaticString) { store([], as: key) }
}

extension StaticString {
  func isSame(as other: StaticString) -> Bool {
    guard utf8CodeUnitCount == other.utf8CodeUnitCount else { return false }
    for index in 0..<utf8CodeUnitCount where utf8Start[index] != other.utf8Start[index] { return false }
    return true
  }
}

/// How urgent a log line is (`MH_LOG_*`).
public enum LogLevel: Int32 {
  /// The session cannot go on.
  case error = 1
  /// Something was refused or left out.
  case warning = 2
  /// A step of the session.
  case info = 3
  /// For the author.
  case debug = 4
}

extension Output {
  /// Writes a log line. Never put a health value, token or key in one.
  public func log(_ level: LogLevel, _ text: StaticString) {
    host.log(level, text.contractText)
  }

  /// Writes a log line that ends with a number: a sequence number, a response code, a count.
  public func log(_ level: LogLevel, _ text: StaticString, _ number: UInt64) {
    var line: [UInt8] = []
    line.reserveCapacity(text.utf8CodeUnitCount + 21)
    for index in 0..<text.utf8CodeUnitCount { line.append(text.utf8Start[index]) }
    line.append(UInt8(ascii: " "))
    let start = line.count
    var rest = number
    repeat {
      line.insert(UInt8(ascii: "0") + UInt8(rest % 10), at: start)
      rest /= 10
    } while rest > 0
    line.withUnsafeBytes { bytes in
      host.log(
        level, mh_str(p: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), n: UInt64(bytes.count)))
    }
  }
}
