/// A type of samples.
package struct ImportType: Sendable, Hashable {
  /// As the export writes it.
  package var name: String
  /// What the store itself calls it, where the export has a name of its own; the name again otherwise.
  package var key: String
  /// What it is to the host.
  package var quantity: ImportQuantity

  /// Makes a type.
  package init(name: String, key: String, quantity: ImportQuantity) {
    self.name = name
    self.key = key
    self.quantity = quantity
  }
}

/// The place of a source in an order that the export's owner chose.
package enum ImportRank: Sendable, Hashable {
  /// The export has no order.
  case unknown
  /// From 1, the first counts most.
  case place(UInt32)
  /// Left out by the owner.
  case leftOut

  init(_ rank: UInt32) {
    switch rank {
    case 0: self = .unknown
    case .max: self = .leftOut
    default: self = .place(rank)
    }
  }
}

/// A program or device that wrote samples.
package struct ImportSource: Sendable, Hashable {
  /// What kind of device it is, where the export says so (`MH_SOURCE_*`).
  package struct Flags: OptionSet, Sendable, Hashable {
    /// The bits as they cross the contract.
    package let rawValue: UInt32

    /// Flags from their bits.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A watch.
    package static let isWatch = Flags(rawValue: 0x1)
    /// A phone.
    package static let isPhone = Flags(rawValue: 0x2)
    /// What it puts in was entered by hand.
    package static let isManual = Flags(rawValue: 0x4)
    /// All that there are.
    package static let known: Flags = [.isWatch, .isPhone, .isManual]
  }

  /// As the export names it.
  package var name: String
  /// What makes two spellings one source, where the export has it; the name again otherwise.
  package var key: String
  /// What the export says of the device; may be empty.
  package var detail: String
  /// What kind of device it is.
  package var flags: Flags
  /// Its place in the order of all quantities.
  package var rank: ImportRank
  /// Its places in orders of their own, by one quantity of each category.
  package var ranks: [ImportQuantity: ImportRank]

  /// Makes a source.
  package init(
    name: String, key: String, detail: String = "", flags: Flags = [], rank: ImportRank = .unknown,
    ranks: [ImportQuantity: ImportRank] = [:]
  ) {
    self.name = name
    self.key = key
    self.detail = detail
    self.flags = flags
    self.rank = rank
    self.ranks = ranks
  }
}

/// The names of an import so far: what the indices of its samples mean. What was not UTF-8 has U+FFFD in its place.
package struct ImportNames: Sendable, Hashable {
  /// By ``ImportSample/type``.
  package private(set) var types: [ImportType] = []
  /// By ``ImportSample/source``.
  package private(set) var sources: [ImportSource] = []
  /// By ``ImportSample/unit`` and ``ImportAttribute/unit``, as the export writes them.
  package private(set) var units: [String] = []
  /// By ``ImportAttribute/key``.
  package private(set) var keys: [String] = []
  /// How many rows have led to them.
  package private(set) var count = 0

  /// None.
  package init() {}

  /// Why a name cannot be the next one; nil when it can.
  package func problem(in name: ImportName) -> String? {
    let next: Int
    switch name.kind {
    case .type: next = types.count
    case .source: next = sources.count
    case .unit: next = units.count
    case .key: next = keys.count
    case .order:
      guard Int(name.index) < sources.count else { return "orders a source that there is not" }
      return nil
    case nil: return "has the unknown kind \(name.code)"
    }
    return Int(name.index) == next ? nil : "has the index \(name.index) where \(next) is the next"
  }

  /// Takes a name in which there is no problem.
  package mutating func add(_ name: ImportName, of batch: ImportBatch) {
    count += 1
    let text = batch.text(name.text)
    let key = name.key.isEmpty ? text : batch.text(name.key)
    switch name.kind {
    case .type: types.append(ImportType(name: text, key: key, quantity: ImportQuantity(code: name.quantity)))
    case .source:
      sources.append(
        ImportSource(
          name: text, key: key, detail: batch.text(name.detail),
          flags: ImportSource.Flags(rawValue: name.flags), rank: ImportRank(name.rank)))
    case .unit: units.append(text)
    case .key: keys.append(text)
    case .order:
      guard Int(name.index) < sources.count else { return }
      sources[Int(name.index)].ranks[ImportQuantity(code: name.quantity)] = ImportRank(name.rank)
    case nil: break
    }
  }
}
