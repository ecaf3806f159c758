/// How many samples of a type an event has read, wanted or not (`mh_import_count`).
@usableFromInline
package struct ImportCount: ImportRow, Hashable {
  /// Index of ``ImportNames/types``.
  package var type: UInt32
  /// 0.
  package var reserved: UInt32
  /// 1 to `UInt32.max`.
  package var count: UInt64
}

/// How many samples of a type are none, and why (`mh_import_refusal`).
@usableFromInline
package struct ImportRefusal: ImportRow, Hashable {
  /// `MH_REFUSED_*`.
  package enum Reason: UInt32, Sendable, Hashable, CaseIterable {
    /// Unreadable, or its start lies behind its end.
    case time = 1
    /// No number, or none where one belongs.
    case value
    /// Longer than an element may be.
    case tooLong
    /// In a part whose check sum is wrong.
    case damaged
    /// Not what the format allows.
    case form
    /// The export's word for nothing.
    case sentinel
  }

  /// `MH_REFUSED_*`; of a checked batch one of ``Reason``.
  package var code: UInt32
  /// ``type``, or `UInt32.max`.
  @usableFromInline package var typeCode: UInt32
  /// 1 to `UInt32.max`.
  package var count: UInt64
  /// Where the first one stands: the offset in what was inflated.
  package var place: UInt64

  /// Index of ``ImportNames/types``; nil: of no type that is known.
  @inlinable package var type: UInt32? { typeCode == .max ? nil : typeCode }

  /// Why.
  package var reason: Reason? { Reason(rawValue: code) }
}
