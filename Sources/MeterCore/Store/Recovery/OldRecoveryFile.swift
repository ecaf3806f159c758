internal import Crypto
internal import Foundation
import HostPrimitives

/// A recovery file of version 1: one JSON text, which has to be read as a whole.
struct OldRecoveryFile: Codable {
  let version: Int
  let user: SessionUser
  let entries: [OldRecoveryForm.Entry]
  /// Nil in files that were written before there were images.
  let images: [OldRecoveryForm.Image]?
  /// SHA-256 of all else; nil in the first files.
  private var digest: String?

  /// Bytes of such a file at most: it is read into memory.
  private static let sizeLimit = 512 << 20

  init(reading file: URL) throws {
    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    guard size <= Self.sizeLimit else { throw StoreError(.recoveryFile, "\(file.path) is too large.") }
    self = try JSONDecoder().decode(OldRecoveryFile.self, from: Data(contentsOf: file))
    guard version == 1 else { throw RecoveryReader.otherVersion(file, version) }
    guard try digest == nil || computedDigest() == digest, entries.allSatisfy({ $0.record.isIntact }) else {
      throw RecoveryReader.changed(file)
    }
  }

  private func computedDigest() throws -> String {
    var content = self
    content.digest = nil
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return SHA256.hash(data: try encoder.encode(content)).hexadecimal
  }
}
