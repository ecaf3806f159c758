public import MeterCore

/// What reading a recovery file back has come to, as `--json` shows it.
public struct RecoveryDescription: Sendable, Codable, Hashable {
  /// How many readings are delivered from now on.
  public var pending: Int
  /// How many wait for a person again, or are never delivered, as before.
  public var held: Int
  /// How many were known already.
  public var known: Int
  /// How many are still to go to receivers that are not set up.
  public var unplaced: Int
  /// Their names, in order.
  public var missingSinks: [String]
  /// How many were damaged before they came into the file.
  public var damaged: Int
  /// How many images are delivered from now on.
  public var images: Int
  /// Images that could not be taken, each with the reason.
  public var imageProblems: [String]

  enum CodingKeys: String, CodingKey {
    case pending, held, known, unplaced, damaged, images
    case missingSinks = "missing_sinks"
    case imageProblems = "image_problems"
  }

  /// Describes a summary.
  public init(_ summary: RecoverySummary) {
    pending = summary.pending.count
    held = summary.held.count
    known = summary.known.count
    unplaced = summary.unplaced.count
    missingSinks = summary.missingSinks.sorted()
    damaged = summary.damaged.count
    images = summary.images
    imageProblems = summary.imageProblems
  }
}
