/// Keeps the lines that a driver logs: one line each, bounded in length, 100 a second (rule R16).
struct DriverLog {
  static let linesPerSecond = 100
  static let longest = 1024

  private var lines: [DriverLogLine] = []
  private var windowStart: Int64?
  private var inWindow = 0
  private var dropped = 0

  /// Keeps a line, or counts it as dropped. `now`: monotonic nanoseconds.
  mutating func append(level: Int32, bytes: UnsafeRawBufferPointer, now: Int64) {
    if windowStart.map({ now &- $0 >= 1_000_000_000 }) ?? true {
      windowStart = now
      inWindow = 0
    }
    guard inWindow < Self.linesPerSecond else {
      dropped += 1
      return
    }
    inWindow += 1
    lines.append(DriverLogLine(level: DriverLogLevel(rawValue: level) ?? .info, message: Self.oneLine(bytes)))
  }

  /// A line of the host itself, beside the driver's.
  mutating func note(_ message: String) {
    lines.append(DriverLogLine(level: .warning, message: message, isHosts: true))
  }

  /// Takes the lines since the last call.
  mutating func take() -> [DriverLogLine] {
    guard dropped > 0 || !lines.isEmpty else { return [] }
    if dropped > 0 { note("\(dropped) lines dropped: more than \(Self.linesPerSecond) a second [rule R16]") }
    dropped = 0
    defer { lines.removeAll() }
    return lines
  }

  /// Repairs UTF-8 and keeps control characters from forging lines of the host's log.
  private static func oneLine(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes.prefix(longest), as: UTF8.self)
    guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }))
  }
}
