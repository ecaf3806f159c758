import MeterCore
import CurlHTTP

/// The values of a record, sorted into the fields of the Legacy (v1) form and what it has no field for.
struct LegacyV1Values {
  /// Fields with the number in the field's unit, in the form's order.
  let fields: [(name: String, number: ReportedNumber)]
  /// The word of `relationship_to_meal`.
  let meal: String?
  /// Values without a field.
  let others: [RecordValue]
  /// `high` and `low`, by the names under which the values are written.
  let marks: [(name: String, range: OutOfRange)]

  /// - Throws: ``EncodingRefusal`` when no value has a field, one is there twice, or one cannot be converted.
  init(_ record: Record) throws(EncodingRefusal) {
    // A driver's own metrics are never delivered.
    var rest = record.values.filter { Metric.withCode($0.metric) != nil }
    guard Set(rest.map(\.metric)).count == rest.count else {
      throw EncodingRefusal(code: .duplicate, message: "a metric is there twice; which value is right cannot be told")
    }
    var fields: [(name: String, number: ReportedNumber)] = []
    var marks: [(name: String, range: OutOfRange)] = []
    for field in LegacyV1Field.all[record.type] ?? [] {
      guard
        let index = field.metrics.lazy.compactMap({ name in rest.firstIndex { $0.metricName == name } }).first
      else { continue }
      let value = rest.remove(at: index)
      fields.append((field.name, try Self.converted(value, field)))
      if let range = value.outOfRange { marks.append((field.name, range)) }
    }
    guard !fields.isEmpty || record.isOfWords else {
      throw EncodingRefusal(
        code: .nothingToSend, message: "the Legacy API has a field in \(record.type.rawValue) for none of the values")
    }
    meal = rest.first { $0.metricName == "relationship_to_meal" }.flatMap(\.word).flatMap { LegacyV1Field.meals[$0] }
    if meal != nil { rest.removeAll { $0.metricName == "relationship_to_meal" } }
    for value in rest { if let range = value.outOfRange { marks.append((value.metricName, range)) } }
    self.fields = fields
    self.marks = marks
    others = rest
  }

  private static func converted(_ value: RecordValue, _ field: LegacyV1Field) throws(EncodingRefusal) -> ReportedNumber
  {
    do {
      return try value.number.converted(
        from: value.ucum, to: field.ucum, analyte: Metric.withCode(value.metric)?.analyte, resolution: .kept)
    } catch {
      throw EncodingRefusal(code: .notConvertible, message: "\(field.name): \(error)")
    }
  }
}

/// A member of a Legacy record's `extras`.
struct LegacyV1Extra {
  enum Content {
    case member(RecordExtra.Value)
    case quantity(RecordValue)
    case texts([String])
    case tags([RecordTag])
  }

  let name: String
  let content: Content
}

extension LegacyV1Encoder {
  /// What the form has no field for, by names that stand once each.
  ///
  /// - Throws: ``EncodingRefusal`` when a source's own extra has a name of ours: one would overwrite the other.
  func extras(_ record: Record, _ values: LegacyV1Values) throws(EncodingRefusal) -> [LegacyV1Extra] {
    var result = values.others.map { value in
      if let word = value.word { return LegacyV1Extra(name: value.metricName, content: .member(.text(word))) }
      return LegacyV1Extra(name: value.metricName, content: .quantity(value))
    }
    func add(_ name: String, _ text: String?) {
      if let text { result.append(LegacyV1Extra(name: name, content: .member(.text(text)))) }
    }
    for mark in values.marks { add("\(mark.name)_out_of_range", mark.range.rawValue) }
    let notes = record.notes.filter { Metric.withCode($0.field)?.name == "note" }.map(\.text)
    if !notes.isEmpty { result.append(LegacyV1Extra(name: "notes", content: .texts(notes))) }
    add("category", record.text("category"))
    add("origin", record.origin.rawValue)
    add("offset_origin", record.time.zoneSource?.informName)
    if record.time.endMicroseconds != record.time.startMicroseconds {
      add("end_time", UTCText.string(record.time.endMicroseconds))
    }
    if record.flags.contains(.clockSuspect) {
      result.append(LegacyV1Extra(name: "clock_suspect", content: .member(.flag(true))))
    }
    if !record.source.deviceID.isEmpty { add("device_id", record.source.deviceID) }
    if let tags = record.details?.tags, !tags.isEmpty {
      result.append(LegacyV1Extra(name: "tags", content: .tags(tags)))
    }
    for extra in record.details?.extras ?? [] {
      guard !result.contains(where: { $0.name == extra.name }) else {
        throw EncodingRefusal(code: .duplicate, message: "the extra \(extra.name) has a name that is used already")
      }
      result.append(LegacyV1Extra(name: extra.name, content: .member(extra.value)))
    }
    return result
  }
}
