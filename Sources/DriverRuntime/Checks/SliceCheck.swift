package import DriverContract
package import CMeterDriver

extension OutputCheck {
  /// Checks that each value's records are neighbours, that no record belongs to two values, and that none is left over.
  package func check(_ slices: UnsafeBufferPointer<mh_slice>, records: Int) throws(DriverFault) {
    var next = 0
    for index in slices.indices {
      let slice = slices[index]
      switch slice.status {
      case MH_OK: break
      case MH_E_NO_VALUE, MH_E_PROTOCOL, MH_E_UNSUPPORTED:
        guard slice.n_records == 0 else { throw decodeFault(index, "has a status that says no record, and records") }
      default: throw decodeFault(index, "has the status \(statusName(slice.status)), which decode may not give")
      }
      guard slice.n_records > 0 else { continue }
      guard Int(slice.first_record) == next, Int(slice.n_records) <= records - next else {
        throw decodeFault(index, "names records that are not its own")
      }
      next += Int(slice.n_records)
    }
    guard next == records else { throw decodeFault(slices.count, "and later put out records that belong to no value") }
  }

  private func decodeFault(_ index: Int, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: "R14",
      message: "decoded value \(index) \(what); the driver must be repaired by its author")
  }
}
