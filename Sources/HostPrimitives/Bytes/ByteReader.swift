/// Reads fields from the front of some bytes; every read says whether the bytes were there.
///
/// ```swift
/// var reader = ByteReader(packet)
/// guard let code = reader.uint16(), let length = reader.uint32(.big), let body = reader.take(Int(length)) else { return nil }
/// ```
@usableFromInline
package struct ByteReader: Sendable {
  @usableFromInline let bytes: ArraySlice<UInt8>
  @usableFromInline var position = 0

  /// Reads from the first of these bytes on.
  @inlinable
  package init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Reads from the first of these bytes on.
  @inlinable
  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// How many bytes were read.
  @inlinable
  package var offset: Int { position }

  /// How many bytes were not read yet.
  @inlinable
  package var count: Int { bytes.count - position }

  /// Whether all bytes were read.
  @inlinable
  package var isEmpty: Bool { count == 0 }

  /// What was not read yet.
  @inlinable
  package var rest: ArraySlice<UInt8> { bytes.dropFirst(position) }

  /// The next number; nil, and nothing read, when it is not whole.
  @inlinable
  package mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ order: ByteOrder = .little, as type: Number.Type = Number.self
  ) -> Number? {
    guard let number = bytes.number(at: position, order, as: type) else { return nil }
    position += MemoryLayout<Number>.size
    return number
  }

  /// The next byte.
  @inlinable
  package mutating func uint8() -> UInt8? { number() }

  /// The next number of 16 bits.
  @inlinable
  package mutating func uint16(_ order: ByteOrder = .little) -> UInt16? { number(order) }

  /// The next number of 32 bits.
  @inlinable
  package mutating func uint32(_ order: ByteOrder = .little) -> UInt32? { number(order) }

  /// The next number of 64 bits.
  @inlinable
  package mutating func uint64(_ order: ByteOrder = .little) -> UInt64? { number(order) }

  /// The next bytes; nil, and nothing read, when there are not so many.
  @inlinable
  package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= self.count else { return nil }
    defer { position += count }
    return rest.prefix(count)
  }
}
