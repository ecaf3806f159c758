/// Checks the metrics of one record: names, units and values, and for series their points.
struct MetricValidator: Sendable {
  let vocabulary: MeasurementVocabulary
  let type: RecordType

  /// A day of one value each 5 s. A body of the default limit holds about as many.
  static let pointLimit = 20_000

  /// What times of points are held against.
  typealias Period = (start: UTCTimestamp?, end: UTCTimestamp?)

  func check(_ value: JSONValue?, _ field: String, required: Bool, period: Period, _ errors: inout FieldErrors) {
    guard let metrics = RecordFields.list(value, field, required: required, &errors) else { return }
    var seen: Set<String> = []
    for (index, value) in metrics.enumerated() {
      let field = "\(field)[\(index)]"
      guard case .object(let metric) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      let name = checkName(metric, field, &seen, &errors)
      let unit = RecordFields.string(metric["unit"], "\(field).unit", &errors)
      // A series may have single numbers beside it, such as the mean of its day.
      if type.isSeries && metric["value"] == nil {
        checkSeries(metric, name, unit, field, period, &errors)
      } else {
        for name in ["data_points", "reading_log"] where metric[name] != nil {
          errors.add("\(field).\(name)", "must not stand beside a value, or in a record of type \(type.rawValue)")
        }
        let number = RecordFields.number(metric["value"], "\(field).value", &errors)
        checkValue(number, name, unit, field, &errors)
      }
    }
  }

  private func checkName(
    _ metric: JSONObject, _ field: String, _ seen: inout Set<String>, _ errors: inout FieldErrors
  ) -> String? {
    RecordFields.checkChoice(metric["origin"], "\(field).origin", ["device", "manual", "unknown"], &errors)
    guard let name = RecordFields.string(metric["type"], "\(field).type", &errors) else { return nil }
    if !seen.insert(name).inserted {
      errors.add("\(field).type", "is given twice in one record; which value is right cannot be told")
    }
    if vocabulary.metrics[name] != nil && !type.admits(metric: name) {
      errors.add("\(field).type", "does not belong in a record of type \(type.rawValue)")
    }
    return name
  }

  private func checkValue(
    _ number: Double?, _ name: String?, _ unit: String?, _ field: String, _ errors: inout FieldErrors
  ) {
    guard let number, let name, let unit else { return }
    if let refusal = vocabulary.refusal(type: name, unit: unit, value: number) {
      errors.add("\(field).\(refusal.field)", refusal.reason)
    }
  }

  /// `data_points[{time,value}]`, which Inform calls `reading_log` in a cgm record.
  private func checkSeries(
    _ metric: JSONObject, _ name: String?, _ unit: String?, _ field: String, _ period: Period,
    _ errors: inout FieldErrors
  ) {
    let key = type == .cgm && metric["reading_log"] != nil ? "reading_log" : "data_points"
    for other in ["reading_log", "data_points"] where other != key && metric[other] != nil {
      errors.add("\(field).\(other)", "must not stand in a record of type \(type.rawValue) beside its \(key)")
    }
    guard
      let points = RecordFields.list(
        metric[key], "\(field).\(key)", required: true, limit: Self.pointLimit, &errors)
    else { return }
    if points.isEmpty { errors.add("\(field).\(key)", "must hold at least one point") }
    var seen: Set<Int64> = []
    for (index, value) in points.enumerated() {
      let field = "\(field).\(key)[\(index)]"
      guard case .object(let point) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      if let time = RecordFields.timestamp(point["time"], "\(field).time", &errors) {
        if !seen.insert(time.milliseconds).inserted { errors.add("\(field).time", "is given twice in one series") }
        if let start = period.start, time < start { errors.add("\(field).time", "is before start_time") }
        if let end = period.end, time > end { errors.add("\(field).time", "is after end_time") }
      }
      checkPoint(point, field, &errors)
      checkValue(RecordFields.number(point["value"], "\(field).value", &errors), name, unit, field, &errors)
    }
  }

  /// What a point of a cgm record may say beside time and value.
  private func checkPoint(_ point: JSONObject, _ field: String, _ errors: inout FieldErrors) {
    for name in ["display_time", "device_id"] {
      if let value = point[name], value != .null { RecordFields.checkText(value, "\(field).\(name)", &errors) }
    }
    switch point["scheduled"] ?? .null {
    case .null, .bool: break
    case let other: errors.add("\(field).scheduled", "must be true or false, not \(other.kind)")
    }
  }
}
