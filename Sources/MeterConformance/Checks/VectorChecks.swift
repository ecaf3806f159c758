import CMeterDriver
import DriverContract
import MeterCore
import MeterDrivers

extension Check {
  /// What the author says that values decode to.
  static let vectors: [Check] = [
    Check(
      .r12, "vectors", "Every vector decodes to the records that stand beside it.",
      mend: "correct the driver, or the vector if the meter's display said something else"
    ) { context in
      guard context.subject.entry.capabilities.contains(.decode) else { return .skipped(context.nothingToDecode) }
      if let stray = context.subject.strays.first { return .failed(stray.words, place: stray.id) }
      let groups = DecodeGroup.groups(context.cases.filter { $0.vector != nil })
      guard !groups.isEmpty else { return .skipped(context.noVectors) }
      for group in groups {
        let outcomes = try await context.probing { probe in try context.decode(group, on: probe) }
        for (one, outcome) in zip(group.cases, outcomes.first ?? []) {
          guard let vector = one.vector, let words = context.disagreement(outcome, vector) else { continue }
          return .failed(words, place: vector.id)
        }
      }
      return .passed
    }
  ]
}

extension CheckContext {
  /// What is wrong with an outcome; nil: nothing.
  fileprivate func disagreement(_ outcome: DecodeOutcome, _ vector: DecodeVector) -> String? {
    if let refusal = vector.refusal {
      guard outcome.status != refusal.status else { return nil }
      return "it decodes to status \(outcome.status) and \(outcome.records.count) records; "
        + "\(refusal.status) is expected (\(refusal.rawValue))"
    }
    guard outcome.status == MH_OK else { return "it is refused with status \(outcome.status)" }
    guard outcome.records.count == vector.records.count else {
      return "it decodes to \(outcome.records.count) records, not \(vector.records.count)"
    }
    for (record, wanted) in zip(outcome.records, vector.records) {
      if let words = disagreement(record, wanted) ?? vector.disagreement(record) { return words }
    }
    return nil
  }

  private func disagreement(_ record: DriverRecord, _ wanted: DecodeVector.Record) -> String? {
    let values = record.values.map { value in
      DecodeVector.Value(
        metric: name(value.metric), value: value.value, unit: MetricUnit.withCode(value.unit)?.ucum ?? "?",
        qualifier: value.qualifier.name)
    }
    guard values == wanted.values else {
      return "it decodes to \(list(values)); expected is \(list(wanted.values))"
    }
    if let kind = wanted.kind, kind != record.kind.word { return "its record is a \(record.kind.word), not a \(kind)" }
    if let timestamp = wanted.timestamp, timestamp != record.timestampText {
      return "its time is \(record.timestampText ?? "none"), not \(timestamp ?? "none")"
    }
    if let sequence = wanted.sequence, sequence != record.deviceSequence {
      func words(_ number: UInt64?) -> String { number.map { "\($0)" } ?? "none" }
      return "its sequence number is \(words(record.deviceSequence)), not \(words(sequence))"
    }
    if let flags = wanted.flags, Set(flags) != Set(record.flags.words) {
      return "its flags are \(record.flags.words), not \(flags)"
    }
    return nil
  }

  private func name(_ metric: UInt16) -> String {
    Metric.withCode(metric)?.name ?? subject.entry.metrics.first { $0.code == metric }?.name ?? "metric-\(metric)"
  }

  private func list(_ values: [DecodeVector.Value]) -> String {
    values.isEmpty
      ? "nothing" : values.map { "\($0.metric) \($0.value) \($0.unit) \($0.qualifier)" }.joined(separator: ", ")
  }
}

extension DecodeVector {
  /// What is wrong in a record of what the vector states for all of them; nil: nothing.
  fileprivate func disagreement(_ record: DriverRecord) -> String? {
    if let isProvisional, isProvisional != record.flags.contains(.provisional) {
      return isProvisional ? "its record is final, not provisional" : "its record is provisional, not final"
    }
    if let deviceUser, deviceUser != record.deviceUser {
      func words(_ slot: UInt16?) -> String { slot.map { "\($0)" } ?? "none" }
      return "its user is \(words(record.deviceUser)), not \(words(deviceUser))"
    }
    return nil
  }
}

extension DecodeVector.Refusal {
  fileprivate var status: Int32 {
    switch self {
    case .noValue: MH_E_NO_VALUE
    case .protocolError, .malformed: MH_E_PROTOCOL
    case .unsupported: MH_E_UNSUPPORTED
    }
  }
}
