import Foundation

/// What is to be known of a file before it is trusted.
package struct FileFacts {
  package let isRegular: Bool
  package let size: Int
  /// Permission bits.
  package let mode: Int
  /// The user that it belongs to.
  package let owner: UInt32

  /// The facts of the file itself, not of what a link leads to; nil: there is none, or it cannot be looked at.
  package init?(_ path: String) {
    guard let found = try? FileManager.default.attributesOfItem(atPath: path),
      let size = found[.size] as? Int, let mode = found[.posixPermissions] as? Int,
      let owner = (found[.ownerAccountID] as? NSNumber)?.uint32Value
    else { return nil }
    isRegular = found[.type] as? FileAttributeType == .typeRegular
    (self.size, self.mode, self.owner) = (size, mode, owner)
  }

  /// The facts of what a path leads to, through links.
  package init?(following path: String) {
    self.init(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
  }
}
