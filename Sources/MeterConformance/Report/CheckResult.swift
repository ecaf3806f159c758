/// What one check has found. One line of `--json`.
public struct CheckResult: Sendable, Hashable, Codable {
  /// The driver's id; nil: the bundle as a whole.
  public var driver: String?
  /// The rule of the driver contract that was looked at; of a failure the one that was broken, where the driver names
  /// another.
  public var rule: Rule
  /// The check's name within the rule, such as `small-sinks`.
  public var check: String
  /// How it ended.
  public var status: CheckStatus
  /// What was looked at, in a sentence.
  public var title: String
  /// Why there was nothing to check; only when it was skipped.
  public var reason: String?
  /// What the driver did, or did not.
  public var found: String?
  /// Where in the run: the meter, the event, the value.
  public var place: String?
  /// What the driver's author does about it; nil where nothing was found.
  public var mend: String?
  /// How to see it again.
  public var reproduction: Reproduction?
  /// How long it took.
  public var milliseconds: Int

  /// How to see a failure again.
  public struct Reproduction: Sendable, Hashable, Codable {
    /// A line for a shell that runs this one check with the same random bytes.
    public var command: String
    /// Where the random bytes began.
    public var seed: UInt64
    /// What the driver was handed, in order, up to the failure; the last one shows it.
    public var events: [String]
  }
}

extension CheckStatus {
  /// Whether the driver may not be shipped with it.
  public var isBad: Bool { self == .failed || self == .crashed }
}
