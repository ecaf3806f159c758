import StrictJSON

/// Decides whether a JSON value is an Inform v2 measurement that may be stored, and if not, names every reason at once.
///
/// Members that Inform does not define are kept as they are: they count towards the checksum and come back on reads.
struct RecordValidator: Sendable {
  let vocabulary: MeasurementVocabulary

  /// Members that the receiver adds on reads; a client's own are dropped, so that they cannot shadow them.
  static let reservedMembers: Set<String> = ["id", "checksum", "created_at", "updated_at", "deleted_at", "user"]

  /// Checks one record.
  ///
  /// - Throws: `FieldErrors` with a reason for each offending field.
  func validate(_ value: JSONValue) throws(FieldErrors) -> ValidRecord {
    var errors = FieldErrors()
    guard case .object(let record) = value else {
      errors.add("record", "must be an object, not \(value.kind)")
      throw errors
    }
    RecordFields.checkTree(value, path: "", &errors)
    let logID = RecordFields.logID(record["log_id"], &errors)
    RecordFields.checkConstant(record["type"], "type", "measurement", &errors)
    RecordFields.checkConstant(record["version"], "version", "1.0", &errors)
    let start = RecordFields.timestamp(record["start_time"], "start_time", &errors)
    let end = RecordFields.timestamp(record["end_time"], "end_time", &errors)
    if let start, let end, end < start { errors.add("end_time", "is before start_time") }
    RecordFields.checkOffset(record, &errors)
    checkMetrics(record["metrics"], &errors)
    RecordFields.checkPairs(record["tags"], "tags", nameKey: "name", &errors)
    RecordFields.checkPairs(record["user_notes"], "user_notes", nameKey: "type", &errors)
    RecordFields.checkSource(record["source"], &errors)
    let revision = RecordFields.revision(record["revision"], &errors)
    guard errors.isEmpty, let logID, let start, let revision else { throw errors }
    return ValidRecord(
      logID: logID, revision: revision, startTime: start,
      record: Self.normalized(record, logID: logID, revision: revision))
  }

  /// The record with every default written out, so that leaving a default away is no other content.
  private static func normalized(_ record: JSONObject, logID: String, revision: Int) -> JSONObject {
    var result = record
    result.members.removeAll { reservedMembers.contains($0.name) }
    result["log_id"] = .string(logID)
    result["revision"] = .integer(revision)
    for (name, value) in [("utc_offset", JSONValue.null), ("tags", .array([])), ("user_notes", .array([]))]
    where result[name] == nil {
      result[name] = value
    }
    return result
  }

  /// Members given twice, and numbers that Double cannot tell from their neighbours, mean different things to different
  /// readers: they may stand nowhere, not even in members that this receiver does not know.
  private static func checkTree(_ value: JSONValue, path: String, _ errors: inout FieldErrors) {
    switch value {
    case .number(let number) where !JSONNumberRule.exact.admits(number):
      errors.add(path, "is a number too large to be stored exactly")
    case .array(let values):
      for (index, value) in values.enumerated() { checkTree(value, path: "\(path)[\(index)]", &errors) }
    case .object(let object):
      var names: Set<[UInt8]> = []
      for member in object.members {
        let name = path + (path.isEmpty ? "" : ".") + member.name.prefix(64)
        if !names.insert(Array(member.name.utf8)).inserted { errors.add(name, "is given twice") }
        checkTree(member.value, path: name, &errors)
      }
    default: break
    }
  }

  func checkMetrics(_ value: JSONValue?, _ errors: inout FieldErrors) {
    guard let metrics = RecordFields.list(value, "metrics", required: true, &errors) else { return }
    if metrics.isEmpty { errors.add("metrics", "must hold at least one metric") }
    var seen: Set<String> = []
    for (index, value) in metrics.enumerated() {
      let field = "metrics[\(index)]"
      guard case .object(let metric) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      RecordFields.checkChoice(metric["origin"], "\(field).origin", ["device", "manual", "unknown"], &errors)
      let type = RecordFields.string(metric["type"], "\(field).type", &errors)
      let unit = RecordFields.string(metric["unit"], "\(field).unit", &errors)
      let number = RecordFields.number(metric["value"], "\(field).value", &errors)
      if let type, !seen.insert(type).inserted {
        errors.add("\(field).type", "is given twice in one record; which value is right cannot be told")
      }
      if let type, let unit, let number,
        let refusal = vocabulary.refusal(type: type, unit: unit, value: number)
      {
        errors.add("\(field).\(refusal.field)", refusal.reason)
      }
    }
  }
}
