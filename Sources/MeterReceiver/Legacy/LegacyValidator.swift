import HostPrimitives

/// Decides whether a JSON value is a Legacy (v1) record that may be stored, and if not, names every reason at once.
///
/// Members that the format does not define are kept, as in Inform v2.
enum LegacyValidator {
  static let identifierLimit = 128
  /// Members that the receiver sets itself.
  static let reservedMembers: Set<String> = [
    "_id", "checksum", "created_at", "updated_at", "user_id", "last_updated", "media",
  ]

  /// Checks one record.
  ///
  /// - Parameters:
  ///   - stored: The stored record that this one is to replace: its `activity_id` stands where none is given, and no other
  ///     may.
  ///   - revision: The revision of a record that says none.
  /// - Throws: `FieldErrors` with a reason for each offending field.
  static func validate(
    _ value: JSONValue, type: LegacyType, replacing stored: String? = nil, revision: Int = 1
  ) throws(FieldErrors) -> ValidRecord {
    var errors = FieldErrors()
    guard case .object(var record) = value else {
      errors.add(type.rawValue, "must be an object, not \(value.kind)")
      throw errors
    }
    RecordFields.checkTree(value, path: "", &errors)
    record.members.removeAll { reservedMembers.contains($0.name) }
    if let stored, record["activity_id"] == nil { record["activity_id"] = .string(stored) }
    let activity = activityID(record["activity_id"], &errors)
    if let stored, let activity, activity != stored { errors.add("activity_id", "cannot be changed") }
    let time = time(record["timestamp"], "timestamp", &errors)
    if let value = record["start_time"], value != .null { _ = Self.time(value, "start_time", &errors) }
    checkOffset(record["utc_offset"] ?? .null, &errors)
    checkMeasures(record, type, &errors)
    checkTexts(record, &errors)
    RecordFields.checkContentHash(record[ValidRecord.contentHashMember], &errors)
    let given = statedRevision(record).map { RecordFields.revision($0, &errors) } ?? revision
    // Kept beside the content: an update without one must not become another content by the receiver's own count.
    record["revision"] = nil
    guard errors.isEmpty, let activity, let time, let given else { throw errors }
    return ValidRecord(kind: .legacy(type), logID: activity, revision: given, startTime: time, record: record)
  }

  /// The revision that a client states: as a member of the record, or among the extras, where a client puts whatever the
  /// format has no member for.
  static func statedRevision(_ record: JSONObject) -> JSONValue? {
    if let revision = record["revision"] { return revision }
    guard case .object(let extras)? = record["extras"] else { return nil }
    return extras["revision"]
  }

  /// The client's own name of the record, by which a repetition is known.
  private static func activityID(_ value: JSONValue?, _ errors: inout FieldErrors) -> String? {
    guard let text = RecordFields.string(value, "activity_id", &errors) else { return nil }
    guard text.utf8.count <= identifierLimit, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      errors.add("activity_id", "must have 1 to \(identifierLimit) printable ASCII characters without blanks")
      return nil
    }
    return text
  }

  private static func time(_ value: JSONValue?, _ field: String, _ errors: inout FieldErrors) -> UTCTimestamp? {
    guard let text = RecordFields.string(value, field, &errors) else { return nil }
    guard let time = UTCTimestamp(offset: text) else {
      errors.add(field, "must be a time by RFC 3339, such as 2026-01-31T07:05:00+00:00")
      return nil
    }
    return time
  }

  /// `+HH:MM` or `-HH:MM`.
  private static func checkOffset(_ value: JSONValue, _ errors: inout FieldErrors) {
    if value == .null { return }
    guard case .string(let text) = value, WrittenTime.offset(text.utf8) != nil else {
      return errors.add("utc_offset", "must be null or an offset such as +02:00, at most 18 hours")
    }
  }

  private static func checkMeasures(_ record: JSONObject, _ type: LegacyType, _ errors: inout FieldErrors) {
    var count = 0
    for (name, range) in type.measures.sorted(by: { $0.key < $1.key }) {
      switch record[name] ?? .null {
      case .null: continue
      case .number(let number, _) where range.contains(number): count += 1
      case .number:
        let bounds = [range.lowerBound, range.upperBound].map { JSONValue.number($0).text }
        errors.add(name, "is outside the plausible range, \(bounds[0]) to \(bounds[1])")
      case let other: errors.add(name, "must be a number or null, not \(other.kind)")
      }
    }
    // It would be stored without its range.
    for name in LegacyType.allMeasures where type.measures[name] == nil && record[name] ?? .null != .null {
      errors.add(name, "does not belong in a record of type \(type.rawValue)")
    }
    if count == 0 && errors.isEmpty && !hasWords(record, type) {
      errors.add(type.rawValue, "holds none of \(type.measures.keys.sorted().joined(separator: ", "))")
    }
  }

  /// Whether the extras hold reproductive health, for which the format has no members.
  private static func hasWords(_ record: JSONObject, _ type: LegacyType) -> Bool {
    guard type == .biometrics, case .object(let extras)? = record["extras"] else { return false }
    return LegacyVocabulary.reproductive.contains { name in
      switch extras[name] ?? .null {
      case .string(let text): !text.isEmpty
      case .number: true
      default: false
      }
    }
  }

  private static func checkTexts(_ record: JSONObject, _ errors: inout FieldErrors) {
    let common = ["source", "source_name", "original_source", "intermediary_source", "source_peripheral", "log_id"]
    for name in common + LegacyType.allTexts {
      if let value = record[name], value != .null { RecordFields.checkText(value, name, &errors) }
    }
    switch record["validated"] ?? .null {
    case .null, .bool: break
    case let other: errors.add("validated", "must be true, false or null, not \(other.kind)")
    }
    switch record["extras"] ?? .null {
    case .null, .object, .string: break
    case let other: errors.add("extras", "must be an object, a string or null, not \(other.kind)")
    }
  }
}
