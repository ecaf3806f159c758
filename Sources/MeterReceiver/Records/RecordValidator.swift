/// Decides whether a JSON value is an Inform v2 record that may be stored, and if not, names every reason at once.
///
/// Members that Inform does not define are kept as they are: they count towards the checksum and come back on reads.
struct RecordValidator: Sendable {
  let vocabulary: MeasurementVocabulary

  /// Hypnograms have hundreds of stages.
  static let segmentLimit = 1000
  /// Members that the receiver adds on reads; a client's own are dropped, so that they cannot shadow them.
  static let reservedMembers: Set<String> = [
    "id", "checksum", "created_at", "updated_at", "deleted_at", "user", "media",
  ]

  /// Checks a record that is to replace a stored one: the stored `log_id` stands where none is given, and no other may.
  ///
  /// - Parameter revision: The revision of a record that says none.
  /// - Throws: `FieldErrors` with a reason for each offending field.
  func validate(
    _ value: JSONValue, accepting accepted: [RecordType], replacing stored: String, revision: Int
  ) throws(FieldErrors) -> ValidRecord {
    guard case .object(var record) = value else { return try validate(value, accepting: accepted) }
    if record["log_id"] == nil { record["log_id"] = .string(stored) }
    if record["revision"] == nil { record["revision"] = .integer(revision) }
    let valid = try validate(.object(record), accepting: accepted)
    guard valid.logID == stored else {
      var errors = FieldErrors()
      errors.add("log_id", "cannot be changed")
      throw errors
    }
    return valid
  }

  /// Checks one record.
  ///
  /// - Parameter accepted: The record types that may stand where the record came from.
  /// - Throws: `FieldErrors` with a reason for each offending field.
  func validate(_ value: JSONValue, accepting accepted: [RecordType] = [.measurement]) throws(FieldErrors)
    -> ValidRecord
  {
    var errors = FieldErrors()
    guard case .object(let record) = value else {
      errors.add("record", "must be an object, not \(value.kind)")
      throw errors
    }
    RecordFields.checkTree(value, path: "", &errors)
    let logID = RecordFields.logID(record["log_id"], &errors)
    RecordFields.checkChoice(record["type"], "type", accepted.map(\.rawValue), &errors)
    RecordFields.checkConstant(record["version"], "version", "1.0", &errors)
    let start = RecordFields.timestamp(record["start_time"], "start_time", &errors)
    let end = RecordFields.timestamp(record["end_time"], "end_time", &errors)
    if let start, let end, end < start { errors.add("end_time", "is before start_time") }
    RecordFields.checkOffset(record, &errors)
    if case .string(let text)? = record["type"], let type = RecordType(rawValue: text), accepted.contains(type) {
      checkBody(record, type, (start, end), &errors)
    }
    RecordFields.checkPairs(record["tags"], "tags", nameKey: "name", &errors)
    RecordFields.checkPairs(record["user_notes"], "user_notes", nameKey: "type", &errors)
    RecordFields.checkSource(record["source"], &errors)
    let revision = RecordFields.revision(record["revision"], &errors)
    RecordFields.checkContentHash(record[ValidRecord.contentHashMember], &errors)
    guard errors.isEmpty, let logID, let start, let revision, case .string(let text)? = record["type"],
      let type = RecordType(rawValue: text)
    else { throw errors }
    return ValidRecord(
      kind: .inform(type), logID: logID, revision: revision, startTime: start,
      record: Self.normalized(record, type, logID: logID, revision: revision))
  }

  /// What is particular to a type: its metrics, and what stands around them.
  private func checkBody(
    _ record: JSONObject, _ type: RecordType, _ period: MetricValidator.Period, _ errors: inout FieldErrors
  ) {
    let metrics = MetricValidator(vocabulary: vocabulary, type: type)
    metrics.check(record["metrics"], "metrics", required: true, period: period, &errors)
    if case .array(let values)? = record["metrics"], values.isEmpty, !Self.hasMetricsInSegments(record) {
      errors.add("metrics", "must hold at least one metric, unless a segment does")
    }
    if let granularity = record["granularity"], granularity != .null {
      Self.checkGranularity(granularity, &errors)
    }
    for name in ["name", "category"] {
      if let value = record[name], value != .null { RecordFields.checkText(value, name, &errors) }
    }
    guard let segments = record["segments"] else { return }
    guard type.hasSegments else { return errors.add("segments", "do not belong in a record of type \(type.rawValue)") }
    checkSegments(segments, metrics, period, &errors)
  }

