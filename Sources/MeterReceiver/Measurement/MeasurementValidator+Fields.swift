// The rules of the single fields of an Inform v2 measurement, in the order in which the wire format lists them.

extension MeasurementValidator {
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

  private static func checkChoice(
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
      groups.allSatisfy({ $0.utf8.allSatisfy { $0.isHexadecimalDigit } })
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

  func checkMetrics(_ value: JSONValue?, _ errors: inout FieldErrors) {
    guard let metrics = Self.list(value, "metrics", required: true, &errors) else { return }
    if metrics.isEmpty { errors.add("metrics", "must hold at least one metric") }
    var seen: Set<String> = []
    for (index, value) in metrics.enumerated() {
      let field = "metrics[\(index)]"
      guard case .object(let metric) = value else {
        errors.add(field, "must be an object, not \(value.kind)")
        continue
      }
      Self.checkChoice(metric["origin"], "\(field).origin", ["device", "manual", "unknown"], &errors)
      let type = Self.string(metric["type"], "\(field).type", &errors)
      let unit = Self.string(metric["unit"], "\(field).unit", &errors)
      let number = Self.number(metric["value"], "\(field).value", &errors)
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

  private static func number(_ value: JSONValue?, _ field: String, _ errors: inout FieldErrors) -> Double? {
    switch value {
    // checkTree has already named a number that is not finite.
    case .number(let number): return number.isFinite ? number : nil
    case nil: errors.add(field, "is missing")
    case let other?: errors.add(field, "must be a number, not \(other.kind)")
    }
    return nil
  }

  private static func list(
    _ value: JSONValue?, _ field: String, required: Bool, _ errors: inout FieldErrors
  ) -> [JSONValue]? {
    switch value {
    case .array(let values) where values.count > listLimit:
      errors.add(field, "has more than \(listLimit) elements")
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
  private static func checkText(_ value: JSONValue, _ field: String, _ errors: inout FieldErrors) {
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
}
