internal import Crypto
internal import Foundation
internal import Glibc
import HostPrimitives

/// Reads a recovery file line by line. Nothing is handed out before the whole file was found to be what was written.
struct RecoveryReader {
  /// Whose readings it holds.
  let user: SessionUser

  private let file: URL
  private let old: OldRecoveryFile?
  /// Of the lines; of a file without lines the current one.
  private let version: Int

  /// - Throws: ``StoreError/Code/recoveryFile`` for a file that is none, of another version, or was changed.
  init(_ file: URL) throws(StoreError) {
    self.file = file
    do {
      var lines = try LineReader(file)
      guard let first = try lines.next() else { throw Self.damaged(file, "it is empty") }
      if let head = try? JSONDecoder().decode(RecoveryFile.Head.self, from: first) {
        guard [RecoveryFile.oldVersion, RecoveryFile.currentVersion].contains(head.version) else {
          throw Self.otherVersion(file, head.version)
        }
        (user, old, version) = (head.user, nil, head.version)
        try Self.verify(&lines, first: first, version, file)
      } else {
        let old = try OldRecoveryFile(reading: file)
        (user, self.old, version) = (old.user, old, RecoveryFile.currentVersion)
      }
    } catch let error as StoreError {
      throw error
    } catch let error as DecodingError {
      throw Self.damaged(file, error.place)
    } catch {
      throw StoreError(
        .recoveryFile, "\(file.path) cannot be read; check path and owner.", cause: error.localizedDescription)
    }
  }

  /// Hands out the deliveries of records in the file's order.
  func forEachEntry(_ body: (RecoveryFile.Entry) throws -> Void) throws {
    if let old { return try old.entries.forEach { try body($0.current) } }
    try forEachLine { line in if let entry = line.record { try body(entry) } }
  }

  /// Hands out the names of records that were damaged before they came here, once for each delivery.
  func forEachDamaged(_ body: (String) throws -> Void) throws {
    guard old == nil else { return }
    try forEachLine { line in if let damaged = line.damaged { try body(damaged.logID) } }
  }

  /// Hands out the deliveries of images in the file's order.
  func forEachImage(_ body: (RecoveryFile.Image) throws -> Void) throws {
    if let old { return try (old.images ?? []).forEach { try body($0.current) } }
    try forEachLine { line in if let image = line.image { try body(image) } }
  }

  private func forEachLine(_ body: (RecoveryFile.Line) throws -> Void) throws {
    var lines = try LineReader(file)
    _ = try lines.next()
    while let text = try lines.next() {
      guard let line = try? RecoveryFile.Line(text, version: version) else { throw Self.changed(file) }
      try body(line)
    }
  }

  /// Reads all lines once: each reading must be intact, and the end must say what was there.
  private static func verify(_ lines: inout LineReader, first: Data, _ version: Int, _ file: URL) throws {
    var hash = SHA256()
    var counts = (records: 0, images: 0)
    var end: RecoveryFile.End?
    hash.update(data: first + [UInt8(ascii: "\n")])
    while let text = try lines.next() {
      let line = try RecoveryFile.Line(text, version: version)
      guard end == nil,
        [line.record == nil, line.damaged == nil, line.image == nil, line.end == nil].count(where: { !$0 }) == 1
      else {
        throw damaged(file, "a line is none")
      }
      end = line.end
      guard end == nil else { continue }
      hash.update(data: text + [UInt8(ascii: "\n")])
      if let entry = line.record {
        guard entry.record.isIntact else { throw changed(file) }
        counts.records += 1
      } else if line.damaged != nil {
        counts.records += 1
      } else {
        counts.images += 1
      }
    }
    guard let end else { throw damaged(file, "its end is missing") }
    guard hash.finalize().hexadecimal == end.digest, counts == (end.records, end.images) else {
      throw changed(file)
    }
  }

  private static func damaged(_ file: URL, _ cause: String) -> StoreError {
    StoreError(
      .recoveryFile, "\(file.path) is no recovery file, or is damaged; give one of the folder \(RecoveryFile.folder).",
      cause: cause)
  }

  static func otherVersion(_ file: URL, _ version: Int) -> StoreError {
    StoreError(
      .recoveryFile, "\(file.path) was written by another version of MeterHost (\(version)); use that one.")
  }

  static func changed(_ file: URL) -> StoreError {
    StoreError(
      .recoveryFile, "\(file.path) was changed since it was written, so its readings cannot be trusted; use a copy.")
  }
}

/// The lines of a file, each without its end; one that is too long is an error.
struct LineReader {
  private let handle: FileHandle
  private let file: URL
  private var buffer = Data()
  private var isAtEnd = false

  private static let pieceSize = 256 << 10

  init(_ file: URL) throws {
    self.file = file
    do throws(StoreError) {
      guard let descriptor = try PlainFile.openIfThere(file.path, O_RDONLY, followsLinks: true) else {
        throw StoreError(.recoveryFile, "\(file.path) is not there; check the path.")
      }
      handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    } catch {
      throw StoreError(.recoveryFile, error.message, cause: error.cause)
    }
  }

  mutating func next() throws -> Data? {
    var searched = buffer.startIndex
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[buffer.startIndex..<end]
        buffer = buffer[(end + 1)...]
        return Data(line)
      }
      guard !isAtEnd else {
        defer { buffer = Data() }
        return buffer.isEmpty ? nil : Data(buffer)
      }
      guard buffer.count <= RecoveryFile.lineLimit else {
        throw StoreError(.recoveryFile, "\(file.path) is no recovery file: a line of it is too long.")
      }
      let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
      isAtEnd = piece.isEmpty
      // What was read before goes, so that the buffer holds a line and not the file.
      buffer = Data(buffer) + piece
      searched = buffer.index(buffer.endIndex, offsetBy: -piece.count)
    }
  }
}

extension QueueEntry {
  init(_ entry: RecoveryFile.Entry, position: Int64 = 0) {
    self.init(
      position: position, record: entry.record, logID: entry.record.logID,
      isSuspect: entry.record.flags.contains(.identitySuspect), revision: entry.revision, sink: entry.sink,
      state: entry.state, reason: entry.reason, attempts: 0, nextTryMicroseconds: nil, lastError: entry.lastError,
      receiverID: nil)
  }
}

extension DecodingError {
  /// Where a text does not fit; never what stands there.
  var place: String {
    let context: DecodingError.Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    let path = (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }
    return path.isEmpty ? "the text as a whole" : path.joined(separator: ".")
  }
}
