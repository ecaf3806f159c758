import HostPrimitives
import StrictJSON

/// The rules of single members, the same in every record of every wire format.
enum RecordFields {
  static let listLimit = 64
  static let textLimit = 4096
  static let memberLimit = 256
  static let nameLimit = 256
  /// A client that stored a huge revision by mistake could never correct the record again.
  static let revisionLimit = Int(Int32.max)

  /// The text of a required string, or nil with the reason added.
  static func string(_ value: JSONValue?, _ field: String, _ errors: inout FieldErrors) -> String? {
    switch value {
    case .string(let text) where text.isEmpty: errors.add(field, "must not be empty")
    case .string(let text) where text.utf8.count > textLimit: errors.add(field, "is longer than \(textLimit) bytes")
    case .string(let text): return text
    case nil: errors.add(field, "is missing")
    case let other?: errors.add(field, "must be a string, not \(other.kind)")
    }
    return nil
  }

  static func checkConstant(_ value: JSONValue?, _ field: String, _ constant: String, _ errors: inout FieldErrors) {
    if let text = string(value, field, &errors), text != constant { errors.add(field, "must be \"\(constant)\"") }
  }

  static func checkChoice(
    _ value: JSONValue?, _ field: String, _ choices: [String], _ errors: inout FieldErrors
  ) {
    if let text = string(value, field, &errors), !choices.contains(text) {
      errors.add(field, "must be one of \(choices.joined(separator: ", "))")
    }
  }

