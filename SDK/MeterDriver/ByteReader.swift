/// Reads little-endian numbers from bytes, checking every bound: Bluetooth's byte order (Core Specification,
/// Vol 3 Part G 2.4).
public struct ByteReader: ~Escapable {
  @usableFromInline let bytes: RawSpan
  @usableFromInline var position: Int

  /// How many bytes have been read.
  @inlinable
  public var offset: Int { position }

  /// Starts at the first byte.
  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan) {
    self.bytes = bytes
    self.position = 0
  }

  /// How many bytes are left.
  @inlinable
  public var remaining: Int { bytes.byteCount - offset }

  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func advance(_ count: Int) throws(DecodeError) -> Int {
    let start = position
    guard bytes.byteCount - start >= count else { throw .truncated(at: start) }
    position = start + count
    return start
  }

  /// Reads one byte.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func uint8() throws(DecodeError) -> UInt8 {
    let start = try advance(1)
    return bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt8.self)
  }

  /// Reads two bytes.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func uint16() throws(DecodeError) -> UInt16 {
    let start = try advance(2)
    return UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt16.self))
  }

  /// Reads two bytes as a two's complement number.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func int16() throws(DecodeError) -> Int16 {
    Int16(bitPattern: try uint16())
  }

  /// Reads four bytes.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func uint32() throws(DecodeError) -> UInt32 {
    let start = try advance(4)
    return UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt32.self))
  }

  /// Reads eight bytes.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func uint64() throws(DecodeError) -> UInt64 {
    let start = try advance(8)
    return UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
  }

  /// Reads a 16-bit IEEE 11073-20601 number.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func sfloat() throws(DecodeError) -> MedicalFloat {
    MedicalFloat(sfloat: try uint16())
  }

  /// Reads a 32-bit IEEE 11073-20601 number.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func float() throws(DecodeError) -> MedicalFloat {
    MedicalFloat(float: try uint32())
  }

  /// Reads a Bluetooth Date Time field: seven bytes.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func dateTime() throws(DecodeError) -> DateTime {
    guard remaining >= 7 else { throw .truncated(at: offset) }
    return DateTime(
      year: try uint16(), month: try uint8(), day: try uint8(), hour: try uint8(), minute: try uint8(),
      second: try uint8())
  }

  /// Skips bytes.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func skip(_ count: Int) throws(DecodeError) {
    guard count >= 0 else { throw .malformed }
    _ = try advance(count)
  }
}
