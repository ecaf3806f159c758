package import Foundation

extension TimeZone {
  /// The zone with a name of the time zone database, such as `Europe/Berlin`; nil for what is none.
  ///
  /// `TimeZone(identifier:)` takes abbreviations as well, and which place it finds for one is nobody's guess: `BST`, for one, is
  /// Dhaka's time there. A person's times would be those of another continent.
  package init?(databaseName name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
    let isUniversal = name == "UTC" || name == "GMT"
    // Of the names without a place those with three letters are the ones that are abbreviations, too.
    guard isName,
      isUniversal || parts.count > 1 || name.utf8.count > 3 && Self.knownTimeZoneIdentifiers.contains(name),
      let zone = TimeZone(identifier: name)
    else { return nil }
    self = zone
  }
}
