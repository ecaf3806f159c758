public import MeterCore

/// Sends everything again that receivers have refused for good.
public struct QueueResubmitRequest: ControlRequest {
  /// The readings that are sent again, or their images.
  public typealias Answer = [LogID]

  /// Its name on the socket.
  public static let name = "queue.resubmit"
  /// Only what was refused for this reason, such as `http-404`; nil for all.
  public var reason: String?

  /// Asks for everything, or what was refused for one reason.
  public init(reason: String? = nil) { self.reason = reason }
}
