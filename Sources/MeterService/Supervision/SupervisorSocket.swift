import Glibc

/// The socket at which systemd hears how a service does (sd_notify(3)).
///
///     let systemd = SupervisorSocket(address: "/run/systemd/notify")
///     systemd.send(.ready, .status("2 meters paired"))
struct SupervisorSocket: Sendable {
  /// What a service says.
  enum Message: Sendable, Equatable {
    /// It does what it was started for.
    case ready
    /// It ends.
    case stopping
    /// It works.
    case works
    /// One line for people, which `systemctl status` shows.
    case status(String)

    var text: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .works: "WATCHDOG=1"
      case .status(let line): "STATUS=\(line)"
      }
    }
  }

  /// A path, or a name in the abstract namespace behind `@`.
  let address: String

  /// Sends one datagram and waits for nobody.
  ///
  /// - Returns: Whether it was taken.
  @discardableResult
  func send(_ messages: Message...) -> Bool {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var path = Array(address.utf8)
    guard !path.isEmpty, path.count < MemoryLayout.size(ofValue: name.sun_path) else { return false }
    // An abstract name begins with a zero byte and has the length that the address has.
    let isAbstract = path[0] == UInt8(ascii: "@")
    if isAbstract { path[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
    let head = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: name.sun_path)
    let size = socklen_t(head + path.count + (isAbstract ? 0 : 1))
    let bytes = Array(messages.map(\.text).joined(separator: "\n").utf8)
    let sent = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, size)
      }
    }
    return sent == bytes.count
  }
}
