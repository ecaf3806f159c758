import StrictJSON

/// A resource in an answer: a JSON object that says what it is. What answers otherwise is no FHIR server.
struct FHIRResource {
  /// Larger than this no answer is read; what a server can do takes megabytes with some.
  static let sizeLimit = 8 << 20

  /// The object.
  let root: JSONElement
  /// Its `resourceType`.
  let type: String

  /// Nil for what is no resource. Two readers of an object in which a member stands twice would read two.
  init?(_ body: [UInt8]) {
    // Some libraries write a byte order mark.
    let bytes = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    guard let root = try? JSONDocument(bytes, rules: JSONRules(size: Self.sizeLimit, depth: 64)).root else {
      return nil
    }
    self.init(root)
  }

  /// A resource within another one.
  init?(_ element: JSONElement?) {
    guard let element, element.kind == .object, let type = element.member("resourceType")?.asString else { return nil }
    (root, self.type) = (element, type)
  }

  /// A text of it.
  func text(_ name: String) -> String? { root.member(name)?.asString }
}
