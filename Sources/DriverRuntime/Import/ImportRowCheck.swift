import CMeterDriver
import DriverContract

/// Looks at every row of a batch but its names. Words for what is wrong are made only when something is: of a large export
/// millions of samples go through here.
struct ImportRowCheck {
  /// The years 1 to 9999, microseconds since 1970-01-01T00:00Z.
  static let times: ClosedRange<Int64> = Int64(MH_IMPORT_US_MIN)...Int64(MH_IMPORT_US_MAX)
  private static let exponents = -Int16(MH_IMPORT_EXPONENT_MAX)...Int16(MH_IMPORT_EXPONENT_MAX)
  private static let offsets = -Int32(MH_IMPORT_OFFSET_MAX)...Int32(MH_IMPORT_OFFSET_MAX)
  private static let words = UInt32(MH_SLEEP_IN_BED)...UInt32(MH_SLEEP_SESSION)
  private static let reasons = UInt32(MH_REFUSED_TIME)...UInt32(MH_REFUSED_SENTINEL)
  private static let longest = UInt32(MH_IMPORT_TEXT_MAX)

  private let batch: ImportBatch
  private let arena: Int
  /// Of each type, whether its samples have words.
  private let isSleep: [Bool]
  private let sources: Int
  private let units: Int
  private let keys: Int
  /// Whether a sample that is no part has come.
  private(set) var hasWhole: Bool
  private var nextAttribute = 0

  /// - Parameter names: With those of the batch, which were looked at.
  init(batch: ImportBatch, names: ImportNames, hasWhole: Bool) {
    self.batch = batch
    arena = batch.arenaCount
    isSleep = names.types.map { $0.quantity == .sleep }
    (sources, units, keys) = (names.sources.count, names.units.count, names.keys.count)
    self.hasWhole = hasWhole
  }

  /// Why a name is none, whatever its index is; nil when it is one.
  static func problem(in name: ImportName, of batch: ImportBatch) -> String? {
    for run in [name.text, name.key, name.detail] where !batch.contains(run) || run.count > longest {
      return "has a text that lies outside of the arena or is too long"
    }
    switch name.kind {
    case .type:
      guard name.rank == 0, name.flags == 0, name.detail.isEmpty else { break }
      guard name.quantity < UInt16(ImportQuantities.most) else { return "has the quantity \(name.quantity)" }
      return name.text.isEmpty ? "is empty" : nil
    case .source:
      guard name.quantity == 0, name.flags & ~ImportSource.Flags.known.rawValue == 0 else { break }
      return name.text.isEmpty ? "is empty" : nil
    case .unit, .key:
      guard name.quantity == 0, name.rank == 0, name.flags == 0, name.key.isEmpty, name.detail.isEmpty else { break }
      return name.text.isEmpty ? "is empty" : nil
    case .order:
      guard name.flags == 0, name.text.isEmpty, name.key.isEmpty, name.detail.isEmpty else { break }
      return name.quantity < UInt16(ImportQuantities.most) ? nil : "has the quantity \(name.quantity)"
    case nil: return nil
    }
    return "has a field set that its kind does not name, or an unknown flag"
  }

  /// What is wrong with the first row that cannot be; nil when all can.
  mutating func problem() -> String? {
    for index in batch.samples.indices {
      let sample = batch.samples[index]
      guard isGood(sample) else { return "sample \(index) \(words(for: sample))" }
    }
    guard nextAttribute == batch.attributes.count else { return "it put out attributes that belong to no sample" }
    for index in batch.attributes.indices {
      let row = batch.attributes[index]
      guard isGood(row) else { return "attribute \(index) has an index, a run, a flag or a number that cannot be" }
    }
    for row in batch.counts where !isCount(row.count) || Int(row.type) >= isSleep.count || row.reserved != 0 {
      return "it counts \(row.count) samples of type \(row.type), which cannot be"
    }
    for row in batch.refusals {
      let isOfType = row.typeCode == .max || Int(row.typeCode) < isSleep.count
      guard !isCount(row.count) || !Self.reasons.contains(row.code) || !isOfType else { continue }
      return "it refuses \(row.count) samples for the reason \(row.code), which cannot be"
    }
    return nil
  }

