/// What a name stands for (`MH_NAME_*`).
package enum ImportNameKind: UInt16, Sendable, Hashable, CaseIterable {
  /// A type of samples, as the export writes it.
  case type = 1
  /// A program or device that wrote samples.
  case source
  /// A unit, as the export writes it.
  case unit
  /// The key of an attribute.
  case key
  /// No name, but the place of a source in the order of one category of quantities.
  case order
}

/// One name as it came (`mh_import_name`). ``ImportNames`` has what the names of an import come to.
@usableFromInline
package struct ImportName: ImportRow, Hashable {
  /// `MH_NAME_*`; of a checked batch one of ``ImportNameKind``.
  package var code: UInt16
  /// `MH_QTY_*`.
  package var quantity: UInt16
  /// Its place among the names of its kind.
  package var index: UInt32
  /// `MH_SOURCE_*`.
  package var flags: UInt32
  /// Its place in an order: from 1; 0: none; `UInt32.max`: left out.
  package var rank: UInt32
  /// The name.
  package var text: ImportRun
  /// What makes two spellings one source or one type.
  package var key: ImportRun
  /// What the export says of a device.
  package var detail: ImportRun

  /// What it stands for.
  package var kind: ImportNameKind? { ImportNameKind(rawValue: code) }
}
