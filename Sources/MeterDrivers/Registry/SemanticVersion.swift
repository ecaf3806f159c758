/// A version as Semantic Versioning 2.0.0 writes it, with a pre-release but without build metadata.
public struct SemanticVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Incompatible changes.
  public let major: UInt32
  /// Additions.
  public let minor: UInt32
  /// Repairs.
  public let patch: UInt32
  /// The dot-separated identifiers after `-`; empty for a release.
  public let preRelease: String

  /// A release.
  public init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) {
    self.major = major
    self.minor = minor
    self.patch = patch
    preRelease = ""
  }

  /// Reads `1.2.3` or `1.2.3-rc.1`; nil for anything else, leading zeros included (Semantic Versioning 2.0.0, 2 and 9).
  public init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let halves = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = halves[0].split(separator: ".", omittingEmptySubsequences: false).map(Self.number)
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else { return nil }
    if halves.count == 2 {
      let identifiers = halves[1].split(separator: ".", omittingEmptySubsequences: false)
      guard identifiers.allSatisfy(Self.isIdentifier) else { return nil }
      preRelease = String(halves[1])
    } else {
      preRelease = ""
    }
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  private static func number(_ text: Substring) -> UInt32? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text == "0" || text.utf8.first != 0x30 else {
      return nil
    }
    return UInt32(text)
  }

  private static func isIdentifier(_ text: Substring) -> Bool {
    let isWord = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d
    }
    let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return !text.isEmpty && isWord && (!isNumber || number(text) != nil)
  }

  /// Precedence of Semantic Versioning 2.0.0, 11.
  public static func < (left: Self, right: Self) -> Bool {
    let numbers = (left.major, left.minor, left.patch)
    guard numbers == (right.major, right.minor, right.patch) else {
      return numbers < (right.major, right.minor, right.patch)
    }
    if left.preRelease.isEmpty || right.preRelease.isEmpty {
      return !left.preRelease.isEmpty && right.preRelease.isEmpty
    }
    let leftParts = left.preRelease.split(separator: ".")
    let rightParts = right.preRelease.split(separator: ".")
    for (one, other) in zip(leftParts, rightParts) where one != other {
      switch (UInt32(one), UInt32(other)) {
      case (let one?, let other?): return one < other
      case (_?, nil): return true
      case (nil, _?): return false
      case (nil, nil): return one.utf8.lexicographicallyPrecedes(other.utf8)
      }
    }
    return leftParts.count < rightParts.count
  }

  /// As written.
  public var description: String {
    "\(major).\(minor).\(patch)" + (preRelease.isEmpty ? "" : "-" + preRelease)
  }
}
