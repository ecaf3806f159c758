import StrictJSON

/// Decides whether a JSON value is an Inform v2 measurement that may be stored, and if not, names every reason at once.
///
/// Members that Inform does not define are kept as they are: they count towards the checksum and come back on reads.
struct MeasurementValidator: Sendable {
  let vocabulary: MeasurementVocabulary

  static let listLimit = 64
  static let textLimit = 4096
  /// A client that stored a huge revision by mistake could never correct the record again.
  static let revisionLimit = Int(Int32.max)
  /// Members that the receiver adds on reads; a client's own are dropped, so that they cannot shadow them.
  static let reservedMembers: Set<String> = ["id", "checksum", "created_at", "updated_at", "deleted_at", "user"]

  /// Checks one record.
  ///
  /// - Throws: `FieldErrors` with a reason for each offending field.
  func validate(_ value: JSONValue) throws(FieldErrors) -> ValidMeasurement {
    var errors = FieldErrors()
    guard case .object(let record) = value else {
      errors.add("record", "must be an object, not \(value.kind)")
      throw errors
    }
    Self.checkTree(value, path: "", &errors)
    let logID = Self.logID(record["log_id"], &errors)
    Self.checkConstant(record["type"], "type", "measurement", &errors)
    Self.checkConstant(record["version"], "version", "1.0", &errors)
    let start = Self.timestamp(record["start_time"], "start_time", &errors)
    let end = Self.timestamp(record["end_time"], "end_time", &errors)
    if let start, let end, end < start { errors.add("end_time", "is before start_time") }
    Self.checkOffset(record, &errors)
    checkMetrics(record["metrics"], &errors)
    Self.checkPairs(record["tags"], "tags", nameKey: "name", &errors)
    Self.checkPairs(record["user_notes"], "user_notes", nameKey: "type", &errors)
    Self.checkSource(record["source"], &errors)
    let revision = Self.revision(record["revision"], &errors)
    guard errors.isEmpty, let logID, let start, let revision else { throw errors }
    return ValidMeasurement(
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
}
