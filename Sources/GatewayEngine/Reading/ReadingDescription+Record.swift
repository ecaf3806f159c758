package import GatewayAPI
import HostPrimitives
package import MeterCore

extension ReadingDescription {
  /// Describes a committed reading.
  package init(_ committed: CommitRecord) {
    switch committed.disposition {
    case .pending: self.init(committed.record, state: "pending", reason: nil)
    case .held(let why): self.init(committed.record, state: "held", reason: why.rawValue)
    case .excluded(let why): self.init(committed.record, state: "excluded", reason: why.rawValue)
    }
  }

  /// Describes a reading in a state of the queue.
  ///
  /// - Parameter isWhole: Every value of its series, too, which a list of readings leaves out.
  package init(_ record: Record, state: String, reason: String?, isWhole: Bool = false) {
    let time = record.time
    let notes = record.notes.map { note in
      Note(field: Metric.withCode(note.field)?.name ?? "field-\(note.field)", text: note.text)
    }
    self.init(
      logID: "\(record.logID)", revision: record.revision, type: record.type.rawValue,
      time: utcText(time.startMicroseconds),
      end: time.endMicroseconds == time.startMicroseconds ? nil : utcText(time.endMicroseconds),
      civilTime: time.civilMicroseconds.map { CivilMoment(microseconds: $0).text(.millionths) },
      zoneSource: time.zoneSource?.rawValue, sequence: record.deviceSequence, values: record.values.map { Value($0) },
      notes: notes.isEmpty ? nil : notes, flags: record.flags.words,
      details: ReadingDetails(record.details, isWhole: isWhole), model: record.source.model,
      peripheral: record.source.peripheralID, state: state, reason: reason)
  }
}

extension ReadingDescription.Value {
  /// Describes a value of a record.
  package init(_ value: RecordValue) {
    self.init(
      metric: value.metricName, value: value.number.doubleValue, reported: value.number.description, unit: value.ucum,
      qualifier: value.qualifier == .exact ? nil : value.qualifier.rawValue, word: value.word)
  }
}

extension RecordFlags {
  /// The marks by their names; nil for none.
  fileprivate var words: [String]? {
    let names: [(RecordFlags, String)] = [
      (.control, "control"), (.clockSuspect, "clock_suspect"), (.identitySuspect, "identity_suspect"),
      (.takenBack, "taken_back"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? nil : words
  }
}

/// A moment in UTC, in RFC 3339.
func utcText(_ microseconds: Int64) -> String { CivilMoment(microseconds: microseconds).text(.millionths) + "Z" }
