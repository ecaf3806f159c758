package import DriverContract
import CMeterDriver

extension OutputView {
  /// Copies one record out. Only after `OutputCheck` has passed: every run is inside its array then.
  package func record(_ index: Int) -> DriverRecord {
    let record = records[index]
    let timeKind = DriverTimeKind(rawValue: record.time_kind) ?? .none
    let hasOffset = (timeKind == .civilWithOffset || timeKind == .utc) && record.utc_offset_s != mh_offset_unknown()
    return DriverRecord(
      kind: DriverRecordKind(rawValue: record.kind) ?? .diagnostic,
      flags: DriverRecordFlags(rawValue: record.flags & ~MH_REC_USER),
      deviceUser: record.flags & MH_REC_USER != 0 ? record.device_user : nil,
      timeKind: timeKind,
      startMicroseconds: timeKind == .none ? 0 : record.t_us,
      endMicroseconds: timeKind == .none ? 0 : record.end_us,
      deviceSequence: record.device_seq == mh_seq_none() ? nil : record.device_seq,
      utcOffsetSeconds: hasOffset ? record.utc_offset_s : nil,
      group: record.group,
      identity: bytes(record.ident_off, UInt32(record.ident_len)),
      identityClass: DriverIdentityClass(rawValue: record.ident_class) ?? .unidentified,
      values: (0..<Int(record.n_values)).map { DriverValue(values[Int(record.first_value) + $0]) },
      texts: (0..<Int(record.n_texts)).map { text(Int(record.first_text) + $0) })
  }

  private func text(_ index: Int) -> DriverText {
    let text = texts[index]
    return DriverText(field: text.field, text: String(decoding: bytes(text.off, text.len), as: UTF8.self))
  }

  private func bytes(_ offset: UInt32, _ count: UInt32) -> [UInt8] {
    count == 0 ? [] : Array(arena[Int(offset)..<Int(offset) + Int(count)])
  }
}

extension DriverValue {
  /// Copies a value out. Only after `OutputCheck` has passed.
  init(_ value: mh_value) {
    self.init(
      metric: value.metric, unit: value.unit, exponent: value.exp10,
      qualifier: DriverQualifier(rawValue: value.qualifier) ?? .questionable, value: value.value, raw: value.raw,
      isRounded: UInt32(value.flags) & MH_VALUE_ROUNDED != 0)
  }
}
