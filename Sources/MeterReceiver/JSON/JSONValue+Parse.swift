import StrictJSON

extension JSONRules {
  /// What a client sends: the body has a limit of its own, and the validator names duplicate keys and numbers that are too
  /// large by record and field. A measurement nests 4 deep (array, record, metrics, metric); the rest is room for
  /// unknown keys.
  static let request = JSONRules(depth: 32, allowsDuplicateKeys: true)

  /// What the store holds: records that the validator has let through.
  static let stored = JSONRules(depth: request.depth, numbers: .exact)
}

extension JSONValue {
  /// Reads one complete JSON text.
  static func parse(_ bytes: [UInt8], rules: JSONRules = .request) throws(JSONSyntaxError) -> JSONValue {
    JSONValue(try JSONDocument(bytes, rules: rules).root)
  }

  /// Recursion, no deeper than the rules of the document let it nest.
  private init(_ element: JSONElement) {
    self =
      switch element.kind {
      case .object:
        .object(
          JSONObject(
            members: element.members.map { .init(name: $0.key.asString ?? "", value: JSONValue($0.value)) }))
      case .array: .array(element.elements.map { JSONValue($0) })
      case .key, .string: .string(element.asString ?? "")
      case .number: .number(element.asDouble ?? .infinity, as: Numeral(element.numeral))
      case .true: .bool(true)
      case .false: .bool(false)
      case .null: .null
      }
  }
}
