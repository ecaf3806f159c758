internal import Foundation
internal import Glibc
import HostPrimitives
internal import Logging

/// The system's journal, which keeps a line's area and fields apart from its text (systemd's native journal protocol,
/// systemd.io/JOURNAL_NATIVE_PROTOCOL).
package final class JournalLog: Sendable {
  private let socket: Int32

  /// Where journald listens.
  package static let address = "/run/systemd/journal/socket"

  /// The journal, if standard error goes there: systemd then says so in `JOURNAL_STREAM` (systemd.exec(5)).
  package static func ofStandardError(environment: [String: String]) -> JournalLog? {
    isStandardError(environment: environment) ? JournalLog(address: address) : nil
  }

  /// Whether lines of standard error become lines of the journal.
  package static func isStandardError(environment: [String: String]) -> Bool {
    var status = stat()
    guard let stream = environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }

  /// What a line begins with by which the journal knows its priority where it comes as text (sd-daemon(3)).
  package static func prefix(of line: LogLine) -> String { "<\(priority(line.level))>" }

  /// A journal that listens at a path; nil when nobody does.
  package init?(address path: String) {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) == 0 }
    }
    guard isConnected else { return nil }
  }

  deinit { if socket >= 0 { close(socket) } }

  /// Writes a line.
  ///
  /// - Returns: Whether the journal has taken it; a line of more than a datagram is refused.
  @discardableResult
  package func write(_ line: LogLine) -> Bool {
    let bytes = Self.datagram(line)
    return bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
  }

  /// The line in the journal's form: `NAME=text`, or with the length in front where the text has line breaks.
  static func datagram(_ line: LogLine) -> [UInt8] {
    var bytes: [UInt8] = []
    append("PRIORITY", "\(priority(line.level))", to: &bytes)
    append("SYSLOG_IDENTIFIER", "meterhost", to: &bytes)
    append("METERHOST_AREA", line.area.rawValue, to: &bytes)
    for (name, text) in line.fields.sorted(by: { $0.key < $1.key }) { append(fieldName(name), text, to: &bytes) }
    append("MESSAGE", line.message, to: &bytes)
    return bytes
  }

  private static func append(_ name: String, _ text: String, to bytes: inout [UInt8]) {
    bytes += Array(name.utf8)
    if text.utf8.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      bytes.append(littleEndian: UInt64(text.utf8.count))
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += Array(text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Upper-case ASCII letters, digits and underscores, as the journal has them.
  private static func fieldName(_ name: String) -> String {
    let letters = name.uppercased().unicodeScalars.map { scalar in
      ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
    }
    return "METERHOST_" + String(letters.prefix(50))
  }

  /// syslog(3)'s priorities.
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}
