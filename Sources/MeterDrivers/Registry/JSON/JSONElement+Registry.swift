import StrictJSON

extension JSONRules {
  /// Bounds that no honest registry meets. Keys are the words of a schema, written as they are.
  static let registry = JSONRules(size: 16 << 20, depth: 24, allowsEscapedKeys: false)
}

extension JSONDocument {
  /// Parses a file of the registry.
  static func registry(_ bytes: [UInt8], file: String) throws(RegistryError) -> JSONDocument {
    do throws(JSONSyntaxError) {
      return try JSONDocument(bytes, name: file, rules: .registry)
    } catch {
      throw RegistryError(
        code: .invalidJSON, file: file, path: "$", position: RegistryPosition(error.position), problem: error.problem,
        cure: error.cure)
    }
  }
}

extension JSONElement {
  /// The value of a text that must be strict JSON, with the registry's errors.
  static func strict(_ bytes: [UInt8], name: String, rules: JSONRules) throws(RegistryError) -> JSONElement {
    do throws(JSONSyntaxError) {
      return try JSONDocument(bytes, name: name, rules: rules).root
    } catch {
      throw RegistryError(
        code: .invalidJSON, file: name, path: "$", position: RegistryPosition(error.position), problem: error.problem,
        cure: error.cure)
    }
  }
}

extension RegistryPosition {
  init(_ position: TextPosition) {
    self.init(line: position.line, column: position.column)
  }
}

/// Typed access that says where and what when the value is another.
extension JSONElement {
  func error(_ code: RegistryError.Code, _ problem: String, cure: String) -> RegistryError {
    RegistryError(
      code: code, file: document.name, path: path, position: RegistryPosition(position), problem: problem, cure: cure)
  }

  func warning(_ message: String) -> RegistryWarning {
    RegistryWarning(file: document.name, path: path, position: RegistryPosition(position), message: message)
  }

  private func wrongType(_ wanted: String) -> RegistryError {
    error(.wrongType, "is \(kind.name)", cure: "write \(wanted)")
  }

  func elements(atMost limit: Int = RegistryLimits.entries) throws(RegistryError) -> JSONElementWalk {
    try requireArray(limit)
    return walk
  }

  func runs(of length: Int, atMost limit: Int) throws(RegistryError) -> [JSONElementWalk] {
    try requireArray(limit)
    return runs(of: length)
  }

  private func requireArray(_ limit: Int) throws(RegistryError) {
    guard kind == .array else { throw wrongType("an array") }
    guard count <= limit else {
      throw error(.invalidValue, "has \(count) elements", cure: "keep it at \(limit) or fewer")
    }
  }

  /// The members of an object whose keys are data.
  func members(atMost limit: Int) throws(RegistryError) -> [(key: JSONElement, value: JSONElement)] {
    try requireObject()
    guard count <= limit else {
      throw error(.invalidValue, "has \(count) members", cure: "keep it at \(limit) or fewer")
    }
    return members
  }

  func requireObject() throws(RegistryError) {
    guard kind == .object else { throw wrongType("an object") }
  }

  func bool() throws(RegistryError) -> Bool {
    guard let bool = asBool else { throw wrongType("true or false") }
    return bool
  }

  /// The text of a key or string, whatever it holds.
  var anyText: String { asString ?? "" }

  /// A string of at most `limit` bytes, whatever it holds.
  func string(limit: Int) throws(RegistryError) -> String {
    guard kind == .string else { throw wrongType("a string") }
    // An escape has at most six bytes: longer ones need not be resolved to be refused.
    guard count <= limit * 6 else { throw tooLong(count, limit) }
    let text = anyText
    guard text.utf8.count <= limit else { throw tooLong(text.utf8.count, limit) }
    return text
  }

  private func tooLong(_ length: Int, _ limit: Int) -> RegistryError {
    error(.invalidValue, "has \(length) bytes", cure: "shorten it to \(limit) bytes of UTF-8")
  }

  func integer<Number: FixedWidthInteger>(
    _ range: ClosedRange<Number>
  ) throws(RegistryError) -> Number {
    guard let text = numeral else { throw wrongType("a whole number") }
    guard let number = Number(text), range.contains(number) else {
      throw error(
        .invalidValue, "\(shown(text)) is out of range",
        cure: "write a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func number() throws(RegistryError) -> Double {
    guard let number = asDouble else { throw wrongType("a number") }
    guard JSONNumberRule.finite.admits(number), numeral.map(JSONNumeral.isBounded) ?? true else {
      throw error(
        .invalidValue, "is too large a number, or written at too great length",
        cure: "write a number that fits a 64-bit float")
    }
    return number
  }
}
