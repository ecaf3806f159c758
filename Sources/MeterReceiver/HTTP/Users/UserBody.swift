import Foundation
import HTTPTypes
import HostPrimitives

/// What an organisation may say about a user, and the reasons why it may not.
enum UserBody {
  /// The user that a request wants made.
  ///
  /// - Throws: `Refusal` 400 with every reason.
  static func creation(_ body: JSONValue) throws(Refusal) -> (uid: String, location: UserLocation) {
    var errors = FieldErrors()
    let user = try members(body, known: ["uid", "location", "timezone", "country_code"], &errors)
    let uid = RecordFields.string(user["uid"], "uid", &errors)
    let location = change(user, &errors)
    guard errors.isEmpty, let uid else { throw Refusal(.badRequest, fields: errors) }
    return (uid, UserLocation(timeZone: location.timeZone ?? nil, countryCode: location.countryCode ?? nil))
  }

  /// What a request changes of a user.
  ///
  /// - Throws: `Refusal` 400 with every reason, also when it changes nothing.
  static func change(_ body: JSONValue, of uid: String) throws(Refusal) -> UserLocation.Change {
    var errors = FieldErrors()
    let user = try members(body, known: ["uid", "location", "timezone", "country_code"], &errors)
    // Who sends the body that made the user says nothing new by it.
    if let value = user["uid"], value != .string(uid) { errors.add("uid", "cannot be changed") }
    let change = change(user, &errors)
    guard errors.isEmpty else { throw Refusal(.badRequest, fields: errors) }
    guard change != UserLocation.Change() else {
      throw Refusal(.badRequest, "The body changes nothing; it must have a location with timezone or country_code")
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
    refuseUnknown(user, known, path: "", &errors)
    return user
  }

  /// What would be ignored without a word is refused: the sender means something by it.
  private static func refuseUnknown(
    _ object: JSONObject, _ known: Set<String>, path: String, _ errors: inout FieldErrors
  ) {
    for member in object.members where !known.contains(member.name) {
      errors.add(path + member.name.prefix(64), "cannot be set")
    }
  }

  /// Inform's description has both members in the body itself, its examples in the body's `location`: either is taken.
  private static func change(_ user: JSONObject, _ errors: inout FieldErrors) -> UserLocation.Change {
    var change = UserLocation.Change()
    read(user, path: "", into: &change, &errors)
    switch user["location"] {
    case nil: break
    case .object(let location)?:
      refuseUnknown(location, ["timezone", "country_code"], path: "location.", &errors)
      read(location, path: "location.", into: &change, &errors)
    case let other?: errors.add("location", "must be an object, not \(other.kind)")
    }
    return change
  }

  private static func read(
    _ object: JSONObject, path: String, into change: inout UserLocation.Change, _ errors: inout FieldErrors
  ) {
    if let value = object["timezone"] {
      if change.timeZone != nil { errors.add(path + "timezone", "is given twice") }
      change.timeZone = .some(
        text(value, path + "timezone", "must be the name of a time zone such as Europe/Berlin", isTimeZone, &errors))
    }
    if let value = object["country_code"] {
      if change.countryCode != nil { errors.add(path + "country_code", "is given twice") }
      change.countryCode = .some(
        text(value, path + "country_code", "must be the two letters of a country such as DE", isCountry, &errors))
    }
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

  private static func isTimeZone(_ text: String) -> Bool {
    guard let name = ZoneName(text, isListed: { TimeZone.knownTimeZoneIdentifiers.contains($0) }),
      let zone = TimeZone(identifier: name.text)
    else { return false }
    // Foundation calls that zone GMT.
    return zone.identifier == text || text == "UTC"
  }

  private static func isCountry(_ code: String) -> Bool {
    code.utf8.count == 2 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
