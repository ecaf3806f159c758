/// What came of an import, as `--json` shows it. It holds no health value.
public struct HealthImportDescription: Sendable, Codable, Hashable {
  /// Samples that did not count.
  public struct Refusal: Sendable, Codable, Hashable {
    /// Why, as a stable word.
    public var reason: String
    /// How many.
    public var count: Int
    /// Where the first one stands: an offset in the document, or what is wrong with the first record.
    public var first: String

    package init(reason: String, count: Int, first: String) {
      self.reason = reason
      self.count = count
      self.first = first
    }
  }

  /// Something that an earlier export had and this one should have.
  public struct Vanished: Sendable, Codable, Hashable {
    /// The record's name.
    public var logID: String
    /// What it is: `sleep`, `workout`, or what was measured.
    public var kind: String
    /// When it began, RFC 3339 in UTC.
    public var start: String

    enum CodingKeys: String, CodingKey {
      case logID = "log_id"
      case kind, start
    }

    package init(logID: String, kind: String, start: String) {
      self.logID = logID
      self.kind = kind
      self.start = start
    }
  }

  /// Its number, by which it can be asked for later; nil for one that did not begin.
  public var number: Int64?
  /// The export as it was named.
  public var file: String
  /// `done`; `partial`: something of the export is missing or damaged; `known`: the same bytes were imported before; `failed`.
  public var state: String
  /// The driver's family, such as `apple-health`.
  public var format: String?
  /// The driver that has read it.
  public var driver: String?
  /// When the export was written, RFC 3339 in UTC; nil where it does not say so.
  public var exported: String?
  /// When the import began, RFC 3339 in UTC.
  public var began: String?
  /// Samples by the export's name of the type.
  public var samples: [String: Int] = [:]
  /// Records by their type that are in the queue and were not there before.
  public var new: [String: Int] = [:]
  /// Records by their type that have changed.
  public var revised: [String: Int] = [:]
  /// Those of both that are held, by the reason.
  public var held: [String: Int] = [:]
  /// Records that are as they were.
  public var unchanged = 0
  /// Records that stay as a newer or more complete export has told them.
  public var kept = 0
  /// Samples that were not known; only of what comes in pieces.
  public var newSamples: Int?
  /// What did not count and why, the first place of each.
  public var refusals: [Refusal] = []
  /// Measurements that no record can hold, by what was measured.
  public var withoutForm: [String: Int] = [:]
  /// Sums of a damaged export, which are never delivered.
  public var withheldSums = 0
  /// What the export should have and has not; at most 1,000.
  public var vanished: [Vanished] = []
  /// How many have vanished.
  public var vanishedCount = 0
  /// How many days' sums differ by more than a twentieth from the export's own summary.
  public var differences = 0
  /// Why it failed; nil for one that did not.
  public var error: GatewayError.Written?

  enum CodingKeys: String, CodingKey {
    case number, file, state, format, driver, exported, began, samples, new, revised, held, unchanged, kept
    case refusals, vanished, differences, error
    case newSamples = "new_samples"
    case withoutForm = "without_form"
    case withheldSums = "withheld_sums"
    case vanishedCount = "vanished_count"
  }

  /// An import of which nothing is known yet.
  package init(file: String, state: String) {
    self.file = file
    self.state = state
  }

  /// How many records are new or have changed.
  public var accepted: Int { new.values.reduce(0, +) + revised.values.reduce(0, +) }
  /// How many records were known.
  public var duplicates: Int { unchanged + kept }
  /// How many samples and records did not count, those apart that were there twice.
  public var refused: Int { refusals.filter { $0.reason != "duplicate" }.reduce(0) { $0 + $1.count } }
}
