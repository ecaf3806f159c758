public import MeterCore
import CurlHTTP
import StrictJSON

/// Writes a record in the form of Validic's Legacy API (v1): biometrics, diabetes, weight, routine, nutrition, fitness or
/// sleep.
///
/// A field has one unit there, so values are converted, with as many digits as the way back needs. What the form has no
/// field for stands in `extras` under its own name and in its own unit. Segments are left out where the record's own values have
/// all that theirs have. What fits nowhere is refused: a receiver would take the rest for the whole.
public struct LegacyV1Encoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// The record types that the Legacy API has; each is the path's last part and the envelope's member.
  public static let types: [RecordType] = [
    .biometrics, .diabetes, .weight, .routine, .nutrition, .fitness, .sleep,
  ]

  /// One record as a JSON object in UTF-8: `{"access_token": ..., "TYPE": {...}}`.
  ///
  /// - Parameter accessToken: The organisation's token, which the Legacy API takes in the body; nil leaves it out.
  /// - Parameter mark: By what the receiver is to tell a repetition from a change.
  /// - Throws: ``EncodingRefusal``, which names the part that the form cannot carry.
  public func encode(
    _ record: Record, accessToken: String? = nil, mark: ContentMark = .revision
  ) throws(EncodingRefusal) -> [UInt8] {
    let parts = try parts(record)
    let values = parts.values
    var json = JSONWriter()
    json.object { json in
      if let accessToken { json.member("access_token", accessToken) }
      json.object(record.type.rawValue) { json in
        json.member("activity_id", record.logID.description)
        mark.write(record, &json)
        json.member("timestamp", Self.time(record.time.startMicroseconds))
        if let offset = parts.offset { json.member("utc_offset", offset) } else { json.null("utc_offset") }
        if record.type == .fitness { json.member("start_time", Self.time(record.time.startMicroseconds)) }
        for (field, number) in values.fields { json.member(field, number: number) }
        if let meal = values.meal { json.member("relationship_to_meal", meal) }
        for (text, field) in LegacyV1Field.texts[record.type] ?? [] {
          if let value = record.text(text) { json.member(field, value) }
        }
        writeSource(record.source, &json)
        json.object("extras") { json in for extra in parts.extras { write(extra, &json) } }
      }
    }
    return json.bytes
  }

  /// Of a meter, manufacturer and model; of what a health store has, the maker or the app that wrote it, and the store between them.
  private func writeSource(_ source: RecordSource, _ json: inout JSONWriter) {
    let store = HealthStore(source)
    json.member("source", source.informType)
    json.member("source_name", source.model ?? store?.name ?? source.driverID)
    if let origin = source.manufacturer ?? (store == nil ? nil : source.model) {
      json.member("original_source", origin)
    }
    if let store { json.member("intermediary_source", store.name) }
    if let model = source.model { json.member("source_peripheral", model) }
  }

  /// What of a record goes where in the form.
  struct Parts {
    let values: LegacyV1Values
    /// `+02:00`; nil when the offset is not known.
    let offset: String?
    let extras: [LegacyV1Extra]
  }

  /// - Throws: ``EncodingRefusal`` for a record that the form cannot carry; there is no other reason for one.
  func parts(_ record: Record) throws(EncodingRefusal) -> Parts {
    try refuseWhatHasNoPlace(record)
    let values = try LegacyV1Values(record)
    let offset = try offset(record.time)
    return Parts(values: values, offset: offset, extras: try extras(record, values))
  }

  private func refuseWhatHasNoPlace(_ record: Record) throws(EncodingRefusal) {
    guard !record.flags.contains(.control) else {
      throw EncodingRefusal(code: .control, message: "control solution is never delivered")
    }
    guard Self.types.contains(record.type) else {
      throw EncodingRefusal(
        code: .noSuchType,
        message: "the Legacy API has no \(record.type.rawValue) records; it has "
          + Self.types.map(\.rawValue).joined(separator: ", "))
    }
    guard record.details?.series == nil else {
      throw EncodingRefusal(code: .noPlace, message: "the Legacy API has no place for series")
    }
    guard record.coversItsSegments else {
      throw EncodingRefusal(
        code: .noPlace, message: "the Legacy API has no place for segments with values that the record does not sum up")
    }
  }

  /// `+02:00`; nil when the offset is not known.
  private func offset(_ time: RecordTime) throws(EncodingRefusal) -> String? {
    guard let seconds = time.utcOffsetSeconds else { return nil }
    guard let text = UTCText.offset(seconds) else {
      throw EncodingRefusal(
        code: .offset, message: "the Legacy API writes a UTC offset in whole minutes; this one has seconds")
    }
    return text
  }

  /// UTC in the form of the Legacy API's examples, which write the offset out.
  private static func time(_ microseconds: Int64) -> String { "\(UTCText.string(microseconds).dropLast())+00:00" }

  private func write(_ extra: LegacyV1Extra, _ json: inout JSONWriter) {
    switch extra.content {
    case .member(let value): json.member(RecordExtra(name: extra.name, value: value))
    case .quantity(let value):
      json.object(extra.name) { json in
        json.member("value", number: value.number)
        json.member("unit", value.ucum)
      }
    case .texts(let texts): json.array(extra.name) { json in for text in texts { json.member(nil, text) } }
    case .tags(let tags):
      json.array(extra.name) { json in
        for tag in tags {
          json.object { json in
            json.member("name", tag.name)
            json.member("value", tag.value)
          }
        }
      }
    }
  }
}

extension Record {
  /// Whether its own values have every metric that its segments and the foods in them have: stages and activities have none, and those of
  /// a day's food are summed up.
  fileprivate var coversItsSegments: Bool {
    let own = Set(values.map(\.metric))
    return (details?.segments ?? []).allSatisfy { segment in
      (segment.values + segment.foods.flatMap(\.values)).allSatisfy { own.contains($0.metric) }
    }
  }
}
