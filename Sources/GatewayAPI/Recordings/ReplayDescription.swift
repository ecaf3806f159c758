/// What a replay has come to, as `--json` shows it.
public struct ReplayDescription: Sendable, Codable, Hashable {
  /// What a driver did wrong: it crashed, hung or broke a rule.
  public struct Fault: Sendable, Codable, Hashable {
    /// Its stable name.
    public var code: String
    /// The rule that was broken, when it is known.
    public var rule: String?
    /// What happened.
    public var message: String

    package init(code: String, rule: String? = nil, message: String) {
      self.code = code
      self.rule = rule
      self.message = message
    }
  }

  /// The recording's name or path.
  public var recording: String
  /// The driver's id.
  public var driver: String
  /// The path of the bundle that ran.
  public var bundle: String
  /// The SHA-256 of the bundle that ran, in hexadecimal.
  public var sha256: String
  /// Whether it is the recorded one.
  public var sameBundle: Bool
  /// `identical`, `identical_so_far`, `differs`, `fault_again`, `fault_gone` or `ran`.
  public var outcome: String
  /// Who is to blame for the recorded fault: `driver`, `machine` or `undecided`; `none` where none was recorded.
  public var verdict: String
  /// The number of the event where it happened, from 1, or 0 for the opening; nil where nothing did.
  public var event: Int?
  /// How many events the driver was handed.
  public var events: Int
  /// What is unlike, or what the fault says.
  public var words: [String]
  /// What the driver did wrong in the replay; nil for nothing.
  public var fault: Fault?
  /// What ended the session that was recorded; nil: it was in order, or is a capture.
  public var recordedFault: Fault?
  /// The records that came out; of an imported capture, or when they were asked for.
  public var records: [DecodeAnswer.Record]?

  enum CodingKeys: String, CodingKey {
    case recording, driver, bundle, sha256, outcome, verdict, event, events, words, fault, records
    case sameBundle = "same_bundle"
    case recordedFault = "recorded_fault"
  }

  package init(
    recording: String, driver: String, bundle: String, sha256: String, sameBundle: Bool, outcome: String,
    verdict: String, event: Int? = nil, events: Int, words: [String], fault: Fault? = nil, recordedFault: Fault? = nil,
    records: [DecodeAnswer.Record]? = nil
  ) {
    self.recording = recording
    self.driver = driver
    self.bundle = bundle
    self.sha256 = sha256
    self.sameBundle = sameBundle
    self.outcome = outcome
    self.verdict = verdict
    self.event = event
    self.events = events
    self.words = words
    self.fault = fault
    self.recordedFault = recordedFault
    self.records = records
  }

  /// One sentence for people.
  public var summary: String {
    let place = event.map { $0 == 0 ? "when it was opened" : "at event \($0)" } ?? ""
    return switch outcome {
    case "identical": "identical: all \(events) events gave the same bytes"
    case "identical_so_far":
      "identical so far: \(events) recorded events gave the same bytes, and the session's end is not in the recording"
    case "fault_again":
      sameBundle
        ? "the fault comes again \(place): it is the driver's" : "the fault comes with this bundle, too, \(place)"
    case "fault_gone":
      sameBundle
        ? "the fault does not come again \(place): it was the machine's, or chance"
        : "this bundle gets past the fault \(place)"
    case "ran": "the driver read the capture: \(records?.count ?? 0) records out of \(events) events"
    default: "differs \(place)"
    }
  }
}
