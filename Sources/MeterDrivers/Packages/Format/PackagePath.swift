/// The places of a package: every file has one of a few, so that no name leads anywhere else.
package enum PackagePath {
  package static let fragment = "registry.json"
  /// The licence's text.
  package static let license = "LICENSE"
  /// What the driver reads, and its limits.
  package static let readme = "README.md"
  /// Everything that goes along with the libraries, such as pictures, lies below this folder.
  package static let assets = "assets"

  /// Longest path, in bytes.
  static let limit = 160
  /// Folders and file of a path below `assets`.
  static let depth = 6

  /// The place of a library.
  static func library(_ platform: PackagePlatform, _ name: String) -> String { "lib/\(platform.rawValue)/\(name)" }

  /// Whether a file of a package may have this path.
  static func isAllowed(_ path: String) -> Bool {
    if [fragment, license, readme].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard path.utf8.count <= limit, parts.allSatisfy(isName) else { return false }
    return switch parts[0] {
    case "lib": parts.count == 3 && PackagePlatform(rawValue: parts[1]) != nil && parts[2].hasSuffix(".so")
    case assets: (2...depth).contains(parts.count)
    default: false
    }
  }

  /// Whether a driver's id can be a package's: it names a folder beside a file of the host's.
  static func isPackageID(_ id: String) -> Bool {
    isName(id) && id != InstalledVersions.name && id != PackageNotes.name
  }

  /// A name of letters, digits, dots, dashes and underscores that begins with a letter or digit: nothing hidden, no
  /// `..`, nothing that another file system spells in two ways.
  static func isName(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, isLetterOrDigit(first), name.utf8.count <= 64 else { return false }
    return name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }
}
