public import Foundation

/// What happens during a read, as `--json` shows it: one object a line.
public struct ReadEventDescription: Sendable, Codable {
  /// What happens during a read.
  public enum Kind: String, Sendable, Codable {
    case started, connected, question, paired, ready, progress, provisional
    case meterFacts = "meter_facts"
    case shouldSubmit = "should_submit"
    case passkeyToEnter = "passkey_to_enter"
    case alreadyDelivered = "already_delivered"
    case completed, cancelled, failed
  }

  /// What happened.
  public var kind: Kind
  /// Text for the person.
  public var text: String?
  /// The meter's address.
  public var address: String?
  /// The meter's stable name, once it is connected.
  public var uuid: UUID?
  /// The meter's model.
  public var model: String?
  /// The name in the meter's advertisement.
  public var name: String?
  /// Progress.
  public var done: Int?
  /// Progress, where the whole is known.
  public var total: Int?
  /// What the meter says about itself.
  public var facts: MeterFactsDescription?
  /// Readings that are on disk.
  public var readings: [ReadingDescription]?
  /// At the end: how many readings were new.
  public var new: Int?
  /// At the end: how many readings have changed.
  public var revised: Int?
  /// At the end: how many readings were known already.
  public var duplicates: Int?
  /// At the end: ATT PDUs in both directions.
  public var pdus: Int?
  /// What the host refused.
  public var rejected: [String]?
  /// At the end: good readings that stay in the meter, by reason: before_assignment, outside_window, over_limit.
  public var left: [String: Int]?
  /// At the end: true when nobody can say since when the meter is the user's, because this machine's clock is not synchronised.
  public var sinceUnknown: Bool?
  /// At the end: names of the recordings that were written.
  public var recordings: [String]?
  /// What the person is asked.
  public var question: QuestionDescription?
  /// The meter that was paired.
  public var meter: PairedDescription?
  /// The error's stable name.
  public var code: String?

  private enum CodingKeys: String, CodingKey {
    case kind = "event"
    case text, address, uuid, model, name, done, total, facts, readings, new, revised, duplicates, pdus, rejected, left
    case sinceUnknown = "since_unknown"
    case recordings, question, meter, code
  }

  package init(kind: Kind) { self.kind = kind }
}
