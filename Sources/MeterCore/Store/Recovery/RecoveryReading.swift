import HostPrimitives

/// A reading as a person finds it in a recovery file: names, units and words for every code. Nothing is read back from it.
struct RecoveryReading: Encodable {
  /// One value: a number with its unit, or a word.
  struct Value: Encodable {
    let metric: String
    /// The number with the digits that were reported, or the word of a code.
    let value: String
    /// In UCUM; nil where there is none.
    let unit: String?
    /// `above`, `below` or `questionable`; nil for an exact value.
    let qualifier: String?
  }

  /// A text of the reading.
  struct Note: Encodable {
    let field: String
    let text: String
  }

  let logID: String
  let type: String
  /// When it was measured: local time with its offset, or UTC where none is known.
  let time: String
  let values: [Value]
  let notes: [Note]?
  let manufacturer: String?
  let model: String?
  /// The meter's serial number or address.
  let device: String

  private enum CodingKeys: String, CodingKey {
    case type, time, values, notes, manufacturer, model, device
    case logID = "log_id"
  }

  init(_ record: Record) {
    logID = record.logID.description
    type = record.type.rawValue
    time = Self.text(record.time)
    values = record.values.map { value in
      Value(
        metric: value.metricName, value: value.word ?? value.number.description,
        unit: value.word != nil || value.ucum == "1" ? nil : value.ucum,
        qualifier: value.qualifier == .exact ? nil : value.qualifier.rawValue)
    }
    let notes = record.notes.map {
      Note(field: Metric.withCode($0.field)?.name ?? "field-\($0.field)", text: $0.text)
    }
    self.notes = notes.isEmpty ? nil : notes
    (manufacturer, model, device) = (record.source.manufacturer, record.source.model, record.source.deviceID)
  }

  private static func text(_ time: RecordTime) -> String {
    guard let offset = time.utcOffsetSeconds, offset % 60 == 0 else {
      return CivilMoment(microseconds: time.startMicroseconds).text(.millionths) + "Z"
    }
    // A record of the years 1 to 9999 has room for a day's offset.
    return CivilMoment(microseconds: time.startMicroseconds &+ Int64(offset) * 1_000_000).text(.millionths)
      + CivilMoment.offset(offset)
  }
}
