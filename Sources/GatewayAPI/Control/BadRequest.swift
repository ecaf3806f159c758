extension GatewayError {
  /// Why a request cannot be read: the member, what is wrong with it, and what is allowed.
  ///
  /// - Parameter error: What reading its JSON has thrown.
  package init(badRequest error: any Error) {
    self.init(
      .usage, code: "bad_request", "the request cannot be read: \(Self.flaw(error))",
      hint: "docs/reference/control-openapi.yaml lists the members of every request")
  }

  private static func flaw(_ error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: "the member \(name(context.codingPath + [key])) is missing"
    case .valueNotFound(let type, let context)?:
      "\(name(context.codingPath)) is null, and has to be \(kind(of: "\(type)"))"
    case .typeMismatch(let type, let context)?: "\(name(context.codingPath)) has to be \(kind(of: "\(type)"))"
    case .dataCorrupted(let context)? where context.codingPath.isEmpty && !(context.underlyingError is RequestFlaw):
      // Foundation's reader tells both with the same words, and neither with its place.
      "it is no JSON, or has a number that its member cannot be"
    case .dataCorrupted(let context)?: "\(name(context.codingPath)): \(words(context))"
    default: "\(error)"
    }
  }

  /// A member as a person writes it, such as `documents[0].name`.
  private static func name(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the body" }
    let text = path.reduce("") { text, key in
      if let index = key.intValue { return "\(text)[\(index)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
    return "`\(text)`"
  }

  private static func words(_ context: DecodingError.Context) -> String {
    if let flaw = context.underlyingError as? RequestFlaw { return flaw.words }
    let words = context.debugDescription
    // A number that its type has no room for: the type is told with the number.
    if let type = words.firstMatch(of: /does not fit in (\w+)/)?.1 { return "this has to be \(kind(of: String(type)))" }
    return words.hasPrefix("Number ") ? "this number is out of range, or has a fraction" : words
  }

  /// What a type of this program is in JSON.
  private static func kind(of type: String) -> String {
    switch type {
    case "Bool": "true or false"
    case "String": "a text"
    case "Double", "Float": "a number"
    case "UInt8": "a whole number from 0 to \(UInt8.max)"
    case "UInt16": "a whole number from 0 to \(UInt16.max)"
    case "UInt32": "a whole number from 0 to \(UInt32.max)"
    case "UInt64": "a whole number from 0 on"
    case "Int8": "a whole number from \(Int8.min) to \(Int8.max)"
    case "Int", "Int32", "Int64": "a whole number"
    case "UUID": "a UUID"
    case "Data": "a text in base64"
    case _ where type.hasPrefix("Array"): "an array"
    default: "an object"
    }
  }
}