  /// `granularity{interval,unit}`: how far apart the points of a series are meant to be.
  private static func checkGranularity(_ value: JSONValue, _ errors: inout FieldErrors) {
    guard case .object(let granularity) = value else {
      return errors.add("granularity", "must be an object, not \(value.kind)")
    }
    if granularity["interval"]?.integer.map({ (1...86_400).contains($0) }) != true {
      errors.add("granularity.interval", "must be a whole number from 1 to 86400")
    }
    RecordFields.checkChoice(granularity["unit"], "granularity.unit", ["s", "min", "h", "d"], &errors)
  }

  private static func hasMetricsInSegments(_ record: JSONObject) -> Bool {
    guard case .array(let segments)? = record["segments"] else { return false }
    return segments.contains { segment in
      guard case .object(let segment) = segment else { return false }
      var parts = [segment]
      if case .array(let foods)? = segment["food"] {
        for case .object(let food) in foods { parts.append(food) }
      }
      return parts.contains { part in
        guard case .array(let metrics)? = part["metrics"] else { return false }
        return !metrics.isEmpty
      }
    }
  }

  private func checkSegments(
    _ value: JSONValue, _ metrics: MetricValidator, _ period: MetricValidator.Period, _ errors: inout FieldErrors
  ) {
    let segments = RecordFields.list(value, "segments", required: true, limit: Self.segmentLimit, &errors) ?? []
    for (index, value) in segments.enumerated() {
      let field = "segments[\(index)]"
      guard case .object(let segment) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      for name in ["name", "type", "category"] {
        if let value = segment[name], value != .null { RecordFields.checkText(value, "\(field).\(name)", &errors) }
      }
      let times = ["start_time", "end_time"].map { name in
        segment[name].flatMap { RecordFields.timestamp($0, "\(field).\(name)", &errors) }
      }
      if let start = times[0], let end = times[1], end < start {
        errors.add("\(field).end_time", "is before start_time")
      }
      metrics.check(segment["metrics"], "\(field).metrics", required: false, period: period, &errors)
      checkFood(segment["food"], field, metrics, period, &errors)
    }
  }

  /// What a meal consisted of: `food[{name,brand,metrics,serving{amount,unit_name}}]`.
  private func checkFood(
    _ value: JSONValue?, _ field: String, _ metrics: MetricValidator, _ period: MetricValidator.Period,
    _ errors: inout FieldErrors
  ) {
    for (index, value) in (RecordFields.list(value, "\(field).food", required: false, &errors) ?? []).enumerated() {
      let field = "\(field).food[\(index)]"
      guard case .object(let food) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      for name in ["name", "brand"] {
        if let value = food[name], value != .null { RecordFields.checkText(value, "\(field).\(name)", &errors) }
      }
      metrics.check(food["metrics"], "\(field).metrics", required: false, period: period, &errors)
      guard let serving = food["serving"], serving != .null else { continue }
      guard case .object(let serving) = serving else {
        errors.add("\(field).serving", "must be an object, not \(serving.kind)")
        continue
      }
      if let value = serving["amount"], value != .null,
        let amount = RecordFields.number(value, "\(field).serving.amount", &errors), amount < 0
      {
        errors.add("\(field).serving.amount", "must not be negative")
      }
      if let unit = serving["unit_name"], unit != .null {
        RecordFields.checkText(unit, "\(field).serving.unit_name", &errors)
      }
    }
  }

  /// The record with every default written out, so that leaving a default away is no other content.
  private static func normalized(
    _ record: JSONObject, _ type: RecordType, logID: String, revision: Int
  ) -> JSONObject {
    var result = record
    result.members.removeAll { reservedMembers.contains($0.name) }
    result["log_id"] = .string(logID)
    result["revision"] = .integer(revision)
    let segments: [(String, JSONValue)] = type.hasSegments ? [("segments", .array([]))] : []
    for (name, value) in [("utc_offset", JSONValue.null), ("tags", .array([])), ("user_notes", .array([]))] + segments
    where result[name] == nil {
      result[name] = value
    }
    return result
  }
}
