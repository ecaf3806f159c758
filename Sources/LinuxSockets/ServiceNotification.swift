import Glibc

/// Where systemd hears how a service does (sd_notify(3)): a datagram of `NAME=VALUE` lines to the socket that it names.
///
/// ```swift
/// let systemd = ServiceNotification(environment: ProcessInfo.processInfo.environment)
/// systemd?.send(.ready, .status("listening on 127.0.0.1:8080"))
/// ```
package struct ServiceNotification: Sendable, Hashable {
  /// What a service says.
  package enum Message: Sendable, Hashable {
    /// It does what it was started for.
    case ready
    /// It ends.
    case stopping
    /// It works: the sign of life that a watchdog wants.
    case works
    /// One line for people, which `systemctl status` shows.
    case status(String)

    fileprivate var line: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .works: "WATCHDOG=1"
      // A line break inside the text would begin a line of another meaning.
      case .status(let text):
        "STATUS=" + String(String.UnicodeScalarView(text.unicodeScalars.map { Self.breaks.contains($0) ? " " : $0 }))
      }
    }

    private static let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\0"]
  }

  /// The variable with the socket's name.
  private static let variable = "NOTIFY_SOCKET"

  /// A path, or a name in the abstract namespace behind `@`.
  package let address: String

  /// Nil without the variable, and with one that is no such name: then nobody listens.
  package init?(environment: [String: String]) { self.init(address: environment[Self.variable, default: ""]) }

  /// Nil for what is no path from the root and no abstract name, and for what is too long for a socket.
  package init?(address: String) {
    let name = Array(address.utf8)
    let capacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    guard let first = name.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first),
      (2..<capacity).contains(name.count), !name.contains(0)
    else { return nil }
    self.address = address
  }

  /// Sends one datagram and waits for nobody.
  ///
  /// - Returns: Whether it was taken. A service goes on where it was not: its supervisor sees the process itself.
  @discardableResult
  package func send(_ messages: Message...) -> Bool {
    let bytes = Array(messages.map(\.line).joined(separator: "\n").utf8)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var name = Array(address.utf8)
    // An abstract name begins with a zero byte and ends where its length says; a path ends with its zero byte.
    if address.hasPrefix("@") { name[0] = 0 } else { name.append(0) }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
    let head = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: target.sun_path)
    let length = socklen_t(head + name.count)
    let sent = withUnsafePointer(to: target) { target in
      target.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, length)
      }
    }
    return sent == bytes.count
  }
}
