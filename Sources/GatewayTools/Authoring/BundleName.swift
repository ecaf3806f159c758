package import GatewayAPI
import HostPrimitives

/// What a new bundle is called, in every form that its files need.
package struct BundleName: Sendable, Hashable {
  /// The word that the caller gave, such as `kitchen-scale`.
  package let word: String
  /// The driver's id, a reverse-DNS name.
  package let id: String

  /// What the virtual meter advertises has room for so many bytes.
  package static let longestWord = 20
  /// What a package may be called after; the registry would allow more.
  package static let longestID = 64

  /// Checks a name and makes the rest of it.
  ///
  /// - Parameters:
  ///   - word: Lower-case letters and digits, in words with a hyphen between them; begins with a letter.
  ///   - id: A reverse-DNS name; nil: `org.example.` and the word.
  /// - Throws: ``GatewayError`` with code `bad_name` or `bad_id`.
  package init(_ word: String, id: String? = nil) throws(GatewayError) {
    guard word.utf8.count <= Self.longestWord, Self.isWord(word[...]), word.utf8.first.map(Self.isLetter) == true else {
      throw GatewayError(
        .usage, code: "bad_name", "\"\(word.prefix(64))\" is no name for a bundle",
        hint: "write up to \(Self.longestWord) lower-case letters and digits, with hyphens between words: kitchen-scale"
      )
    }
    let full = id ?? "org.example.\(word)"
    let labels = full.split(separator: ".", omittingEmptySubsequences: false)
    guard full.utf8.count <= Self.longestID, labels.count >= 2, labels.allSatisfy(Self.isWord),
      full.utf8.first.map(Self.isLetter) == true
    else {
      throw GatewayError(
        .usage, code: "bad_id", "\"\(full.prefix(96))\" is no reverse-DNS name",
        hint: "write lower-case labels of your own domain with dots between them: org.example.kitchen-scale")
    }
    (self.word, self.id) = (word, full)
  }

  /// The same in the form of a Swift type: `KitchenScale`.
  package var typeName: String {
    word.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Who makes the driver, as the id says it: its second label.
  package var vendor: String {
    let label = id.split(separator: ".")[1]
    return label.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
  }

  /// The peripheral's number in the range of fragments: always the same for an id, and hardly another bundle's.
  package var peripheral: UInt32 { 910_001 + fingerprint % 89_000 }

  /// The address of its virtual meter, a static random one.
  package var address: String {
    let digits = (fingerprint & 0xFF_FFFF).hexadecimal(digits: 6, uppercase: true)
    return "C0:FF:EE:\(digits.prefix(2)):\(digits.dropFirst(2).prefix(2)):\(digits.suffix(2))"
  }

  /// FNV-1a of the id.
  private var fingerprint: UInt32 {
    id.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }

  /// Letters and digits with single hyphens between them.
  private static func isWord(_ text: Substring) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) } }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
