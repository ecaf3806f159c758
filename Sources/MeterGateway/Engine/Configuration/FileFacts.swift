import Foundation

/// What is to be known of a file before it is trusted.
struct FileFacts {
  let isRegular: Bool
  let size: Int
  /// Permission bits.
  let mode: Int
  /// The user that it belongs to.
  let owner: UInt32

  /// The facts of the file itself, not of what a link leads to; nil: there is none, or it cannot be looked at.
  init?(_ path: String) {
    guard let found = try? FileManager.default.attributesOfItem(atPath: path),
      let size = found[.size] as? Int, let mode = found[.posixPermissions] as? Int,
      let owner = (found[.ownerAccountID] as? NSNumber)?.uint32Value
    else { return nil }
    isRegular = found[.type] as? FileAttributeType == .typeRegular
    (self.size, self.mode, self.owner) = (size, mode, owner)
  }

  /// The facts of what a path leads to, through links.
  init?(following path: String) {
    self.init(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
  }
}
