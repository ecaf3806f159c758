import DriverContract

/// How much one session may bring, so that a meter that never stops fills neither the disk nor the others' queue.
///
/// What the store knew already is given back: a meter that sends its newest readings first begins with the same ones each time, and
/// would never come to the older ones. Repeats have a bound of their own, because they take time in which no other meter is read.
struct RecordAllowance: Sendable {
  /// Records, and about as many bytes as they need in the store.
  struct Amount: Sendable, Hashable {
    var records = 0
    var bytes = 0
  }

  /// How many repeats may come for each record that may: a memory is no larger than so many reads bring.
  static let repeatsPerRecord = 10

  /// What may still come.
  private var left: Amount
  private var repeats: Int

  init(records: Int = SessionLimits.mostRecords, bytes: Int = SessionLimits.mostRecordBytes) {
    left = Amount(records: records, bytes: bytes)
    repeats = min(records, .max / Self.repeatsPerRecord) * Self.repeatsPerRecord
  }

  /// Whether no more may come.
  var isSpent: Bool { left.records <= 0 || left.bytes <= 0 || repeats <= 0 }

  /// Counts a unit. A unit is taken as a whole, or not at all: what exceeds the allowance is the last.
  mutating func take(_ unit: DriverUnit) {
    let amount = unit.durableAmount
    left.records -= amount.records
    left.bytes -= amount.bytes
  }

  /// So much of what was counted was known, or left in the meter.
  mutating func giveBack(_ amount: Amount) {
    left.records += amount.records
    left.bytes += amount.bytes
    repeats -= amount.records
  }
}

extension DriverUnit {
  /// What the store may have to keep of it.
  var durableAmount: RecordAllowance.Amount {
    var amount = RecordAllowance.Amount()
    for record in records where record.isDurable {
      amount.records += 1
      amount.bytes += record.storedBytes
    }
    return amount
  }
}

extension DriverRecord {
  /// About as many bytes as the store needs for it.
  fileprivate var storedBytes: Int {
    400 + identity.count + values.count * 120 + texts.reduce(0) { $0 + $1.text.utf8.count + 40 }
  }
}
