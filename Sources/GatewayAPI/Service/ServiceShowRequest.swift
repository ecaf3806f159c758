/// Who the owner is.
public struct ServiceShowRequest: ControlRequest {
  /// What is known of the owner.
  public struct Answer: Codable, Sendable, Hashable {
    /// Its process.
    public var pid: Int32
    /// Its version.
    public var version: String

    package init(pid: Int32, version: String) {
      self.pid = pid
      self.version = version
    }
  }

  /// Its name on the socket.
  public static let name = "service.show"

  /// Asks who it is.
  public init() {}
}
