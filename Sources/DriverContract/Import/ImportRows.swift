/// A row of an import. Its fields lie as those of the contract's struct do, integers in the same order and without padding, and
/// any bytes are one.
@usableFromInline
package protocol ImportRow: BitwiseCopyable, Sendable {}

/// Rows of one kind where they lie, in the bytes in which they came. A row is read when it is asked for; nothing is copied or
/// allocated before.
///
/// ```swift
/// for sample in batch.samples where sample.flags.contains(.hasValue) { total += sample.mantissa }
/// ```
@usableFromInline
package struct ImportRows<Row: ImportRow>: RandomAccessCollection, Sendable {
  @usableFromInline let bytes: ArraySlice<UInt8>
  @usableFromInline let first: Int

  /// How many rows there are.
  @usableFromInline package let count: Int

  /// Rows at the beginning of some bytes, which must be long enough.
  @inlinable
  package init(_ bytes: ArraySlice<UInt8>, count: Int) { self.init(bytes, first: 0, count: count) }

  @inlinable
  init(_ bytes: ArraySlice<UInt8>, first: Int, count: Int) {
    precondition(first >= 0 && count >= 0 && count <= bytes.count / MemoryLayout<Row>.stride - first)
    self.bytes = bytes
    self.first = first
    self.count = count
  }

  /// The position of the first row.
  @inlinable package var startIndex: Int { 0 }
  /// Behind the last row.
  @inlinable package var endIndex: Int { count }

  /// The row at a position below ``count``.
  @inlinable
  package subscript(index: Int) -> Row {
    precondition(index >= 0 && index < count)
    return bytes.span.bytes.unsafeLoadUnaligned(
      fromByteOffset: (first + index) * MemoryLayout<Row>.stride, as: Row.self)
  }

  /// Some of the rows, from 0 again.
  @inlinable
  package func rows(_ range: Range<Int>) -> ImportRows {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return ImportRows(bytes, first: first + range.lowerBound, count: range.count)
  }
}

/// Where a text lies in the arena of its batch (`ImportBatch.text(_:)`).
@usableFromInline
package struct ImportRun: BitwiseCopyable, Sendable, Hashable {
  /// The first byte.
  @usableFromInline package let offset: UInt32
  /// How many bytes; 0: there is no text.
  @usableFromInline package let count: UInt32

  /// Makes a run.
  @inlinable
  package init(offset: UInt32, count: UInt32) {
    self.offset = offset
    self.count = count
  }

  /// Whether there is no text.
  @inlinable package var isEmpty: Bool { count == 0 }
}
