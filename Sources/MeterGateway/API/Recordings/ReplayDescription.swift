import DriverContract
import MeterDrivers

/// What a replay has come to, as `--json` shows it.
public struct ReplayDescription: Sendable, Codable, Hashable {
  /// A fault.
  public struct Fault: Sendable, Codable, Hashable {
    /// Its stable name.
    public var code: String
    /// The rule that was broken, when it is known.
    public var rule: String?
    /// What happened.
    public var message: String

    init(_ fault: DriverFault) {
      (code, rule, message) = (fault.code.rawValue, fault.rule, fault.message)
    }
  }

  /// The recording's name or path.
  public var recording: String
  /// The driver's id.
  public var driver: String
  /// The bundle that ran.
  public var bundle: String
  /// Its SHA-256.
  public var sha256: String
  /// Whether it is the recorded one.
  public var sameBundle: Bool
  /// `identical`, `identical_so_far`, `differs`, `fault_again`, `fault_gone` or `ran`.
  public var outcome: String
  /// `none`, `driver`, `machine` or `undecided`.
  public var verdict: String
  /// The event where it happened; 0 is the opening.
  public var event: Int?
  /// How many events the driver was handed.
  public var events: Int
  /// What is unlike, or what the fault says.
  public var words: [String]
  /// The fault of the replay.
  public var fault: Fault?
  /// The recorded fault.
  public var recordedFault: Fault?
  /// The records that came out; of an imported capture, or when they were asked for.
  public var records: [DecodeAnswer.Record]?

  enum CodingKeys: String, CodingKey {
    case recording, driver, bundle, sha256, outcome, verdict, event, events, words, fault, records
    case sameBundle = "same_bundle"
    case recordedFault = "recorded_fault"
  }

  /// - Parameter entry: The driver in this registry, if it is there.
  init(
    _ report: ReplayReport, recording: String, driver: String, entry: DriverEntry?, bundle: VerifiedBundle,
    withRecords: Bool
  ) {
    self.recording = recording
    self.driver = driver
    self.bundle = bundle.path
    sha256 = "\(bundle.hash)"
    sameBundle = report.isSameBundle
    outcome = report.outcome.rawValue
    verdict = report.verdict.rawValue
    event = report.event
    events = report.events
    words = report.words
    fault = report.fault.map(Fault.init)
    recordedFault = report.recordedFault.map(Fault.init)
    if withRecords || report.outcome == .ran {
      records = report.records.map { DecodeAnswer.Record($0, driver: entry) }
    }
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
