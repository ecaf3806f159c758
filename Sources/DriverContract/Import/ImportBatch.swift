/// How many rows of each kind a batch has, and bytes of its arena.
package struct ImportExtent: Sendable, Hashable {
  package var samples: Int
  package var attributes: Int
  package var names: Int
  package var counts: Int
  package var refusals: Int
  package var arena: Int

  /// Makes an extent.
  package init(
    samples: Int = 0, attributes: Int = 0, names: Int = 0, counts: Int = 0, refusals: Int = 0, arena: Int = 0
  ) {
    self.samples = samples
    self.attributes = attributes
    self.names = names
    self.counts = counts
    self.refusals = refusals
    self.arena = arena
  }

  /// Bytes of all of it.
  package var length: Int {
    samples * MemoryLayout<ImportSample>.stride + attributes * MemoryLayout<ImportAttribute>.stride
      + names * MemoryLayout<ImportName>.stride + counts * MemoryLayout<ImportCount>.stride
      + refusals * MemoryLayout<ImportRefusal>.stride + arena
  }
}

/// Samples of an export with all that belongs to them, in the bytes in which they came from the worker.
///
/// ```swift
/// for sample in batch.samples {
///   let type = names.types[Int(sample.type)]
///   for attribute in batch.attributes(of: sample) { print(names.keys[Int(attribute.key)], batch.text(attribute.text)) }
/// }
/// ```
package struct ImportBatch: Sendable {
  /// In the driver's order.
  package let samples: ImportRows<ImportSample>
  /// Of all samples, in their order.
  package let attributes: ImportRows<ImportAttribute>
  /// Put out before the samples. ``ImportNames`` has what they come to.
  package let names: ImportRows<ImportName>
  /// How many samples of each type were read since the batch before.
  package let counts: ImportRows<ImportCount>
  /// What was refused since the batch before.
  package let refusals: ImportRows<ImportRefusal>
  /// When the export was written, microseconds since 1970-01-01T00:00Z; nil: this batch does not say.
  package let exportedMicroseconds: Int64?
  /// Something is missing or damaged, so that sums may be too low.
  package let isPartial: Bool

  private let arena: ArraySlice<UInt8>

  /// A batch.
  ///
  /// - Parameters:
  ///   - content: Samples, attributes, names, counts, refusals and arena, one behind the other and nothing else.
  ///   - extent: How many of each.
  /// - Returns: nil when the content is not as long as the extent says.
  package init?(
    _ content: ArraySlice<UInt8>, _ extent: ImportExtent, exportedMicroseconds: Int64? = nil, isPartial: Bool = false
  ) {
    guard content.count == extent.length else { return nil }
    var rest = content
    samples = Self.rows(extent.samples, &rest)
    attributes = Self.rows(extent.attributes, &rest)
    names = Self.rows(extent.names, &rest)
    counts = Self.rows(extent.counts, &rest)
    refusals = Self.rows(extent.refusals, &rest)
    arena = rest
    self.exportedMicroseconds = exportedMicroseconds
    self.isPartial = isPartial
  }

  private static func rows<Row>(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> ImportRows<Row> {
    let length = count * MemoryLayout<Row>.stride
    defer { rest = rest.dropFirst(length) }
    return ImportRows(rest.prefix(length), count: count)
  }

  /// The attributes of a sample of this batch.
  package func attributes(of sample: ImportSample) -> ImportRows<ImportAttribute> {
    guard sample.attributeCount > 0 else { return attributes.rows(0..<0) }
    let first = Int(sample.firstAttribute)
    return attributes.rows(first..<first + Int(sample.attributeCount))
  }

  /// Whether a run lies in the arena.
  package func contains(_ run: ImportRun) -> Bool { Int(run.offset) + Int(run.count) <= arena.count }

  /// Bytes of the arena.
  package var arenaCount: Int { arena.count }

  /// A text of this batch as the driver gave it: what is not UTF-8 was not mended.
  package func utf8(_ run: ImportRun) -> ArraySlice<UInt8> {
    let first = arena.startIndex + Int(run.offset)
    return arena[first..<first + Int(run.count)]
  }

  /// A text of this batch, with U+FFFD in the place of what is not UTF-8.
  package func text(_ run: ImportRun) -> String { String(decoding: utf8(run), as: UTF8.self) }
}
