import Glibc

/// Tells systemd how a service is doing: a datagram of `NAME=VALUE` lines to the socket that it names (sd_notify(3)).
///
/// ```swift
/// let service = ServiceNotification(environment: ProcessInfo.processInfo.environment)
/// service?.send(["READY=1", "STATUS=listening on 127.0.0.1:8080"])
/// ```
package struct ServiceNotification: Sendable {
  /// The variable with the socket's path; `@` in front stands for the NUL of an abstract name.
  private static let variable = "NOTIFY_SOCKET"

  private let address: [UInt8]
  private let isAbstract: Bool

  /// Where nobody listens there is nothing to tell: nil without the variable, and with one that is no such name.
  package init?(environment: [String: String]) {
    let name = Array(environment[Self.variable, default: ""].utf8)
    let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    guard let first = name.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first),
      (2..<capacity).contains(name.count),
      !name.contains(0)
    else { return nil }
    isAbstract = first == UInt8(ascii: "@")
    address = isAbstract ? [0] + name.dropFirst() : name
  }

  /// Sends lines such as `READY=1`, `STATUS=...`, `WATCHDOG=1` and `STOPPING=1` in one datagram.
  ///
  /// A line break inside a line would begin another one, and becomes a blank.
  ///
  /// - Returns: Whether the datagram was taken. A service goes on where it was not: its supervisor sees the process itself.
  @discardableResult
  package func send(_ lines: [String]) -> Bool {
    let text = lines.map { String($0.map { $0.isNewline ? " " : $0 }) }.joined(separator: "\n")
    let bytes = Array(text.utf8)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
    // An abstract name ends where its length says, a path with its NUL.
    let prefix = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: target.sun_path)
    let length = socklen_t(prefix + address.count + (isAbstract ? 0 : 1))
    let sent = withUnsafePointer(to: target) { target in
      target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
    return sent == bytes.count
  }
}
