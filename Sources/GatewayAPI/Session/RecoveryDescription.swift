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
  /// The names of those receivers, in alphabetical order.
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

  package init(
    pending: Int, held: Int, known: Int, unplaced: Int, missingSinks: [String], damaged: Int, images: Int,
    imageProblems: [String]
  ) {
    self.pending = pending
    self.held = held
    self.known = known
    self.unplaced = unplaced
    self.missingSinks = missingSinks
    self.damaged = damaged
    self.images = images
    self.imageProblems = imageProblems
  }
}