  @inline(__always)
  private mutating func isGood(_ sample: ImportSample) -> Bool {
    let isPart = sample.flags.rawValue & UInt16(MH_SAMPLE_PART) != 0
    guard sample.startMicroseconds <= sample.endMicroseconds, sample.startMicroseconds >= Self.times.lowerBound,
      sample.endMicroseconds <= Self.times.upperBound, Self.times.contains(sample.modifiedMicroseconds),
      sample.flags.rawValue & ~ImportSampleFlags.known.rawValue == 0, !isPart || hasWhole,
      isNumber(sample.mantissa, sample.exponent, sample.flags),
      sample.utcOffsetCode == .min || Self.offsets.contains(sample.utcOffsetCode),
      Int(sample.type) < isSleep.count, Int(sample.source) < sources,
      sample.unitCode == .max || Int(sample.unitCode) < units,
      !isSleep[Int(sample.type)] || Self.words.contains(sample.word), isText(sample.text), isText(sample.id)
    else { return false }
    if !isPart { hasWhole = true }
    guard sample.attributeCount > 0 else { return true }
    guard Int(sample.firstAttribute) == nextAttribute,
      Int(sample.attributeCount) <= batch.attributes.count - nextAttribute
    else { return false }
    nextAttribute += Int(sample.attributeCount)
    return true
  }

  @inline(__always)
  private func isGood(_ row: ImportAttribute) -> Bool {
    Int(row.key) < keys && (row.unitCode == .max || Int(row.unitCode) < units) && row.reserved == 0
      && row.flags.rawValue & ~UInt16(MH_SAMPLE_HAS_VALUE) == 0 && isNumber(row.mantissa, row.exponent, row.flags)
      && isText(row.text)
  }

  @inline(__always)
  private func isNumber(_ mantissa: Int64, _ exponent: Int16, _ flags: ImportSampleFlags) -> Bool {
    flags.rawValue & UInt16(MH_SAMPLE_HAS_VALUE) != 0
      ? Self.exponents.contains(exponent) : mantissa == 0 && exponent == 0
  }

  @inline(__always)
  private func isText(_ run: ImportRun) -> Bool {
    run.count <= Self.longest && Int(run.offset) + Int(run.count) <= arena
  }

  @inline(__always)
  private func isCount(_ count: UInt64) -> Bool { count > 0 && count <= UInt64(UInt32.max) }

  /// What is wrong with a sample that is not good.
  private func words(for sample: ImportSample) -> String {
    if !Self.times.contains(sample.startMicroseconds) || !Self.times.contains(sample.endMicroseconds)
      || !Self.times.contains(sample.modifiedMicroseconds)
    {
      return "lies in no year from 1 to 9999"
    }
    if sample.startMicroseconds > sample.endMicroseconds { return "ends before it begins" }
    if sample.flags.rawValue & ~ImportSampleFlags.known.rawValue != 0 { return "has an unknown flag" }
    if sample.flags.rawValue & UInt16(MH_SAMPLE_PART) != 0, !hasWhole { return "is a part of nothing" }
    if !isNumber(sample.mantissa, sample.exponent, sample.flags) {
      return "has a number without the flag, or an exponent that is too large"
    }
    if sample.utcOffsetCode != .min, !Self.offsets.contains(sample.utcOffsetCode) {
      return "has a clock that is more than 18 hours off"
    }
    if Int(sample.type) >= isSleep.count || Int(sample.source) >= sources
      || sample.unitCode != .max && Int(sample.unitCode) >= units
    {
      return "has a type, source or unit that was not named"
    }
    if isSleep[Int(sample.type)], !Self.words.contains(sample.word) { return "has a word that says nothing of sleep" }
    if !isText(sample.text) || !isText(sample.id) {
      return "has a text that lies outside of the arena or is too long"
    }
    return "names attributes that are not its own"
  }
}
