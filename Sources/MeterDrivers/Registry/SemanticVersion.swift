/// A version as Semantic Versioning 2.0.0 writes it, with a pre-release but without build metadata.
package struct SemanticVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// Incompatible changes.
  package let major: UInt32
  /// Additions.
  package let minor: UInt32
  /// Repairs.
  package let patch: UInt32
  /// The dot-separated identifiers after `-`; empty for a release.
  package let preRelease: String

  /// A release.
  package init(_ major: UInt32, _ minor: UInt32, _ patch: UInt32) {
    self.major = major
    self.minor = minor
    self.patch = patch
    preRelease = ""
  }

  /// Reads `1.2.3` or `1.2.3-rc.1`; nil for anything else, leading zeros included (Semantic Versioning 2.0.0, 2 and 9).
  package init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let dash = text.utf8.firstIndex(of: UInt8(ascii: "-")) ?? text.utf8.endIndex
    var core = text.utf8[..<dash]
    guard let major = Self.number(&core), core.popFirst() == UInt8(ascii: "."),
      let minor = Self.number(&core), core.popFirst() == UInt8(ascii: "."),
      let patch = Self.number(&core), core.isEmpty
    else { return nil }
    if dash < text.utf8.endIndex {
      let label = text[text.utf8.index(after: dash)...]
      guard label.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isIdentifier) else {
        return nil
      }
      preRelease = String(label)
    } else {
      preRelease = ""
    }
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Takes the digits at the front: one number without leading zeros; nil when there is none.
  private static func number(_ text: inout Substring.UTF8View) -> UInt32? {
    let isZero = text.first == 0x30
    var number: UInt32?
    while let digit = text.first, (0x30...0x39).contains(digit) {
      if isZero, number != nil { return nil }
      let (tens, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt32(digit - 0x30))
      if overflow || carry { return nil }
      number = sum
      text.removeFirst()
    }
    return number
  }

  private static func isNumber(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }

  private static func isIdentifier(_ text: Substring) -> Bool {
    let isWord = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d
    }
    let isNumber = Self.isNumber(text)
    // A number has no leading zeros; it may have as many digits as a date and a time of day.
    return !text.isEmpty && isWord && (!isNumber || text == "0" || !text.hasPrefix("0"))
  }

  /// Precedence of Semantic Versioning 2.0.0, 11.
  package static func < (left: Self, right: Self) -> Bool {
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
      switch (isNumber(one), isNumber(other)) {
      // Without leading zeros the longer one is the greater.
      case (true, true) where one.utf8.count != other.utf8.count: return one.utf8.count < other.utf8.count
      case (true, false): return true
      case (false, true): return false
      case (true, true), (false, false): return one.utf8.lexicographicallyPrecedes(other.utf8)
      }
    }
    return leftParts.count < rightParts.count
  }

  /// As written.
  package var description: String {
    "\(major).\(minor).\(patch)" + (preRelease.isEmpty ? "" : "-" + preRelease)
  }
}
