/// The order in which the bytes of a number lie.
@usableFromInline
package enum ByteOrder: Sendable {
  /// Least significant first.
  case little
  /// Most significant first.
  case big
}

extension ArraySlice<UInt8> {
  /// The number that lies so many bytes behind the first; nil where it does not lie within.
  @inlinable
  package func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, _ order: ByteOrder = .little, as type: Number.Type = Number.self
  ) -> Number? {
    guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
    let value = span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
    switch order {
    case .little: return Number(littleEndian: value)
    case .big: return Number(bigEndian: value)
    }
  }
}

extension FixedWidthInteger {
  /// The number that these bytes are, most significant first; what is too much for the number is cut off at its front.
  @inlinable
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// The number that these bytes are, least significant first; what is too much for the number is cut off at its end.
  @inlinable
  package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self.init(bigEndianBytes: bytes.reversed())
  }

  /// The number's bytes, least significant first.
  @inlinable
  package var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }

  /// The number's bytes, most significant first.
  @inlinable
  package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension Int64 {
  /// The number in two's complement that these bytes are, at most eight and most significant first.
  package init(twosComplement bytes: some Collection<UInt8>) {
    self = bytes.reduce((bytes.first ?? 0) < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
  }
}

extension [UInt8] {
  /// Appends a number's bytes, least significant first.
  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
