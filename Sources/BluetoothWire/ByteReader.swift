/// Reads little-endian fields from the front of some bytes; every read says whether the bytes were there.
struct ByteReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func uint8() -> UInt8? { rest.popFirst() }

  mutating func uint16() -> UInt16? {
    guard let bytes = take(2) else { return nil }
    return UInt16(bytes[bytes.startIndex]) | UInt16(bytes[bytes.startIndex + 1]) << 8
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}

extension [UInt8] {
  /// Appends a number of 16 bits, least significant byte first.
  mutating func append(littleEndian value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(value >> 8))
  }
}
