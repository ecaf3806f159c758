import Foundation

/// The key of the vault that was sealed to this machine for systemd to hand over (systemd.exec(5), `LoadCredentialEncrypted=`). A host
/// takes it before the one in its state folder.
enum SealedKey {
  /// Where systemd looks for it.
  static let folders = ["/etc", "/run", "/usr/local/lib", "/usr/lib"].map { "\($0)/credstore.encrypted" }

  /// The file of the one that is there; nil: there is none, or this user cannot see it.
  static func path(in folders: [String] = Self.folders) -> String? {
    folders.map { "\($0)/meterhost.key" }.first { access($0, F_OK) == 0 }
  }
}
