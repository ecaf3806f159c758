public import Foundation

/// Whose records come in, where they come from, and on what terms.
public struct IntakeContext: Sendable {
  /// The session in force when it began: what comes later than its end is refused.
  public var generation: SessionGeneration
  /// Whether there is a user. Nothing of the default user is ever delivered: its pictures would wait for ever, and are not kept.
  public let hasUser: Bool
  /// The driver family whose storage is written; empty where no driver has one.
  package let family: String
  /// What admission depends on beside the records.
  package let admission: AdmissionContext
  /// Hold what would be delivered until a person confirms it.
  package var asksFirst = false
  /// Whether no later read can have what this one does not take, because the meter only says it once.
  package var isHeardOnce = false

  /// A context in a session, for what a program's own driver has read of a meter that is its user's.
  ///
  /// - Parameters:
  ///   - family: The driver's, whose storage is written; empty where it has none.
  ///   - meter: Whose records they are; names them together with what the meter says of each.
  ///   - source: What a receiver is told of the meter.
  ///   - zone: The user's, for a meter that shows a time without an offset; nil: the gateway's.
  public init(
    _ session: Session, family: String = "", meter: MeterIdentity, source: RecordSource, zone: TimeZone? = nil
  ) {
    self.init(
      session, family: family,
      admission: AdmissionContext(
        meter: meter, source: source, gatewayZone: .gateway, userZone: zone, body: session.body))
  }

  package init(_ session: Session, family: String = "", admission: AdmissionContext) {
    generation = session.generation
    hasUser = session.user != nil
    self.family = family
    self.admission = admission
  }
}
