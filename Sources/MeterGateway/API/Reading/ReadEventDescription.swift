public import Foundation
public import MeterBluetooth
public import MeterCore

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

  /// Describes an event.
  public init(_ event: ReadEvent) {
    switch event {
    case .started(let instructions): (kind, text) = (.started, instructions)
    case .connected(let meter):
      (kind, address, model) = (.connected, meter.address, meter.information.model)
      (name, uuid) = (meter.name, meter.identity.peripheralUUID)
    case .question(let question):
      (kind, text, self.question) = (.question, question.prompt, QuestionDescription(question))
    case .passkeyToEnter(let number):
      (kind, text) = (.passkeyToEnter, "Enter \(PasskeyText.digits(number)) at the meter.")
    case .paired(let meter): (kind, address, self.meter) = (.paired, meter.address, PairedDescription(meter))
    case .ready(let instructions): (kind, text) = (.ready, instructions)
    case .progress(let done, let total): (kind, self.done, self.total) = (.progress, done, total)
    case .provisional(let records): (kind, done) = (.provisional, records.count)
    case .meterFacts(let facts): (kind, self.facts) = (.meterFacts, facts)
    case .shouldSubmit(let records):
      (kind, readings) = (.shouldSubmit, records.map(ReadingDescription.init))
    case .completed(let summary):
      kind = .completed
      add(summary)
    case .alreadyDelivered(let summary):
      (kind, readings) = (.alreadyDelivered, (summary.records + summary.revised).map(ReadingDescription.init))
      add(summary)
    case .cancelled(let summary):
      kind = .cancelled
      add(summary)
    case .failed(let error, let summary):
      (kind, code, text) = (.failed, error.code.rawValue, error.message)
      add(summary)
    }
  }

  private mutating func add(_ summary: ReadSummary) {
    new = summary.records.count
    revised = summary.revised.count
    duplicates = summary.duplicates
    pdus = summary.pdus
    rejected = summary.rejected.isEmpty ? nil : summary.rejected
    sinceUnknown = summary.isSinceUnknown ? true : nil
    recordings = summary.recordings.isEmpty ? nil : summary.recordings
    left =
      summary.left.isEmpty
      ? nil : Dictionary(summary.left.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: +)
  }
}

/// What delivery has come to, as `--json` shows it.
public struct DeliveryDescription: Sendable, Codable, Hashable {
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
  /// Where the session's end has kept what was not delivered; nil when it goes on, or everything was.
  public var recoveryFile: String?
  /// What to do when the session has ended.
  public var hint: String?

  enum CodingKeys: String, CodingKey {
    case event, delivered, dead, waiting, hint
    case sessionEnded = "session_ended"
    case recoveryFile = "recovery_file"
  }

  /// Describes a report.
  ///
  /// - Parameter end: The session's end meanwhile; nil when it goes on.
  public init(_ report: DrainReport, end: HostEvent.SessionEnd? = nil) {
    (delivered, dead, waiting) = (report.delivered, report.dead, report.waiting)
    sessionEnded = report.sessionEnded || end?.reason == .tokenRefused
    guard sessionEnded else { return }
    recoveryFile = end?.recoveryFile
    hint =
      "start the session again with a new token"
      + (recoveryFile.map { ", then `meterhost session recover \($0)`" } ?? "")
  }
}
