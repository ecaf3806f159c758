/// Why samples did not count, how many, and where the first one stands.
package struct HealthRefusal: Sendable, Hashable, Encodable {
  package enum Reason: String, Sendable, Hashable, CaseIterable, Encodable {
    /// Its end lies before its start.
    case endBeforeStart = "end_before_start"
    /// Before the year 2000: a clock that was never set.
    case tooOld = "before_2000"
    /// More than a day behind the export itself.
    case afterExport = "after_export"
    /// No number where one belongs, or a negative one.
    case value
    /// More than a person can have in one sample.
    case implausible
    /// A unit that is not known.
    case unit
    /// A word that is not known.
    case word
    /// Of a source that the export does not name.
    case source
    /// The same one again.
    case duplicate
    /// What a driver refused: unreadable times and values, too long, damaged, not of the format, the format's word for nothing.
    case unreadableTime = "unreadable_time"
    case unreadableValue = "unreadable_value"
    case tooLong = "too_long"
    case damaged
    case form
    case sentinel
    /// More than fit into memory.
    case tooMany = "too_many"
    /// A sum that leaves 64 bits.
    case overflow
  }

  package let reason: Reason
  package var count: Int
  /// The offset of the first one in the export.
  package var first: UInt64
}

/// Refusals as they are counted.
package struct RefusalCounts: Sendable, Hashable {
  private var counts: [HealthRefusal.Reason: HealthRefusal] = [:]

  package init() {}

  package mutating func add(_ reason: HealthRefusal.Reason, count: Int = 1, at place: UInt64) {
    guard count > 0 else { return }
    if var refusal = counts[reason] {
      refusal.count += count
      refusal.first = min(refusal.first, place)
      counts[reason] = refusal
    } else {
      counts[reason] = HealthRefusal(reason: reason, count: count, first: place)
    }
  }

  package mutating func add(_ other: RefusalCounts) {
    for refusal in other.counts.values { add(refusal.reason, count: refusal.count, at: refusal.first) }
  }

  package func count(of reason: HealthRefusal.Reason) -> Int { counts[reason]?.count ?? 0 }

  /// In the order of the reasons' names.
  package var list: [HealthRefusal] { counts.values.sorted { $0.reason.rawValue < $1.reason.rawValue } }
}

extension HealthRefusal.Reason {
  /// A driver's reason by its number in the contract (`MH_REFUSED_*`), nil for one that is not known.
  package init?(contract number: UInt32) {
    switch number {
    case 1: self = .unreadableTime
    case 2: self = .unreadableValue
    case 3: self = .tooLong
    case 4: self = .damaged
    case 5: self = .form
    case 6: self = .sentinel
    default: return nil
    }
  }
}
