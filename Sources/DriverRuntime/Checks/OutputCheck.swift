package import DriverContract
import CMeterDriver

/// Checks a driver's records where they lie (rule R12). Nothing of an output is used before this has passed.
package struct OutputCheck {
  package let driver: String

  package init(driver: String) { self.driver = driver }

  /// 1582-01-01 to 9999-12-31, the years that the SIG's Date Time can hold (GATT Specification Supplement 3.70).
  package static let times: ClosedRange<Int64> = -12_244_089_600_000_000...253_402_300_799_999_999
  /// UTC offsets of civil time zones, with room for a meter's odd setting: 18 hours.
  package static let offsets: ClosedRange<Int32> = -64_800...64_800
  package static let knownFlags = UInt32(
    MH_REC_PROVISIONAL | MH_REC_CONTROL | MH_REC_CLOCK_SUSPECT | MH_REC_HELD | MH_REC_TOMBSTONE | MH_REC_USER)

  /// 10^-128 ... 10^127, indexed by the exponent's bit pattern plus 128.
  package static let powers: [Double] = (-128...127).map { Double("1e\($0)") ?? .nan }

  package func check(_ output: OutputView) throws(DriverFault) {
    if !OutputScan(output: output).passes { try judge(output) }
  }

  /// Looks at everything with every exception that the rule makes, and names what is wrong.
  package func judge(_ output: OutputView) throws(DriverFault) {
    try checkValues(output.values)
    for index in output.texts.indices { try checkText(output.texts[index], index, output.arena) }
    for index in output.records.indices { try checkRecord(output.records[index], index, output) }
  }

  private func checkRecord(_ record: mh_record, _ index: Int, _ output: OutputView) throws(DriverFault) {
    guard record.kind &- 1 < 4 else { throw fault("record \(index)", "has the unknown kind \(record.kind)") }
    guard record.flags & ~Self.knownFlags == 0 else {
      throw fault("record \(index)", "has unknown flags \(record.flags)")
    }
    guard UInt64(record.first_value) + UInt64(record.n_values) <= UInt64(output.values.count) else {
      throw fault("record \(index)", "names values that are not in the sink")
    }
    guard UInt64(record.first_text) + UInt64(record.n_texts) <= UInt64(output.texts.count) else {
      throw fault("record \(index)", "names texts that are not in the sink")
    }
    guard UInt64(record.ident_off) + UInt64(record.ident_len) <= UInt64(output.arena.count) || record.ident_len == 0
    else { throw fault("record \(index)", "has identity bytes outside the arena") }
    try checkTime(record, index)
    try checkIdentity(record, index)
  }

  private func checkTime(_ record: mh_record, _ index: Int) throws(DriverFault) {
    guard record.time_kind <= 3 else {
      throw fault("record \(index)", "has the unknown kind of time \(record.time_kind)")
    }
    if record.time_kind == UInt16(MH_TIME_NONE) { return }
    guard Self.times.contains(record.t_us), Self.times.contains(record.end_us), record.end_us >= record.t_us else {
      throw fault("record \(index)", "lies at an impossible time, or ends before it starts")
    }
    let knowsOffset = record.utc_offset_s != mh_offset_unknown()
    if record.time_kind == UInt16(MH_TIME_CIVIL_OFFSET), !Self.offsets.contains(record.utc_offset_s) {
      throw fault("record \(index)", "has no usable UTC offset")
    }
    if record.time_kind == UInt16(MH_TIME_UTC), knowsOffset, !Self.offsets.contains(record.utc_offset_s) {
      throw fault("record \(index)", "has an impossible UTC offset")
    }
  }

  private func checkIdentity(_ record: mh_record, _ index: Int) throws(DriverFault) {
    guard record.ident_class <= 3 else {
      throw fault("record \(index)", "has the unknown identity class \(record.ident_class)")
    }
    if record.ident_class == 0, record.kind == MH_KIND_MEASUREMENT {
      throw fault("record \(index)", "is a measurement without an identity class")
    }
    if record.ident_class == UInt16(MH_IDENT_STORED), record.ident_len == 0 {
      throw fault("record \(index)", "is a stored reading without identity bytes")
    }
  }

  /// Looks at values that no record names.
  ///
  /// - Parameter place: What they are called.
  func check(_ values: [mh_value], of place: String) throws(DriverFault) {
    try values.withUnsafeBufferPointer { values throws(DriverFault) in try checkValues(values, place) }
  }

  private func checkValues(
    _ values: UnsafeBufferPointer<mh_value>, _ place: String = "value"
  ) throws(DriverFault) {
    try Self.powers.withUnsafeBufferPointer { powers throws(DriverFault) in
      for index in values.indices {
        let value = values[index]
        guard value.qualifier <= 3 else {
          throw fault("\(place) \(index)", "has the unknown qualifier \(value.qualifier)")
        }
        guard value.metric != 0, value.unit != 0, UInt32(value.flags) & ~MH_VALUE_ROUNDED == 0 else {
          throw fault("\(place) \(index)", "lacks a metric or unit, or has unknown flags")
        }
        let exact = Double(value.raw) * powers[Int(value.exp10) + 128]
        guard value.value.isFinite, (value.value - exact).magnitude <= exact.magnitude * 1e-9 else {
          throw fault("\(place) \(index)", "is not its own mantissa times ten to its exponent")
        }
      }
    }
  }

  private func checkText(_ text: mh_text, _ index: Int, _ arena: UnsafeBufferPointer<UInt8>) throws(DriverFault) {
    guard text.field != 0, text.flags == 0 else {
      throw fault("text \(index)", "lacks its field, or has a reserved field set")
    }
    guard UInt64(text.off) + UInt64(text.len) <= UInt64(arena.count) else {
      throw fault("text \(index)", "lies outside the arena")
    }
    let bytes = UnsafeBufferPointer(rebasing: arena[Int(text.off)..<Int(text.off) + Int(text.len)])
    guard String(validating: bytes, as: UTF8.self) != nil else { throw fault("text \(index)", "is not UTF-8") }
  }

  private func fault(_ place: String, _ what: String) -> DriverFault {
    DriverFault(
      .brokeRule, driver: driver, rule: "R12", message: "\(place) \(what); the driver must be repaired by its author")
  }
}
