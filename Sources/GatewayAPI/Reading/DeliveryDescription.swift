/// What delivery has come to, as `--json` shows it.
public struct DeliveryDescription: Sendable, Codable, Hashable {
  /// Always "delivery".
  public var event = "delivery"
  /// How many were delivered during the last attempt.
  public var delivered: Int
  /// How many the receiver has refused for good.
  public var dead: Int
  /// How many still wait for it.
  public var waiting: Int
  /// Whether the receiver ended the session.
  public var sessionEnded: Bool
  /// Where the session's end has kept what was not delivered; nil when it goes on, or everything was.
  public var recoveryFile: String?
  /// What to do, for people, when the session has ended; else nil.
  public var hint: String?

  enum CodingKeys: String, CodingKey {
    case event, delivered, dead, waiting, hint
    case sessionEnded = "session_ended"
    case recoveryFile = "recovery_file"
  }

  package init(
    delivered: Int, dead: Int, waiting: Int, sessionEnded: Bool, recoveryFile: String? = nil, hint: String? = nil
  ) {
    self.delivered = delivered
    self.dead = dead
    self.waiting = waiting
    self.sessionEnded = sessionEnded
    self.recoveryFile = recoveryFile
    self.hint = hint
  }
}
