/// A text that may be a name of the time zone database (IANA), such as `Europe/Berlin`. Whether there is such a zone says the
/// library that knows the zones.
///
/// Libraries take abbreviations as well, and which place they find for one is nobody's guess: `BST`, for one, is Dhaka's time to
/// Foundation. A person's times would be those of another continent.
package struct ZoneName: Sendable, Hashable {
  /// The name.
  package let text: String

  /// A name; nil for what is none.
  ///
  /// - Parameter isListed: Whether a name without a place is in the database. To look through all names is dear, and asked only
  ///   where nothing else tells.
  package init?(_ text: String, isListed: (String) -> Bool) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    // Names of files in the end: nothing but what zones are called reaches the look-up.
    guard text.utf8.count <= 64, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isPlain) }) else {
      return nil
    }
    let isUniversal = text == "UTC" || text == "GMT"
    // Of the names without a place those with three letters are the ones that are abbreviations, too.
    guard isUniversal || parts.count > 1 || text.utf8.count > 3 && isListed(text) else { return nil }
    self.text = text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
