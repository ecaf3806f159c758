import Foundation
import GatewayAPI
import HostPrimitives

/// A folder for the database of a backup that is looked at; it goes with the value. Its lock tells what a killed process has left.
final class VerifyingFolder {
  let path: String
  private let lock: Int32

  private static let prefix = "meterhost-verify-"

  /// - Throws: ``GatewayError`` with code `backup_io` or `disk_full`.
  init() throws(GatewayError) {
    let place = NSTemporaryDirectory()
    Self.removeLeftOver(in: place)
    let folder = "\(place)/\(Self.prefix)\(UUID().uuidString.prefix(12).lowercased())"
    path = "\(folder)/state"
    guard mkdir(folder, 0o700) == 0 else {
      throw .backupIO("make", folder, hint: "name a folder for temporary files with TMPDIR")
    }
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw .backupIO("lock", folder, hint: "name a folder for temporary files with TMPDIR")
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    close(lock)
  }

  private static func removeLeftOver(in place: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = "\(place)/\(name)"
      // Everybody may write there: what belongs to others is left alone.
      let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard lock >= 0 else { continue }
      defer { close(lock) }
      let owner = FileStatus(of: lock)?.owner
      guard owner == geteuid(), flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
}
