import HostPrimitives
import MeterCore
import StrictJSON

/// A value of a reading as it is shown.
struct LatestValue: Sendable, Hashable {
  let metric: String
  let number: ReportedNumber
  /// The unit in UCUM.
  let ucum: String
  let qualifier: ValueQualifier
  /// When it was measured, in microseconds since 1970-01-01T00:00Z.
  let microseconds: Int64
  /// The same as ISO 8601, with the offset of the place where it is known.
  let time: String
  let logID: String
  let revision: Int

  /// The measured values of a reading, one for each metric.
  static func all(of record: Record) -> [LatestValue] {
    var seen: Set<String> = []
    return record.values.compactMap { value in
      guard let metric = Metric.withCode(value.metric), metric.kind == .quantity,
        metric.isPrimary || metric.name == "battery_level", seen.insert(metric.name).inserted
      else { return nil }
      return LatestValue(
        metric: metric.name, number: value.number, ucum: value.ucum, qualifier: value.qualifier,
        microseconds: record.time.startMicroseconds, time: record.time.isoText, logID: record.logID.description,
        revision: record.revision)
    }
  }

  /// The payload of its topic.
  var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("value", literal: number.description)
      json.member("unit", MetricDisplay.unit(ucum))
      json.member("time", time)
      json.member("qualifier", qualifier.rawValue)
      json.member("log_id", logID)
      json.member("revision", integer: Int64(revision))
    }
    return json.bytes
  }
}

extension LatestValue {
  /// The level of the topic with the moment of the newest reading.
  static let measured = "measured"

  /// The payload of the topic with the moment of the newest reading.
  var measuredJSON: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("value", time)
      json.member("time", time)
      json.member("log_id", logID)
      json.member("revision", integer: Int64(revision))
    }
    return json.bytes
  }
}

extension RecordTime {
  /// The start as ISO 8601 with the offset of the place, or in UTC where that is not known.
  var isoText: String {
    guard let offset = utcOffsetSeconds, offset % 60 == 0, abs(offset) < 86_400 else {
      return CivilMoment(microseconds: startMicroseconds).text(.none) + "Z"
    }
    let (local, overflows) = startMicroseconds.addingReportingOverflow(Int64(offset) * 1_000_000)
    guard !overflows else { return CivilMoment(microseconds: startMicroseconds).text(.none) + "Z" }
    let minutes = Int64(abs(offset) / 60)
    return CivilMoment(microseconds: local).text(.none)
      + "\(offset < 0 ? "-" : "+")\((minutes / 60).digits(2)):\((minutes % 60).digits(2))"
  }
}
