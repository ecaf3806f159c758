/// Who the owner is.
public struct ServiceShowRequest: ControlRequest {
  /// What is known of the owner.
  public struct Answer: Codable, Sendable, Hashable {
    /// The number of its process.
    public var pid: Int32
    /// The semantic version of the MeterHost that it is.
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
