import Foundation
import GatewayAPI

// Errors of backups and of restoring them.

extension GatewayError {
  /// What is there is no backup.
  static func noBackup(_ path: String) -> GatewayError {
    GatewayError(
      .usage, code: "backup_file", "\(path) is no backup of MeterHost", hint: "`meterhost backup FILE` makes one")
  }

  /// It was made by a version that this one does not know.
  static func backupVersion(_ path: String, _ version: Int) -> GatewayError {
    GatewayError(
      .failed, code: "backup_version",
      "\(path) is a backup in the format \(version), which this MeterHost does not know",
      hint: "install the version that made it, or a later one")
  }

  /// The first piece does not open: nothing tells a wrong passphrase from a changed front.
  static func wrongPassphrase(_ path: String) -> GatewayError {
    GatewayError(
      .failed, code: "backup_passphrase",
      "\(path) does not open: the passphrase is another one, or the front of the file was changed",
      hint: "try the passphrase again; if it is the right one, use another copy")
  }

  /// A piece does not open, or is missing, or the parts are not what the end says.
  static func backupDamaged(_ path: String, _ what: String) -> GatewayError {
    GatewayError(
      .failed, code: "backup_damaged", "\(path) is damaged: \(what)", hint: "use another copy, or an earlier backup")
  }

  /// A file of the backup's place cannot be read or written.
  static func backupIO(_ action: String, _ path: String, hint: String? = nil) -> GatewayError {
    let number = errno
    let isFull = number == ENOSPC || number == EDQUOT
    return GatewayError(
      .failed, code: isFull ? "disk_full" : "backup_io",
      "cannot \(action) \(path): \(String(cString: strerror(number)))",
      hint: isFull ? "make room, or give another place" : hint)
  }
}
