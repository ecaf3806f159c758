public import MeterBluetooth
public import MeterCore

/// What happens during a read, as `--json` shows it: one object a line.
public struct ReadEventDescription: Sendable, Encodable {
  /// The event's name: started, connected, question, paired, ready, progress, provisional, meter_facts, should_submit,
  /// completed, cancelled, failed.
  public var event: String
  /// Text for the person.
  public var text: String?
  /// The meter's address.
  public var address: String?
  /// The meter's model.
  public var model: String?
  /// Progress.
  public var done: Int?
  /// Progress, where the whole is known.
  public var total: Int?
  /// What the meter says about itself.
  public var facts: MeterFacts?
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
  /// What the person is asked.
  public var question: QuestionDescription?
  /// The meter that was paired.
  public var meter: PairedDescription?
  /// The error's stable name.
  public var code: String?

  /// Describes an event.
  public init(_ event: ReadEvent) {
    switch event {
    case .started(let instructions): (self.event, text) = ("started", instructions)
    case .connected(let meter):
      (self.event, address, model) = ("connected", meter.address, meter.information.model)
    case .question(let question):
      (self.event, text, self.question) = ("question", question.prompt, QuestionDescription(question))
    case .paired(let meter): (self.event, address, self.meter) = ("paired", meter.address, PairedDescription(meter))
    case .ready(let instructions): (self.event, text) = ("ready", instructions)
    case .progress(let done, let total): (self.event, self.done, self.total) = ("progress", done, total)
    case .provisional(let records): (self.event, done) = ("provisional", records.count)
    case .meterFacts(let facts): (self.event, self.facts) = ("meter_facts", facts)
    case .shouldSubmit(let records):
      (self.event, readings) = ("should_submit", records.map(ReadingDescription.init))
    case .completed(let summary):
      self.event = "completed"
      add(summary)
    case .cancelled(let summary):
      self.event = "cancelled"
      add(summary)
    case .failed(let error, let summary):
      (self.event, code, text) = ("failed", error.code.rawValue, error.message)
      add(summary)
    }
  }

  private mutating func add(_ summary: ReadSummary) {
    new = summary.records.count
    revised = summary.revised.count
    duplicates = summary.duplicates
    pdus = summary.pdus
    rejected = summary.rejected.isEmpty ? nil : summary.rejected
    left =
      summary.left.isEmpty
      ? nil : Dictionary(summary.left.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }
}

/// What delivery has come to, as `--json` shows it.
public struct DeliveryDescription: Sendable, Encodable {
  /// Always "delivery".
  public var event = "delivery"
  /// Delivered during the last attempt.
  public var delivered: Int
  /// Refused by the receiver for good.
  public var dead: Int
  /// Still waiting.
  public var waiting: Int
  /// Whether the receiver ended the session.
  public var sessionEnded: Bool

  enum CodingKeys: String, CodingKey {
    case event, delivered, dead, waiting
    case sessionEnded = "session_ended"
  }

  /// Describes a report.
  public init(_ report: DrainReport) {
    (delivered, dead, waiting, sessionEnded) = (report.delivered, report.dead, report.waiting, report.sessionEnded)
  }
}
