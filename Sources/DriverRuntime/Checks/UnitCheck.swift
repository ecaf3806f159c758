package import DriverContract
import CMeterDriver

/// Makes a checked unit of a raw one, whether it was made in this process or by a worker.
package struct UnitCheck {
  package let driver: String
  package let isDisconnected: Bool
  package var mostRecords: Int

  package init(driver: String, isDisconnected: Bool, mostRecords: Int = Int(MH_RECORDS_MAX)) {
    (self.driver, self.isDisconnected, self.mostRecords) = (driver, isDisconnected, mostRecords)
  }

  package func check(_ raw: RawUnit) throws(DriverFault) -> DriverUnit {
    guard (MH_E_NO_VALUE...MH_OK).contains(raw.status), raw.status != MH_E_FULL else {
      throw fault("R10", "event returned \(statusName(raw.status)), which it may not")
    }
    let total = raw.rounds.reduce(0) { $0 + $1.records.count }
    guard total <= mostRecords else {
      throw fault("R16", "an event gave \(total) records; at most \(mostRecords) are allowed")
    }
    var records: [DriverRecord] = []
    records.reserveCapacity(total)
    for round in raw.rounds {
      try round.withView { view throws(DriverFault) in
        try OutputCheck(driver: driver).check(view)
        for index in view.records.indices { records.append(view.record(index)) }
      }
    }
    let actions = try ActionCheck(driver: driver, isDisconnected: isDisconnected).check(raw.actions)
    try checkWrites(raw.writes)
    // What it does not know it cannot have answered.
    guard raw.status != MH_E_UNSUPPORTED || records.isEmpty && actions.isEmpty && raw.writes.isEmpty else {
      throw fault("R10", "event returned MH_E_UNSUPPORTED and put something out")
    }
    return DriverUnit(
      status: raw.status, records: records, actions: actions, writes: raw.writes, logs: DriverLogLine.bounded(raw.logs))
  }

  /// Keys and their sizes (rule R23).
  func checkWrites(_ writes: [DriverStorageWrite]) throws(DriverFault) {
    var size = 0
    for write in writes {
      guard DriverStorage.isKey(write.key), write.value.count <= Int(MH_VALUE_MAX) else {
        throw fault("R23", "a write to storage has a key or size that is not allowed")
      }
      size += write.key.utf8.count + write.value.count
    }
    // Keys removed and written in one event: twice the store at the very most.
    guard size <= 2 * Int(MH_STORAGE_MAX) else { throw fault("R23", "an event wrote \(size) bytes to storage") }
  }

  private func fault(_ rule: String, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: rule, message: "\(what); the driver must be repaired by its author")
  }
}
