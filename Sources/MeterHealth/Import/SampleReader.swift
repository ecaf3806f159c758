import DriverContract
import HostPrimitives

/// Puts what a driver reads of an export into a ``HealthCollector``.
///
/// An export has millions of samples: what depends on a type, a source, a unit or a key alone is worked out once for each, and texts are
/// made of the few samples that are kept with them.
struct SampleReader {
  /// What is known of a type.
  private struct Kind {
    let name: String
    let quantity: HealthQuantity
    /// Of ``UnitCache``; nil where a sample needs no number.
    let target: Int?
    let reading: Reading
  }

  /// How much of a sample is kept.
  private enum Reading {
    /// Nothing: it is only counted.
    case nothing
    /// A number and a time.
    case number
    /// The same, and whether it was taken in the background.
    case heartRate
    /// All of it.
    case everything
  }

  /// Parts of one sample that are kept: stages of a night, activities of a workout.
  private static let mostParts = 10_000

  private static let moved = [HealthAttribute(HealthAttribute.Key.motion, "")]

  private(set) var collector: HealthCollector
  private let borders: DayBorders
  private var names = ImportNames()
  private var kinds: [Kind] = []
  private var keys: [AttributeKey] = []
  private var manualSources: [Bool] = []
  private var units = UnitCache()
  private var counts: [Int] = []
  /// The last sample that is no part; nil: it was left out, and so are its parts.
  private var last: HealthSample?
  private var rows: UInt64 = 0
  /// How many samples the driver has read.
  private(set) var samples: UInt64 = 0
  /// When the export was written, microseconds since 1970-01-01T00:00Z.
  private(set) var exported: Int64?
  private var refusals = 0
  /// The samples themselves, where they are wanted.
  private(set) var pieces: HealthPieces?

  /// Whether a driver has found anything that is its own.
  var hasSamples: Bool { samples > 0 || rows > 0 }
  /// Whether it has read the file as its own, also where nothing in it counts.
  var hasAnything: Bool { hasSamples || exported != nil || refusals > 0 }

  /// - Parameter options: Of a family that ``finish(family:)`` replaces.
  init(_ options: HealthOptions, keepsSamples: Bool = false) {
    pieces = keepsSamples ? HealthPieces() : nil
    collector = HealthCollector(options)
    borders = options.borders
  }

  /// Takes what an event has led to.
  mutating func take(_ turn: ImportTurn) {
    learn(turn.names)
    for batch in turn.batches { take(batch) }
  }

  private mutating func take(_ batch: ImportBatch) {
    for name in batch.names where name.kind == .order { order(name) }
    if let moment = batch.exportedMicroseconds {
      exported = moment
      collector.setExported(moment)
    }
    if batch.isPartial { collector.markPartial() }
    for row in batch.counts where Int(row.type) < counts.count {
      let (sum, overflow) = counts[Int(row.type)].addingReportingOverflow(Int(clamping: row.count))
      counts[Int(row.type)] = overflow ? .max : sum
      samples = samples.addingReportingOverflow(row.count).partialValue
    }
    for row in batch.refusals {
      guard let reason = HealthRefusal.Reason(contract: row.code) else { continue }
      refusals += 1
      collector.refuse(reason, count: Int(clamping: row.count), at: row.place)
    }
    rows += UInt64(batch.samples.count)
    for sample in batch.samples { take(sample, of: batch) }
  }

  private mutating func take(_ sample: ImportSample, of batch: ImportBatch) {
    guard Int(sample.type) < kinds.count, Int(sample.source) < manualSources.count else { return }
    if sample.flags.contains(.isPart) {
      guard let count = last?.parts.count, let part = converted(sample, of: batch) else { return }
      guard count < Self.mostParts else {
        collector.refuse(.tooMany, at: sample.place)
        return collector.markPartial()
      }
      last?.parts.append(part)
      return
    }
    settle()
    let kind = kinds[Int(sample.type)]
    if case .nothing = kind.reading { return }
    guard sample.endMicroseconds >= borders.start - HealthOptions.reach,
      sample.startMicroseconds < borders.end + HealthOptions.reach,
      let converted = converted(sample, of: batch)
    else { return }
    if case .everything = kind.reading { last = converted } else { add(converted) }
  }