  /// A UUID (RFC 9562 section 4) in lower case: its two spellings are one record.
  static func logID(_ value: JSONValue?, _ errors: inout FieldErrors) -> String? {
    guard let text = string(value, "log_id", &errors) else { return nil }
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12], text.utf8.count == 36,
      groups.allSatisfy({ $0.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil } })
    else {
      errors.add("log_id", "must be a UUID such as 0189d8a1-5b0c-8f00-8000-3f2a11c0ffee")
      return nil
    }
    guard text.utf8.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }) else {
      errors.add("log_id", "must not be the nil UUID")
      return nil
    }
    return text.lowercased()
  }

  static func timestamp(_ value: JSONValue?, _ field: String, _ errors: inout FieldErrors) -> UTCTimestamp? {
    guard let text = string(value, field, &errors) else { return nil }
    guard let timestamp = UTCTimestamp(text) else {
      errors.add(field, "must be a time in UTC by RFC 3339, ending in Z, such as 2026-01-31T07:05:00Z")
      return nil
    }
    return timestamp
  }

  static func checkOffset(_ record: JSONObject, _ errors: inout FieldErrors) {
    let offset = record["utc_offset"] ?? .null
    if offset != .null {
      // The outermost offsets in use are -12 and +14 hours.
      guard let seconds = offset.integer, (-18 * 3600...18 * 3600).contains(seconds) else {
        errors.add("utc_offset", "must be null or whole seconds between -64800 and 64800")
        return
      }
    }
    // Without an offset there is nothing whose origin could be told.
    let origin = record["offset_origin"] ?? .null
    guard offset != .null || origin != .null else { return }
    checkChoice(origin, "offset_origin", ["source", "profile", "user_defined"], &errors)
  }

  static func number(_ value: JSONValue?, _ field: String, _ errors: inout FieldErrors) -> Double? {
    switch value {
    // checkTree has already named a number that is not finite.
    case .number(let number, _): return number.isFinite ? number : nil
    case nil: errors.add(field, "is missing")
    case let other?: errors.add(field, "must be a number, not \(other.kind)")
    }
    return nil
  }

  static func list(
    _ value: JSONValue?, _ field: String, required: Bool, limit: Int = listLimit, _ errors: inout FieldErrors
  ) -> [JSONValue]? {
    switch value {
    case .array(let values) where values.count > limit:
      errors.add(field, "has more than \(limit) elements")
    case .array(let values): return values
    case nil: if required { errors.add(field, "is missing") }
    case let other?: errors.add(field, "must be an array, not \(other.kind)")
    }
    return nil
  }

  /// `tags[{name,value}]` and `user_notes[{type,value}]`.
  static func checkPairs(_ value: JSONValue?, _ field: String, nameKey: String, _ errors: inout FieldErrors) {
    for (index, value) in (list(value, field, required: false, &errors) ?? []).enumerated() {
      guard case .object(let pair) = value else {
        errors.add("\(field)[\(index)]", "must be an object, not \(value.kind)")
        continue
      }
      _ = string(pair[nameKey], "\(field)[\(index)].\(nameKey)", &errors)
      checkText(pair["value"] ?? .null, "\(field)[\(index)].value", &errors)
    }
  }

  static func checkSource(_ value: JSONValue?, _ errors: inout FieldErrors) {
    guard case .object(let source)? = value else {
      errors.add("source", value.map { "must be an object, not \($0.kind)" } ?? "is missing")
      return
    }
    _ = string(source["type"], "source.type", &errors)
    switch source["device"] ?? .null {
    case .null: break
    case .object(let device):
      for name in ["id", "model", "manufacturer"] {
        if let value = device[name], value != .null { checkText(value, "source.device.\(name)", &errors) }
      }
    case let other: errors.add("source.device", "must be an object or null, not \(other.kind)")
    }
  }

  /// A string that may be empty: what a meter reports about itself often is.
  static func checkText(_ value: JSONValue, _ field: String, _ errors: inout FieldErrors) {
    guard case .string(let text) = value else { return errors.add(field, "must be a string, not \(value.kind)") }
    if text.utf8.count > textLimit { errors.add(field, "is longer than \(textLimit) bytes") }
  }

  static func revision(_ value: JSONValue?, _ errors: inout FieldErrors) -> Int? {
    guard let value else { return 1 }
    guard let revision = value.integer, (1...revisionLimit).contains(revision) else {
      errors.add("revision", "must be a whole number from 1 to \(revisionLimit)")
      return nil
    }
    return revision
  }

  /// SHA-256 in lower-case hexadecimal; it may be left out.
  static func checkContentHash(_ value: JSONValue?, _ errors: inout FieldErrors) {
    guard let value else { return }
    let digits = Set("0123456789abcdef".utf8)
    guard case .string(let hash) = value, hash.utf8.count == 64, hash.utf8.allSatisfy(digits.contains) else {
      return errors.add(ValidRecord.contentHashMember, "must be a SHA-256 as 64 lower-case hexadecimal digits")
    }
  }

  /// Members given twice, and numbers that Double cannot tell from their neighbours or that nobody would write out, mean different
  /// things to different readers: they may stand nowhere, not even in members that this receiver does not know.
  ///
  /// Nor may anything be longer there than what the receiver knows.
  static func checkTree(_ value: JSONValue, path: String, _ errors: inout FieldErrors) {
    switch value {
    case .string(let text) where text.utf8.count > textLimit: errors.add(path, "is longer than \(textLimit) bytes")
    case .number(let number, _) where !JSONNumberRule.exact.admits(number):
      errors.add(path, "is a number too large to be stored exactly")
    case .number(_, let numeral) where !numeral.isBounded:
      errors.add(
        path,
        "is written with more than \(JSONNumeral.greatestLength) characters, or an exponent beyond "
          + "\(JSONNumeral.greatestExponent); write it with the digits that it has")
    // Longer than any list may be; those of known members have limits of their own.
    case .array(let values) where values.count > MetricValidator.pointLimit:
      errors.add(path, "has more than \(MetricValidator.pointLimit) elements")
    case .array(let values):
      for (index, value) in values.enumerated() { checkTree(value, path: "\(path)[\(index)]", &errors) }
    case .object(let object) where object.members.count > memberLimit:
      errors.add(path.isEmpty ? "record" : path, "has more than \(memberLimit) members")
    case .object(let object):
      var names: Set<[UInt8]> = []
      for member in object.members {
        let name = path + (path.isEmpty ? "" : ".") + member.name.prefix(64)
        if !names.insert(Array(member.name.utf8)).inserted { errors.add(name, "is given twice") }
        if member.name.utf8.count > nameLimit { errors.add(name, "has a name of more than \(nameLimit) bytes") }
        checkTree(member.value, path: name, &errors)
      }
    default: break
    }
  }
}
