public import MeterCore

/// Sends everything again that receivers have refused for good, or whose content has stayed after its delivery.
public struct QueueResubmitRequest: ControlRequest {
  /// The readings that are sent again, or their images.
  public typealias Answer = [LogID]

  /// Its name on the socket.
  public static let name = "queue.resubmit"
  /// Only what was refused for this reason, such as `http-404`; nil for all.
  public var reason: String?
  /// Whether what was delivered and is kept is sent again, instead of what was refused: what only a broker has acknowledged, as after it
  /// has lost what it had.
  public var kept: Bool

  /// Asks for everything that was refused, or for one reason.
  public init(reason: String? = nil) { (self.reason, kept) = (reason, false) }

  /// Asks for what was delivered and is kept.
  public static var kept: QueueResubmitRequest {
    var request = QueueResubmitRequest()
    request.kept = true
    return request
  }

  private enum CodingKeys: String, CodingKey { case reason, kept }

  /// Reads a request; what is left out has its default.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    reason = try container.decodeIfPresent(String.self, forKey: .reason)
    kept = try container.decode(.kept, else: false)
  }
}
