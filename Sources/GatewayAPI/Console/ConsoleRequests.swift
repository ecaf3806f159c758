/// Makes a link that opens the console once.
public struct ConsoleLinkRequest: ControlRequest {
  /// Where the console is reached.
  public struct Answer: Codable, Sendable, Hashable {
    /// The link. Whoever has it first has the console: it belongs on the person's screen and nowhere else.
    public var link: String
    /// After how many seconds it opens nothing any more.
    public var seconds: Int
    /// The Unix socket at which the console listens; nil where it listens on an address.
    public var socket: String?

    package init(link: String, seconds: Int, socket: String? = nil) {
      (self.link, self.seconds, self.socket) = (link, seconds, socket)
    }
  }

  /// Its name on the socket.
  public static let name = "console.link"

  /// Asks for a link.
  public init() {}
}

/// Sets the password of the console, or takes it away.
public struct ConsolePasswordRequest: ControlRequest {
  /// Whether there is a password now.
  public typealias Answer = Bool

  /// Its name on the socket.
  public static let name = "console.password"
  /// The same password twice is the same password.
  public static let isRepeatable = true
  /// The new password, 12 to 256 bytes; nil takes it away. Either closes the console in every browser.
  public var password: String?

  /// Sets a password.
  public init(_ password: String?) { self.password = password }
}
