import MeterCore
import StrictJSON

/// What an event tells that a meter's topic of events gets for each revision of a reading.
enum ReadingEvent: String, Sendable, Hashable, CaseIterable {
  /// A new reading.
  case reading
  /// Another revision of one.
  case correction
  /// The meter has taken one back.
  case takenBack = "taken_back"

  init(_ record: Record) {
    if record.flags.contains(.takenBack) {
      self = .takenBack
    } else {
      self = record.revision > 1 ? .correction : .reading
    }
  }

  /// The payload: name, time and values by metric.
  static func json(_ record: Record, _ values: [LatestValue]) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("event_type", ReadingEvent(record).rawValue)
      json.member("log_id", record.logID.description)
      json.member("revision", integer: Int64(record.revision))
      json.member("time", record.time.isoText)
      for value in values {
        json.member(value.metric, literal: value.number.description)
        json.member("\(value.metric)_unit", MetricDisplay.unit(value.ucum))
        if value.qualifier != .exact { json.member("\(value.metric)_qualifier", value.qualifier.rawValue) }
      }
    }
    return json.bytes
  }
}
