import DriverRuntime

/// How much one session may bring, so that a meter that never stops fills neither the disk nor the others' queue.
///
/// Known readings count as well: they cost the same time, during which no other meter is read.
struct RecordAllowance: Sendable {
  /// The records that may still come, and their bytes.
  private var records: Int
  private var bytes: Int

  init(records: Int = SessionLimits.mostRecords, bytes: Int = SessionLimits.mostRecordBytes) {
    (self.records, self.bytes) = (records, bytes)
  }

  /// Counts a unit.
  ///
  /// - Returns: Whether more may come. A unit is taken as a whole, or not at all: what exceeds the allowance is the last.
  mutating func takes(_ unit: DriverUnit) -> Bool {
    for record in unit.records where record.isDurable {
      records -= 1
      bytes -= record.storedBytes
    }
    return records > 0 && bytes > 0
  }
}

extension DriverRecord {
  /// About as many bytes as the store needs for it.
  fileprivate var storedBytes: Int {
    400 + identity.count + values.count * 120 + texts.reduce(0) { $0 + $1.text.utf8.count + 40 }
  }
}
