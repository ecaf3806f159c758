import Foundation
import HTTPTypes

/// What an organisation may say about a user, and the reasons why it may not.
enum UserBody {
  /// The user that a request wants made.
  ///
  /// - Throws: `Refusal` 400 with every reason.
  static func creation(_ body: JSONValue) throws(Refusal) -> (uid: String, location: UserLocation) {
    var errors = FieldErrors()
    let user = try members(body, known: ["uid", "timezone", "country_code"], &errors)
    let uid = RecordFields.string(user["uid"], "uid", &errors)
    let location = change(user, &errors)
    guard errors.isEmpty, let uid else { throw Refusal(.badRequest, fields: errors) }
    return (uid, UserLocation(timeZone: location.timeZone ?? nil, countryCode: location.countryCode ?? nil))
  }

  /// What a request changes of a user.
  ///
  /// - Throws: `Refusal` 400 with every reason, also when it changes nothing.
  static func change(_ body: JSONValue) throws(Refusal) -> UserLocation.Change {
    var errors = FieldErrors()
    let user = try members(body, known: ["timezone", "country_code"], &errors)
    let change = change(user, &errors)
    guard errors.isEmpty else { throw Refusal(.badRequest, fields: errors) }
    guard change != UserLocation.Change() else {
      throw Refusal(.badRequest, "The body changes nothing; it must have timezone or country_code")
    }
    return change
  }

  /// What an error of the store says about the request; nil for what is not the request's fault.
  static func refusal(for error: ReceiverError) -> Refusal? {
    var errors = FieldErrors()
    switch error.code {
    case .alreadyExists:
      errors.add("uid", "has already been taken")
      return Refusal(.conflict, fields: errors)
    case .invalidIdentifier:
      errors.add("uid", "must have 1 to 128 letters, digits and -._~@+")
      return Refusal(.badRequest, fields: errors)
    case .notFound: return Refusal(.notFound, "There is no such user in this organisation")
    default: return nil
    }
  }

  private static func members(
    _ body: JSONValue, known: Set<String>, _ errors: inout FieldErrors
  ) throws(Refusal) -> JSONObject {
    guard case .object(let user) = body else { throw Refusal(.badRequest, "The body must be an object") }
    RecordFields.checkTree(body, path: "", &errors)
    // What would be ignored without a word is refused: the sender means something by it.
    for member in user.members where !known.contains(member.name) {
      errors.add(String(member.name.prefix(64)), "cannot be set")
    }
    return user
  }

  private static func change(_ user: JSONObject, _ errors: inout FieldErrors) -> UserLocation.Change {
    var change = UserLocation.Change()
    change.timeZone = user["timezone"].map { value in
      text(value, "timezone", "must be the name of a time zone such as Europe/Berlin", isTimeZone, &errors)
    }
    change.countryCode = user["country_code"].map { value in
      text(value, "country_code", "must be the two letters of a country such as DE", isCountry, &errors)
    }
    return change
  }

  /// Inform's description calls both members arrays, its examples show texts: a list of one text is taken as well.
  private static func text(
    _ value: JSONValue, _ field: String, _ rule: String, _ isValid: (String) -> Bool, _ errors: inout FieldErrors
  ) -> String? {
    var value = value
    if case .array(let values) = value, values.count == 1 { value = values[0] }
    if value == .null { return nil }
    guard case .string(let text) = value, isValid(text) else {
      errors.add(field, rule)
      return nil
    }
    return text
  }

  private static func isTimeZone(_ name: String) -> Bool {
    // Names of files in the end: nothing but what zones are called reaches the look-up.
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { $0.isLetter || $0.isDigit || "_+-".utf8.contains($0) }
    }
    return isName && name.utf8.count <= 64 && TimeZone(identifier: name)?.identifier == name
  }

  private static func isCountry(_ code: String) -> Bool {
    code.utf8.count == 2 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
