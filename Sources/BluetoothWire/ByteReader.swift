/// Reads little-endian fields from the front of some bytes; every read says whether the bytes were there.
package struct ByteReader {
  /// What was not read yet.
  package private(set) var rest: ArraySlice<UInt8>

  /// Reads from the first of these bytes on.
  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The next byte.
  package mutating func uint8() -> UInt8? { rest.popFirst() }

  /// The next number of 16 bits.
  package mutating func uint16() -> UInt16? {
    guard let bytes = take(2) else { return nil }
    return UInt16(bytes[bytes.startIndex]) | UInt16(bytes[bytes.startIndex + 1]) << 8
  }

  /// The next number of 32 bits.
  package mutating func uint32() -> UInt32? {
    guard let bytes = take(4) else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The next bytes; nil, and nothing read, when there are not so many.
  package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
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