  /// Hands the last sample on: no part of it follows.
  private mutating func settle() {
    guard let sample = last else { return }
    last = nil
    add(sample)
  }

  private mutating func add(_ sample: HealthSample) {
    pieces?.samples.append(sample)
    collector.add(sample)
  }

  /// What the samples come to. They are used up: nothing can be read after it.
  mutating func finish(family: HealthFamily, order: SourceRanking.Order = SourceRanking.Order()) -> HealthResult {
    settle()
    collector.setOrder(order)
    for (kind, count) in zip(kinds, counts) where count > 0 {
      collector.count(kind.name, count)
      collector.noteQuantity(kind.quantity)
    }
    collector.setFamily(family)
    var collected = HealthCollector(HealthOptions(family: family, borders: borders))
    swap(&collected, &collector)
    return collected.result()
  }

  /// The store that an export is of: the driver's, and of one that reads several the one whose names the types have.
  func family(of driver: String) -> HealthFamily {
    switch driver {
    case "apple-health": .apple
    case "health-connect": .healthConnect
    case "samsung-health": .samsung
    default: names.types.contains { $0.key.hasPrefix("HK") } ? .apple : .healthConnect
    }
  }
}

// MARK: - Names

extension SampleReader {
  private mutating func learn(_ names: ImportNames) {
    guard names.count != self.names.count else { return }
    for type in names.types[kinds.count...] {
      kinds.append(Self.kind(of: type))
      counts.append(0)
    }
    for key in names.keys[keys.count...] { keys.append(AttributeKey(key)) }
    for source in names.sources[manualSources.count...] {
      manualSources.append(source.flags.contains(.isManual))
      let priority: HealthSource.Priority? =
        switch source.rank {
        case .unknown: nil
        case .place(let place): .place(place)
        case .leftOut: .leftOut
        }
      let priorities = priority.map { rank in HealthCategory.allCases.map { ($0, rank) } } ?? []
      let added = HealthSource(
        source.name, key: source.key, detail: source.detail,
        flags: HealthSource.Flags(rawValue: source.flags.rawValue),
        priorities: Dictionary(priorities, uniquingKeysWith: { first, _ in first }))
      pieces?.sources.append(added)
      collector.add(added)
    }
    self.names = names
  }

  private static func kind(of type: ImportType) -> Kind {
    let quantity = type.quantity
    let reading: Reading =
      switch quantity.kind {
      case .none: .nothing
      case .sum: .number
      default: quantity == .heartRate ? .heartRate : .everything
      }
    let needsNumber =
      switch quantity.kind {
      case .sum, .measurement: true
      case .nutrition: quantity != .meal
      default: false
      }
    return Kind(
      name: type.name, quantity: quantity, target: needsNumber ? UnitCache.target(quantity.unit) : nil,
      reading: reading)
  }

  /// The place of a source in the order of one category.
  private mutating func order(_ name: ImportName) {
    guard name.rank != 0, let quantity = HealthQuantity(rawValue: name.quantity) else { return }
    collector.setPriority(
      name.rank == .max ? .leftOut : .place(name.rank), of: Int(name.index), for: quantity.category)
  }
}

// MARK: - Samples

extension SampleReader {
  /// A sample as the collector takes it; nil for one that is refused or lies outside all days.
  private mutating func converted(_ sample: ImportSample, of batch: ImportBatch) -> HealthSample? {
    let kind = kinds[Int(sample.type)]
    var result = HealthSample(
      kind.quantity, start: sample.startMicroseconds, end: sample.endMicroseconds, source: Int(sample.source))
    result.utcOffset = sample.utcOffsetSeconds.map { Int($0) }
    result.modified = sample.modifiedMicroseconds
    result.place = sample.place
    if sample.flags.contains(.isManual) || manualSources[Int(sample.source)] { result.flags.insert(.manual) }
    if sample.flags.contains(.isLink) { result.flags.insert(.link) }
    if sample.flags.contains(.isMerged) { result.flags.insert(.merged) }
    if let target = kind.target, sample.flags.contains(.hasValue) {
      let number = units.convert(
        mantissa: sample.mantissa, exponent: sample.exponent, unit: sample.unit, to: target, names)
      switch number {
      case .value(let value): result.value = value
      case .unknownUnit: return refused(.unit, sample)
      case .tooLarge: return refused(.value, sample)
      }
    }
    switch kind.reading {
    case .nothing: return nil
    case .number: return sample.flags.contains(.isMerged) ? onItsDay(result, sample, batch) : result
    case .heartRate:
      if hasExtent(sample, batch) {
        readAttributes(of: sample, batch, into: &result)
      } else if isMoved(sample, batch) {
        result.attributes = Self.moved
      }
      return result
    case .everything: break
    }
    if kind.quantity == .sleep { result.stage = SleepStage(rawValue: sample.word) }
    if !sample.text.isEmpty { result.text = batch.text(sample.text) }
    if !sample.id.isEmpty { result.id = batch.text(sample.id) }
    readAttributes(of: sample, batch, into: &result)
    return result
  }

