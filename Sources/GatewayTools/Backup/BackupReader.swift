import Crypto
import Foundation
import GatewayAPI
import HostPrimitives
import MeterCore

/// Reads a backup part by part. It believes no name and no number that the backup says before it was checked: who knows the
/// passphrase can have written anything.
struct BackupReader {
  /// What a backup has.
  struct Contents {
    var start: BackupStart
    var key: [UInt8]?
    var parts: [BackupEnd.Part]
    /// Bytes of the file.
    var bytes: Int64
  }

  private let path: String
  private let source: BackupSource

  init(_ path: String, _ passphrase: BackupPassphrase) throws(GatewayError) {
    self.init(path, try BackupSource(path, passphrase))
  }

  init(_ path: String, _ source: BackupSource) { (self.path, self.source) = (path, source) }

  /// Reads all of it.
  ///
  /// - Parameters:
  ///   - target: Where the parts go.
  ///   - takesFiles: Whether all parts are written; else only the database is, and of the others only the sum is formed.
  ///   - progress: Hears how many bytes of the file were read, and how many there are, and may end the work.
  /// - Throws: ``GatewayError``; `StoreError` of the target.
  func read(into target: RestoredParts, takesFiles: Bool, progress: (Int64, Int64) throws -> Void) throws -> Contents {
    let start: BackupStart = try text()
    guard start.format == BackupStart.format else { throw GatewayError.backupVersion(path, start.format) }
    var contents = Contents(start: start, key: nil, parts: [], bytes: source.size)
    // By their bytes: to the system two spellings of a letter are two names.
    var names: Set<[UInt8]> = []
    while true {
      let head: BackupPartHead = try text()
      if let end = head.end {
        try finish(end, contents, names)
        return contents
      }
      let (part, size) = try checked(head, &names)
      let taken = try take(part, size, into: part == .database || takesFiles ? target : nil) {
        try progress(source.position, source.size)
      }
      if part == .key { contents.key = taken.bytes }
      contents.parts.append(BackupEnd.Part(part: part.name, size: size, sha256: taken.sha256))
    }
  }

  private func finish(_ end: BackupEnd, _ contents: Contents, _ names: Set<[UInt8]>) throws(GatewayError) {
    guard try source.isAtEnd() else { throw .backupDamaged(path, "there is more behind its end") }
    guard end.parts == contents.parts else { throw .backupDamaged(path, "its parts are not those that its end names") }
    guard names.contains(Array(BackupPart.database.name.utf8)) else {
      throw .backupDamaged(path, "no database is in it")
    }
    guard (contents.key != nil) == contents.start.hasKey else {
      throw .backupDamaged(path, "its front and its parts do not agree about the key")
    }
  }

  private func checked(
    _ head: BackupPartHead, _ names: inout Set<[UInt8]>
  ) throws(GatewayError) -> (BackupPart, Int64) {
    guard let name = head.part, let size = head.size, let part = BackupPart(name: name) else {
      throw .backupDamaged(path, "a part has no name that a backup may have")
    }
    let most = part == .key ? BackupLimits.key : BackupLimits.part
    guard (0...most).contains(size), part != .key || size == most else {
      throw .backupDamaged(path, "a part cannot have \(size) bytes")
    }
    guard names.count < BackupLimits.parts, names.insert(Array(name.utf8)).inserted else {
      throw .backupDamaged(path, "a part is there twice, or there are too many")
    }
    return (part, size)
  }

  /// - Returns: The sum of the bytes, and of the key the bytes themselves.
  private func take(
    _ part: BackupPart, _ size: Int64, into target: RestoredParts?, _ progress: () throws -> Void
  ) throws -> (sha256: String, bytes: [UInt8]) {
    var hash = SHA256()
    if part == .key {
      let bytes = try source.take(Int(size))
      hash.update(data: bytes)
      return (Array(hash.finalize()).hexadecimal, bytes)
    }
    try target?.begin(part)
    var left = size
    while left > 0 {
      let piece = try source.some(Int(min(left, 1 << 20)))
      hash.update(data: piece)
      try target?.append(Array(piece))
      left -= Int64(piece.count)
      try progress()
    }
    try target?.end()
    return (Array(hash.finalize()).hexadecimal, [])
  }

  private func text<Value: Decodable>() throws(GatewayError) -> Value {
    let length = try source.take(4).reduce(0) { $0 << 8 | Int($1) }
    guard (1...BackupLimits.text).contains(length) else { throw .backupDamaged(path, "a text in it is too long") }
    let bytes = try source.take(length)
    do { return try JSONDecoder().decode(Value.self, from: Data(bytes)) } catch {
      throw .backupDamaged(path, "a text in it cannot be read")
    }
  }
}
