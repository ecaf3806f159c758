/// Where the structures of advertising data lie in its bytes: nothing is copied.
///
/// The one place that says what is a structure; ``AdvertisingData`` and ``AdvertisingFacts`` take theirs from here.
struct AdvertisingStructures {
  /// One structure.
  struct Place {
    /// Its AD type.
    let type: UInt8
    /// The bytes after the type.
    let value: Range<Int>
  }

  private var position = 0
  private let end: Int
  /// Whether a structure claimed more bytes than there are: it and all behind it are left out.
  private(set) var isTruncated = false

  /// The structures of these bytes.
  init(_ bytes: [UInt8]) { end = min(bytes.count, AdvertisingData.maximumLength) }

  /// The next structure of the same bytes; nil behind the last one.
  mutating func next(in bytes: [UInt8]) -> Place? {
    // A length of zero ends the significant part (Core Vol 3 Part C 11).
    guard position < end, bytes[position] > 0 else { return nil }
    let length = Int(bytes[position])
    guard length < end - position else {
      (position, isTruncated) = (end, true)
      return nil
    }
    defer { position += 1 + length }
    return Place(type: bytes[position + 1], value: position + 2..<position + 1 + length)
  }
}