  private mutating func refused(_ reason: HealthRefusal.Reason, _ sample: ImportSample) -> HealthSample? {
    collector.refuse(reason, at: sample.place)
    return nil
  }

  /// A sum that its source has merged for a day: where it names the day, that one counts, whatever zone its times are of.
  private func onItsDay(_ result: HealthSample, _ sample: ImportSample, _ batch: ImportBatch) -> HealthSample? {
    for attribute in batch.attributes(of: sample) where Int(attribute.key) < keys.count {
      guard case .word(HealthAttribute.Key.date) = keys[Int(attribute.key)],
        let date = CivilDate(text: batch.utf8(attribute.text))
      else { continue }
      guard let index = borders.index(ofDay: date.daysSince1970) else { return nil }
      var result = result
      (result.start, result.end) = (borders.days[index].start, borders.days[index].end)
      return result
    }
    return result
  }

  private func hasExtent(_ sample: ImportSample, _ batch: ImportBatch) -> Bool {
    guard sample.attributeCount > 0 else { return false }
    return batch.attributes(of: sample).contains { Int($0.key) < keys.count && keys[Int($0.key)].isExtent }
  }

  private func isMoved(_ sample: ImportSample, _ batch: ImportBatch) -> Bool {
    guard sample.attributeCount > 0 else { return false }
    for attribute in batch.attributes(of: sample) where Int(attribute.key) < keys.count {
      switch keys[Int(attribute.key)] {
      case .word(HealthAttribute.Key.motion), .word(HealthAttribute.Key.appleMotion): return true
      default: continue
      }
    }
    return false
  }

  private mutating func readAttributes(
    of sample: ImportSample, _ batch: ImportBatch, into result: inout HealthSample
  ) {
    guard sample.attributeCount > 0 else { return }
    for attribute in batch.attributes(of: sample) where Int(attribute.key) < keys.count {
      switch keys[Int(attribute.key)] {
      case .none: continue
      case .word(let name):
        if !attribute.text.isEmpty {
          result.attributes.append(HealthAttribute(name, batch.text(attribute.text)))
        } else if attribute.flags.contains(.hasValue),
          let number = Fraction(mantissa: attribute.mantissa, exponent: Int(attribute.exponent))
        {
          result.attributes.append(HealthAttribute(name, number))
        }
      case .number(let name, let target):
        guard attribute.flags.contains(.hasValue) else { continue }
        let number = units.convert(
          mantissa: attribute.mantissa, exponent: attribute.exponent, unit: attribute.unit, to: target, names)
        switch number {
        case .value(let value): result.attributes.append(HealthAttribute(name, value))
        case .unknownUnit: collector.refuse(.unit, at: sample.place)
        case .tooLarge: collector.refuse(.value, at: sample.place)
        }
      }
    }
    if result.stage == .session { Self.tellSleep(&result) }
  }

  /// A session that only says how long the person slept altogether slept so long in no stage that is told.
  private static func tellSleep(_ session: inout HealthSample) {
    typealias Key = HealthAttribute.Key
    guard let total = session.number(AttributeKey.total),
      ![Key.asleep, Key.core, Key.deep, Key.rem].contains(where: { session.number($0) != nil })
    else { return }
    session.attributes.append(HealthAttribute(Key.asleep, total))
  }
}
