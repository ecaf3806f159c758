public import Foundation

/// What happens during a read, as `--json` shows it: one object a line.
public struct ReadEventDescription: Sendable, Codable {
  /// What happens during a read. A later version may have more: they are kept by their names.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// Listening begins; the text says what to do before the read.
    public static let started = Kind(rawValue: "started")
    /// There is a link to the meter.
    public static let connected = Kind(rawValue: "connected")
    /// The person is asked.
    public static let question = Kind(rawValue: "question")
    /// The meter shares a key with this gateway from now on.
    public static let paired = Kind(rawValue: "paired")
    /// It is time to measure; the text says how.
    public static let ready = Kind(rawValue: "ready")
    /// Readings have come from the meter.
    public static let progress = Kind(rawValue: "progress")
    /// A value that is still moving has come.
    public static let provisional = Kind(rawValue: "provisional")
    /// The meter has said something of itself.
    public static let meterFacts = Kind(rawValue: "meter_facts")
    /// Readings are on disk.
    public static let shouldSubmit = Kind(rawValue: "should_submit")
    /// A number is to be entered at the meter; the text has it.
    public static let passkeyToEnter = Kind(rawValue: "passkey_to_enter")
    /// Passive reading was faster.
    public static let alreadyDelivered = Kind(rawValue: "already_delivered")
    /// The meter was read to its end.
    public static let completed = Kind(rawValue: "completed")
    /// The partner gave up.
    public static let cancelled = Kind(rawValue: "cancelled")
    /// The read ended before its time; code and text say why.
    public static let failed = Kind(rawValue: "failed")
    /// What this version tells.
    public static let allCases = [
      started, connected, question, paired, ready, progress, provisional, meterFacts, shouldSubmit, passkeyToEnter,
      alreadyDelivered, completed, cancelled, failed,
    ]

    /// The event's name.
    public let rawValue: String

    /// An event by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What happened; decides which of the other members there are.
  public var kind: Kind
  /// What to tell the person: instructions, a question, a number to enter, or why the read failed.
  public var text: String?
  /// The meter's Bluetooth address, of ``Kind/connected`` and ``Kind/paired``.
  public var address: String?
  /// The meter's stable UUID, of ``Kind/connected``.
  public var uuid: UUID?
  /// What the meter says of its model, of ``Kind/connected``; nil where it says nothing.
  public var model: String?
  /// The name in the meter's advertisement.
  public var name: String?
  /// How far the driver has come, or how many records are ``Kind/provisional``.
  public var done: Int?
  /// How far the driver has to come; nil where that is not known.
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
  /// At the end: what the host refused of what the driver put out, in words; nil for nothing.
  public var rejected: [String]?
  /// At the end: good readings that stay in the meter, by reason: before_assignment, outside_window, over_limit.
  public var left: [String: Int]?
  /// At the end: true when nobody can say since when the meter is the user's, because this machine's clock is not
  /// synchronised.
  public var sinceUnknown: Bool?
  /// At the end: names of the recordings that were written.
  public var recordings: [String]?
  /// What the person is asked.
  public var question: QuestionDescription?
  /// The meter that was paired.
  public var meter: PairedDescription?
  /// The error's stable name, of ``Kind/failed``.
  public var code: String?

  private enum CodingKeys: String, CodingKey {
    case kind = "event"
    case text, address, uuid, model, name, done, total, facts, readings, new, revised, duplicates, pdus, rejected, left
    case sinceUnknown = "since_unknown"
    case recordings, question, meter, code
  }

  package init(kind: Kind) { self.kind = kind }
}
