import HostPrimitives
package import DriverContract

/// Keeps the lines that a driver logs: one line each, bounded in length, 100 a second (rule R16).
package struct DriverLog {
  package static let linesPerSecond = 100
  package static let longest = 1024

  private var lines: [DriverLogLine] = []
  private var windowStart: Int64?
  private var inWindow = 0
  private var dropped = 0

  /// Keeps a line, or counts it as dropped. `now`: monotonic nanoseconds.
  package mutating func append(level: Int32, bytes: UnsafeRawBufferPointer, now: Int64) {
    guard admits(now) else { return }
    let text = String(decoding: bytes.prefix(Self.longest), as: UTF8.self).oneLine(atMost: Self.longest)
    lines.append(DriverLogLine(level: DriverLogLevel(rawValue: level) ?? .info, message: text))
  }

  /// A line of the host itself about what the driver does, which counts as one of the driver's.
  package mutating func note(_ message: String, now: Int64) {
    if admits(now) { lines.append(DriverLogLine(level: .warning, message: message, isHosts: true)) }
  }

  /// Takes the lines since the last call.
  package mutating func take() -> [DriverLogLine] {
    guard dropped > 0 || !lines.isEmpty else { return [] }
    if dropped > 0 { lines.append(.dropped(dropped)) }
    dropped = 0
    defer { lines.removeAll() }
    return lines
  }

  private mutating func admits(_ now: Int64) -> Bool {
    if windowStart.map({ now &- $0 >= 1_000_000_000 }) ?? true {
      windowStart = now
      inWindow = 0
    }
    guard inWindow < Self.linesPerSecond else {
      dropped += 1
      return false
    }
    inWindow += 1
    return true
  }
}

extension DriverLogLine {
  /// Seconds of logging that one call may hand over: its wall time, and a little for what is already there.
  private static let mostSeconds = 11

  /// A worker's lines, which it bounds itself unless its driver has taken it over (rule R16).
  package static func bounded(_ lines: [DriverLogLine]) -> [DriverLogLine] {
    let most = mostSeconds * DriverLog.linesPerSecond
    let kept = lines.prefix(most).map {
      DriverLogLine(level: $0.level, message: $0.message.oneLine(atMost: DriverLog.longest), isHosts: $0.isHosts)
    }
    return lines.count > most ? kept + [.dropped(lines.count - most)] : kept
  }

  fileprivate static func dropped(_ count: Int) -> DriverLogLine {
    DriverLogLine(
      level: .warning, message: "\(count) lines dropped: more than \(DriverLog.linesPerSecond) a second [rule R16]",
      isHosts: true)
  }
}
