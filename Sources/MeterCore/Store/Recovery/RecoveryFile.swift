internal import Foundation

/// The file that keeps what a session's end would have destroyed, as JSON Lines: a head, a line for each delivery of a
/// record and of an image, and an end with the counts and the SHA-256 of all lines before it. It holds no token. Images
/// stand beside it in files of their own.
///
/// A person reads `reading` of a line, which has names and units; the host reads `record`, which has every digit and code that the
/// reading's name and content were made of. Files of versions 1 and 2 have no `reading`, and are read back as well.
///
/// It is written and read line by line, because a queue may hold more than a gateway's memory.
enum RecoveryFile {
  static let folder = "recovery"
  static let currentVersion = 3
  /// The version before, whose lines are those of ``OldRecoveryForm``.
  static let oldVersion = 2
  /// Bytes of a line at most: a record's content with room for its delivery.
  static let lineLimit = 64 << 20

  /// The first line.
  struct Head: Codable {
    /// What the file is, for a person who finds it; nil in files of version 2.
    var content: String? = "readings that a session's end has left undelivered"
    let version: Int
    let user: SessionUser
  }

  /// Any later line; exactly one member is there.
  struct Line: Codable {
    var record: Entry?
    var damaged: Damaged?
    var image: Image?
    var end: End?
  }

  struct Entry {
    let record: Record
    let revision: Int
    let sink: String
    let state: DeliveryState
    let reason: String?
    let lastError: String?
  }

  /// A record whose content is not what was committed, for somebody who can read it.
  struct Damaged: Codable {
    let logID: String
    let revision: Int
    let sink: String
    let state: String
    let content: Data

    enum CodingKeys: String, CodingKey {
      case revision, sink, state, content
      case logID = "log_id"
    }
  }

  struct Image: Codable {
    let logID: LogID
    let checksum: String
    let contentType: RecordImage.ContentType
    /// The file's name, in the folder of this file.
    let file: String
    let sink: String
    let state: ImageState
    /// The receiver's id of the record, once it had accepted that.
    let recordID: String?

    enum CodingKeys: String, CodingKey {
      case checksum, file, sink, state
      case logID = "log_id"
      case contentType = "content_type"
      case recordID = "record_id"
    }
  }

  /// The last line.
  struct End: Codable {
    let records: Int
    let images: Int
    /// SHA-256 of all bytes before this line, in hexadecimal.
    let digest: String
  }
}

extension RecoveryFile.Entry: Codable {
  private enum CodingKeys: String, CodingKey {
    case reading, record, revision, sink, state, reason
    case lastError = "last_error"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // What is there for people is not believed.
    self.init(
      record: try container.decode(Record.self, forKey: .record),
      revision: try container.decode(Int.self, forKey: .revision),
      sink: try container.decode(String.self, forKey: .sink),
      state: try container.decode(DeliveryState.self, forKey: .state),
      reason: try container.decodeIfPresent(String.self, forKey: .reason),
      lastError: try container.decodeIfPresent(String.self, forKey: .lastError))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(RecoveryReading(record), forKey: .reading)
    try container.encode(record, forKey: .record)
    try container.encode(revision, forKey: .revision)
    try container.encode(sink, forKey: .sink)
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(lastError, forKey: .lastError)
  }
}

extension RecoveryFile.Entry {
  init?(_ entry: QueueEntry) {
    guard let record = entry.record else { return nil }
    self.init(
      record: record, revision: entry.revision, sink: entry.sink, state: entry.state, reason: entry.reason,
      lastError: entry.lastError)
  }
}
