/// Whose records come in, where they come from, and on what terms.
public struct IntakeContext: Sendable {
  /// The session in force when it began: what comes later than its end is refused.
  public var generation: SessionGeneration
  /// Whether there is a user. Nothing of the default user is ever delivered: its pictures would wait for ever, and are not kept.
  public let hasUser: Bool
  /// The driver family whose storage is written; empty where no driver has one.
  public let family: String
  /// What admission depends on beside the records.
  public let admission: AdmissionContext
  /// Hold what would be delivered until a person confirms it.
  public var asksFirst = false
  /// Whether no later read can have what this one does not take, because the meter only says it once.
  public var isHeardOnce = false

  /// A context in a session.
  public init(_ session: Session, family: String = "", admission: AdmissionContext) {
    generation = session.generation
    hasUser = session.user != nil
    self.family = family
    self.admission = admission
  }
}
