/// How a person names a reading of the queue: by its log_id or, where it came under another reading's log_id with other
/// values, by that and its number: `0b0c7d5e-2a53-8f0e-9a77-6a2f5e3f2b10#1`.
public struct QueueName: Sendable, Hashable {
  /// The id under which the reading came.
  public let logID: LogID
  /// Which of the readings that came under the log_id of another one; nil for that one itself.
  public let suspect: Int?

  /// A name from its parts.
  public init(_ logID: LogID, suspect: Int? = nil) {
    self.logID = logID
    self.suspect = suspect
  }

  /// The name that a text spells; nil when it spells none.
  public init?(_ text: String) {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let logID = parts.first.flatMap({ LogID(String($0)) }) else { return nil }
    guard parts.count == 2 else {
      self.init(logID)
      return
    }
    guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]), number > 0 else {
      return nil
    }
    self.init(logID, suspect: number)
  }
}

extension QueueName: CustomStringConvertible {
  /// The log_id, and the number behind a number sign.
  public var description: String { suspect.map { "\(logID)#\($0)" } ?? logID.description }
}

extension QueueName: Codable {
  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let name = QueueName(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "this is no reading's name: a log_id, with # and a number behind it where the queue shows one"
      )
    }
    self = name
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension QueueEntry {
  /// How a person names the reading.
  public var name: QueueName {
    QueueName(logID, suspect: isSuspect ? revision : nil)
  }
}
