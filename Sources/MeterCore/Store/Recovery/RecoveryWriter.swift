internal import Crypto
internal import Foundation
internal import GRDB
import HostPrimitives

/// Writes a recovery file line by line; it is there, whole and on disk, only when ``finish()`` has returned.
struct RecoveryWriter: ~Copyable {
  private let folder: StateFolder
  private let name: String
  private var file: DurableFile
  private var hash = SHA256()
  private let encoder: JSONEncoder
  /// Deliveries of records and of images so far.
  private var lines = (records: 0, images: 0)
  /// Readings and images so far, each counted once however many receivers it has.
  private(set) var unsynced = (readings: 0, images: 0)
  /// Readings by the type of their record; those that cannot be read are `damaged`.
  private(set) var types: [String: Int] = [:]
  private var last: (reading: Int64?, image: Int64?)
  private var imageFile = ""
  /// Images that go again when the file does not come to its end.
  private var imageFiles: [String] = []

  /// Which readings a file keeps.
  enum Part {
    /// What not every receiver has accepted, with its images.
    case open
    /// What every receiver has, as far as a broker's word goes (``KeptRecords``).
    case kept
  }

  /// - Parameter file: The file, begun under `name`.
  init(_ folder: StateFolder, name: String, file: consuming DurableFile) {
    self.folder = folder
    self.name = name
    self.file = file
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Writes the head, and all deliveries of a user's that belong into the file.
  mutating func append(_ db: Database, of user: SessionUser, _ part: Part = .open) throws {
    var head = RecoveryFile.Head(version: RecoveryFile.currentVersion, user: user)
    if part == .kept { head.content = "readings that only a broker has acknowledged" }
    try append(head)
    let owner = user.ownerKey
    let belongs = part == .kept ? KeptRecords.condition : "state <> 'delivered'"
    let entries = try QueueEntry.fetchRows(
      db, where: "owner = ? AND \(belongs) ORDER BY record.id, sink", arguments: [owner])
    while let row = try entries.next() {
      var type = "damaged"
      // A single damaged record must not keep a session from ending, and the others from being kept.
      if let entry = try? QueueEntry(row), let line = RecoveryFile.Entry(entry) {
        try append(RecoveryFile.Line(record: line))
        type = line.record.type.rawValue
      } else {
        try append(
          RecoveryFile.Line(
            // Whatever can be read of it.
            damaged: RecoveryFile.Damaged(
              logID: (try? row["log_id"]) ?? "", revision: (try? row["revision"]) ?? 0, sink: (try? row["sink"]) ?? "",
              state: (try? row["state"]) ?? "", content: (try? row["content"]) ?? Data())))
      }
      lines.records += 1
      if try last.reading != row["position"] {
        unsynced.readings += 1
        types[type, default: 0] += 1
      }
      last.reading = try row["position"]
    }
    guard part == .open else { return }
    let images = try Row.fetchCursor(
      db,
      sql: """
        SELECT media.id AS id, log_id, checksum, content_type, content, sink, state, record_id
        FROM media JOIN media_delivery ON media = media.id
        WHERE owner = ? AND state <> 'delivered' ORDER BY media.id, sink
        """, arguments: [owner])
    while let row = try images.next() { try append(image: row) }
  }

  /// The image's bytes are on disk before the line that names them.
  private mutating func append(image row: Row) throws {
    guard let logID = LogID(try row["log_id"]), let type = RecordImage.ContentType(rawValue: try row["content_type"]),
      let state = ImageState(rawValue: try row["state"])
    else { throw StoreError(.corrupt, "an image cannot be read; run `meterhost doctor --repair`.") }
    if try last.image != row["id"] {
      unsynced.images += 1
      let stem = name.prefix { $0 != "." }
      imageFile = "\(stem)-\(unsynced.images).\(type.fileExtension)"
      imageFiles.append(imageFile)
      _ = try folder.writeDurably(Array(row["content"] as Data), folder: RecoveryFile.folder, name: imageFile)
    }
    last.image = try row["id"]
    try append(
      RecoveryFile.Line(
        image: RecoveryFile.Image(
          logID: logID, checksum: row["checksum"], contentType: type, file: imageFile, sink: row["sink"], state: state,
          recordID: row["record_id"])))
    lines.images += 1
  }

  /// Puts the file in its place.
  ///
  /// - Returns: Its path; nil when there was nothing to keep, and then there is no file.
  mutating func finish() throws(StoreError) -> String? {
    guard lines != (0, 0) else { return nil }
    let digest = hash.finalize().hexadecimal
    try append(
      RecoveryFile.Line(end: RecoveryFile.End(records: lines.records, images: lines.images, digest: digest)))
    let path = try file.finish()
    imageFiles = []
    return path
  }

  deinit { for name in imageFiles { folder.remove(name, of: RecoveryFile.folder) } }

  private mutating func append(_ line: some Encodable) throws(StoreError) {
    let bytes: Data
    do {
      bytes = try encoder.encode(line) + [UInt8(ascii: "\n")]
    } catch {
      throw StoreError(
        .recoveryFile, "the unsynced records cannot be written; the session has not ended.", cause: "\(type(of: error))"
      )
    }
    hash.update(data: bytes)
    try file.append(Array(bytes))
  }
}
