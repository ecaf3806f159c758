internal import Crypto
internal import Foundation
internal import GRDB

/// The file that keeps what a session's end would have destroyed (C4). It holds no token. Images stand beside it in files
/// of their own.
struct RecoveryFile: Codable {
  struct Entry: Codable {
    let record: Record
    let revision: Int
    let sink: String
    let state: DeliveryState
    let reason: String?
    let lastError: String?
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

  let version: Int
  let user: SessionUser
  let entries: [Entry]
  /// Nil in files of versions that had no images.
  let images: [Image]?
  /// SHA-256 of all else, so that a damaged file is told from a good one; nil in files of earlier versions.
  private(set) var digest: String?

  static let folder = "recovery"
  static let currentVersion = 1

  init(user: SessionUser, entries: [QueueEntry], images: [Image]) {
    version = Self.currentVersion
    self.user = user
    self.entries = entries.compactMap { entry in
      entry.record.map {
        Entry(
          record: $0, revision: entry.revision, sink: entry.sink, state: entry.state, reason: entry.reason,
          lastError: entry.lastError)
      }
    }
    self.images = images.isEmpty ? nil : images
  }

  /// SHA-256 of everything but the digest itself.
  private func computedDigest() throws -> String {
    var content = self
    content.digest = nil
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(SHA256.hash(data: try encoder.encode(content))).hexadecimal
  }

  /// Whether nothing was changed since it was written: the file as a whole, and each reading's content.
  var isIntact: Bool {
    guard digest == nil || (try? computedDigest()) == digest else { return false }
    return entries.allSatisfy { $0.record.isIntact }
  }

  func bytes() throws(StoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    do {
      var file = self
      file.digest = try computedDigest()
      return Array(try encoder.encode(file))
    } catch {
      throw StoreError(
        .recoveryFile, "the unsynced records cannot be written; the session has not ended.", cause: "\(error)")
    }
  }
}

extension MeterStore {
  /// Writes images into files of the recovery folder, one at a time, each on disk before the next.
  func keepImages(_ images: [ImageEntry], beside name: String) throws(StoreError) -> [RecoveryFile.Image] {
    var files: [Int64: String] = [:]
    var kept: [RecoveryFile.Image] = []
    for image in images {
      let found = try reading { db in
        try Row.fetchOne(
          db,
          sql: """
            SELECT content, record_id FROM media JOIN media_delivery ON media = media.id
            WHERE media.id = ? AND sink = ?
            """, arguments: [image.position, image.sink])
      }
      guard let row = found else { continue }
      let stem = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
      let file = files[image.position] ?? "\(stem)-\(files.count + 1).\(image.contentType.fileExtension)"
      if files.updateValue(file, forKey: image.position) == nil {
        _ = try stateFolder.writeDurably(Array(row["content"] as Data), folder: RecoveryFile.folder, name: file)
      }
      kept.append(
        RecoveryFile.Image(
          logID: image.logID, checksum: image.checksum, contentType: image.contentType, file: file, sink: image.sink,
          state: image.state, recordID: row["record_id"]))
    }
    return kept
  }
}
