/// Flags of a sample or an attribute (`MH_SAMPLE_*`).
@usableFromInline
package struct ImportSampleFlags: OptionSet, BitwiseCopyable, Sendable, Hashable {
  /// The bits as they cross the contract.
  @usableFromInline package let rawValue: UInt16

  /// Flags from their bits.
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// There is a number.
  package static var hasValue: ImportSampleFlags { ImportSampleFlags(rawValue: 0x1) }
  /// Entered by hand.
  package static var isManual: ImportSampleFlags { ImportSampleFlags(rawValue: 0x2) }
  /// Says nothing by itself, only which samples belong together.
  package static var isLink: ImportSampleFlags { ImportSampleFlags(rawValue: 0x4) }
  /// Summed up and merged by its source for the whole interval: it replaces what the host would sum up.
  package static var isMerged: ImportSampleFlags { ImportSampleFlags(rawValue: 0x8) }
  /// A part of the last sample before it that is no part, which may lie in a batch before this one.
  package static var isPart: ImportSampleFlags { ImportSampleFlags(rawValue: 0x10) }

  /// All that there are.
  package static var known: ImportSampleFlags { ImportSampleFlags(rawValue: 0x1f) }
}

/// What a sample of sleep says (`MH_SLEEP_*`).
package enum ImportSleep: UInt32, Sendable, Hashable, CaseIterable {
  case inBed = 1
  /// Of no stage that is told.
  case asleep
  case awake
  /// Light sleep.
  case core
  case deep
  case rem
  /// A whole session, whose stages are samples of their own or told by attributes.
  case session
}

/// One sample of an export (`mh_import_sample`): `mantissa * 10^exponent` of a unit, from its start up to its end.
@usableFromInline
package struct ImportSample: ImportRow, Hashable {
  /// Microseconds since 1970-01-01T00:00Z, in the years 1 to 9999.
  package var startMicroseconds: Int64
  /// Not before the start; equal to it for an instant.
  package var endMicroseconds: Int64
  /// 0 without a value.
  package var mantissa: Int64
  /// When it was written or changed last, microseconds since 1970-01-01T00:00Z; 0: unknown.
  package var modifiedMicroseconds: Int64
  /// -18 to 18; 0 without a value.
  package var exponent: Int16
  /// `MH_SAMPLE_*`.
  package var flags: ImportSampleFlags
  /// Seconds, or `Int32.min`: ``utcOffsetSeconds``.
  @usableFromInline package var utcOffsetCode: Int32
  /// Index of ``ImportNames/types``.
  package var type: UInt32
  /// Index of ``ImportNames/sources``.
  package var source: UInt32
  /// ``unit``, or `UInt32.max`.
  @usableFromInline package var unitCode: UInt32
  /// `MH_SLEEP_*`; 0 where the quantity has no words.
  package var word: UInt32
  /// A text value.
  package var text: ImportRun
  /// A name that the sample has wherever it is exported, such as a UUID.
  package var id: ImportRun
  /// The first of its attributes (``ImportBatch/attributes(of:)``).
  package var firstAttribute: UInt32
  /// How many attributes it has.
  package var attributeCount: UInt32
  /// Where it stands in the source, for a report: the offset in what was inflated.
  package var place: UInt64

  /// How far its own clock was ahead of UTC, seconds; nil: it has none of its own.
  @inlinable package var utcOffsetSeconds: Int32? { utcOffsetCode == .min ? nil : utcOffsetCode }

  /// Index of ``ImportNames/units``; nil: none.
  @inlinable package var unit: UInt32? { unitCode == .max ? nil : unitCode }

  /// What a sample of sleep says.
  package var sleep: ImportSleep? { ImportSleep(rawValue: word) }
}

/// One attribute of a sample: a number with a unit, or a text (`mh_import_attribute`).
@usableFromInline
package struct ImportAttribute: ImportRow, Hashable {
  /// 0 without a value.
  package var mantissa: Int64
  /// Index of ``ImportNames/keys``.
  package var key: UInt32
  /// ``unit``, or `UInt32.max`.
  @usableFromInline package var unitCode: UInt32
  /// -18 to 18; 0 without a value.
  package var exponent: Int16
  /// ``ImportSampleFlags/hasValue``: a number.
  package var flags: ImportSampleFlags
  /// A text.
  package var text: ImportRun
  /// 0.
  package var reserved: UInt32

  /// Index of ``ImportNames/units``; nil: none.
  @inlinable package var unit: UInt32? { unitCode == .max ? nil : unitCode }
}
