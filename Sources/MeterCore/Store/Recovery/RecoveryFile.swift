internal import Foundation

/// The file that keeps what a session's end would have destroyed, as JSON Lines: a head, a line for each delivery of a
/// record and of an image, and an end with the counts and the SHA-256 of all lines before it. It holds no token. Images
/// stand beside it in files of their own.
///
/// It is written and read line by line, because a queue may hold more than a gateway's memory.
enum RecoveryFile {
  static let folder = "recovery"
  static let currentVersion = 2
  /// Bytes of a line at most: a record's content with room for its delivery.
  static let lineLimit = 64 << 20

  /// The first line.
  struct Head: Codable {
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

  struct Entry: Codable {
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
  }

  /// The last line.
  struct End: Codable {
    let records: Int
    let images: Int
    /// SHA-256 of all bytes before this line, in hexadecimal.
    let digest: String
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
