public import MeterCore
import CurlHTTP
import StrictJSON

/// Writes a record in the form of Validic Inform v2, `version` "1.0": measurement, summary, workout, sleep, nutrition,
/// intraday or cgm.
///
/// Numbers are written with exactly the digits that were reported, in the unit in which they were. Beyond Inform there are
/// members of ours: `revision`, by which a receiver tells a late context from a repetition, `out_of_range` beside values
/// that have no tags of their own, and `extras`.
public struct InformV2Encoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// One record as a JSON object in UTF-8.
  ///
  /// - Parameter mark: By what the receiver is to tell a repetition from a change.
  /// - Throws: ``EncodingRefusal`` when the record has no value that Inform has a name for, or one twice.
  public func encode(_ record: Record, mark: ContentMark = .revision) throws(EncodingRefusal) -> [UInt8] {
    let parts = try parts(record)
    var json = JSONWriter()
    json.object { json in
      json.member("log_id", record.logID.description)
      mark.write(record, &json)
      json.member("type", record.type.informType)
      json.member("version", "1.0")
      writeHeading(record, &json)
      json.member("start_time", UTCText.string(record.time.startMicroseconds))
      json.member("end_time", UTCText.string(record.time.endMicroseconds))
      writeOffset(record.time, &json)
      if record.type.isSeries {
        write(parts.channels, of: record, &json)
      } else {
        json.array("metrics") { json in for metric in parts.metrics { write(metric, record.origin, &json) } }
      }
      if [.routine, .fitness, .sleep, .nutrition].contains(record.type) {
        json.array("segments") { json in for segment in parts.segments { write(segment, record.origin, &json) } }
      }
      json.array("tags") { json in
        for (name, value) in tags(record) {
          json.object { json in
            json.member("name", name)
            json.member("value", value)
          }
        }
      }
      json.array("user_notes") { json in
        for note in record.notes where Metric.withCode(note.field)?.name == "note" {
          json.object { json in
            json.member("type", "note")
            json.member("value", note.text)
          }
        }
      }
      writeExtras(record, &json)
      writeSource(record.source, of: record.type, &json)
    }
    return json.bytes
  }

  typealias NamedValue = (name: String, value: RecordValue)

  /// What has a name in the form, by where it stands there.
  struct Parts {
    let metrics: [NamedValue]
    let segments: [Segment]
    let channels: [Channel]
  }

  /// - Throws: ``EncodingRefusal`` for a record that the form cannot carry; there is no other reason for one.
  func parts(_ record: Record) throws(EncodingRefusal) -> Parts {
    guard !record.flags.contains(.control) else {
      throw EncodingRefusal(code: .control, message: "control solution is never delivered")
    }
    guard !record.isOfWords else {
      throw EncodingRefusal(code: .nothingToSend, message: "Inform v2 has no form for a record of words alone")
    }
    let parts = Parts(
      metrics: try metrics(record.values), segments: try segments(record), channels: try channels(record))
    let isSeries = record.type.isSeries
    guard isSeries ? !parts.channels.isEmpty : !parts.metrics.isEmpty else {
      throw EncodingRefusal(code: .nothingToSend, message: "Inform v2 has a name for none of the values")
    }
    guard isSeries ? parts.metrics.isEmpty && parts.segments.isEmpty : parts.channels.isEmpty else {
      throw EncodingRefusal(
        code: .noPlace, message: "Inform v2 has series in intraday and cgm records, and nothing but series there")
    }
    return parts
  }

  /// The values that Inform has a name for.
  func metrics(_ values: [RecordValue]) throws(EncodingRefusal) -> [NamedValue] {
    var result: [NamedValue] = []
    for value in values {
      guard let metric = Metric.withCode(value.metric), metric.isPrimary, let name = InformName.of(metric.code) else {
        continue
      }
      guard !result.contains(where: { $0.name == name }) else {
        throw EncodingRefusal(
          code: .duplicate, message: "\(name) is there twice; which value is right cannot be told")
      }
      result.append((name, value))
    }
    let unnamed = unnamed(values).map(\.name)
    if let name = unnamed.first(where: { name in unnamed.count { $0 == name } > 1 }) {
      throw EncodingRefusal(
        code: .duplicate, message: "\(name) is there twice; which value is right cannot be told")
    }
    return result
  }

  /// - Parameter hasMark: Whether `out_of_range` stands in the metric, because the record's tags would not say whose it is.
  func write(_ metric: NamedValue, _ origin: ValueOrigin, hasMark: Bool = false, _ json: inout JSONWriter) {
    json.object { json in
      json.member("type", metric.name)
      json.member("origin", origin.rawValue)
      json.member("unit", InformUnit.text(metric.value.ucum, of: metric.name))
      json.member("value", number: metric.value.number)
      if hasMark, let range = metric.value.outOfRange { json.member("out_of_range", range.rawValue) }
    }
  }

  /// Inform wants a name and a category of workouts and food, and a category of sums.
  private func writeHeading(_ record: Record, _ json: inout JSONWriter) {
    switch record.type {
    case .fitness:
      json.member("name", record.text("activity_name") ?? "Unknown")
      json.member("category", record.text("category") ?? "other")
    case .nutrition:
      json.member("name", record.text("meal") ?? "Unknown")
      json.member("category", record.text("category") ?? "other")
    case .routine: json.member("category", record.text("category") ?? "daily")
    case .biometrics, .diabetes, .weight, .sleep, .intraday, .cgm: break
    }
  }

  /// What stands beside the values: coded facts by their words, amounts with their units, marks.
  private func tags(_ record: Record) -> [(String, String)] {
    var result: [(String, String)] = []
    for value in record.values {
      guard let metric = Metric.withCode(value.metric) else { continue }
      if metric.isPrimary {
        if let range = value.outOfRange { result.append(("out_of_range", range.rawValue)) }
      } else if metric.kind == .code {
        result.append((metric.name, value.word ?? value.number.description))
      } else {
        result.append((metric.name, "\(value.number) \(value.ucum)"))
      }
    }
    if let intensity = record.text("intensity") { result.append(("intensity", intensity)) }
    if record.flags.contains(.clockSuspect) { result.append(("clock_suspect", "true")) }
    return result + (record.details?.tags ?? []).map { ($0.name, $0.value) }
  }

  private func writeOffset(_ time: RecordTime, _ json: inout JSONWriter) {
    guard let offset = time.utcOffsetSeconds, let source = time.zoneSource else {
      json.null("utc_offset")
      json.null("offset_origin")
      return
    }
    json.member("utc_offset", integer: Int64(offset))
    json.member("offset_origin", source.informName)
  }

  /// A source's own members, and the values that Inform has no name for.
  private func writeExtras(_ record: Record, _ json: inout JSONWriter) {
    let extras = record.details?.extras ?? []
    writeExtras(unnamed(record.values).filter { value in !extras.contains { $0.name == value.name } }, extras, &json)
  }

  /// Measured values that Inform has no name for: a receiver keeps them beside the metrics, because the host forgets them
  /// with the delivery.
  func unnamed(_ values: [RecordValue]) -> [NamedValue] {
    values.compactMap { value in
      guard let metric = Metric.withCode(value.metric), metric.isPrimary, InformName.of(metric.code) == nil else {
        return nil
      }
      return (metric.name, value)
    }
  }

  func writeExtras(_ values: [NamedValue], _ extras: [RecordExtra] = [], _ json: inout JSONWriter) {
    guard !values.isEmpty || !extras.isEmpty else { return }
    json.object("extras") { json in
      for (name, value) in values {
        json.object(name) { json in
          json.member("value", number: value.number)
          json.member("unit", value.ucum)
          if let range = value.outOfRange { json.member("out_of_range", range.rawValue) }
        }
      }
      for extra in extras { json.member(extra) }
    }
  }

  private func writeSource(_ source: RecordSource, of type: RecordType, _ json: inout JSONWriter) {
    json.object("source") { json in
      // What people enter and programs export is no meter's.
      json.member("type", source.informType)
      guard !source.deviceID.isEmpty || source.model != nil || source.manufacturer != nil else {
        json.null("device")
        return
      }
      if type == .cgm, !source.deviceID.isEmpty {
        json.object("devices") { json in write(source, as: source.deviceID, &json) }
      } else {
        write(source, as: "device", &json)
      }
    }
  }

  private func write(_ source: RecordSource, as name: String, _ json: inout JSONWriter) {
    json.object(name) { json in
      json.member("id", source.deviceID)
      json.member("model", source.model ?? "")
      json.member("manufacturer", source.manufacturer ?? "")
    }
  }
}

extension JSONWriter {
  mutating func member(_ name: String, number: ReportedNumber) { member(name, literal: number.description) }

  mutating func member(_ extra: RecordExtra) {
    switch extra.value {
    case .text(let text): member(extra.name, text)
    case .number(let number): member(extra.name, number: number)
    case .flag(let flag): member(extra.name, flag: flag)
    }
  }
}

extension RecordTime.ZoneSource {
  /// The `offset_origin` of Inform v2.
  var informName: String {
    switch self {
    case .meter: "source"
    // The gateway's zone is a setting of the place, the nearest that Inform has.
    case .gateway: "profile"
    case .user: "user_defined"
    }
  }
}

extension RecordType {
  /// Whether records of this type are series, and nothing else.
  fileprivate var isSeries: Bool { self == .intraday || self == .cgm }
}

extension Record {
  /// The text of a field by its name, nil when there is none.
  func text(_ field: String) -> String? { notes.first { Metric.withCode($0.field)?.name == field }?.text }
}
