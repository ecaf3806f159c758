import Foundation
import StrictJSON
import Testing

@testable import FHIRBundles

/// A bundle as a server reads it.
struct ReadBundle {
  let root: JSONElement

  init(_ bytes: [UInt8]) throws { root = try JSONDocument(bytes, name: "bundle", rules: JSONRules(depth: 24)).root }

  init(_ bundle: FHIRBundle) throws { try self.init(bundle.json) }

  var entries: [JSONElement] { root.at("entry")?.elements ?? [] }

  var resources: [JSONElement] { entries.compactMap { $0.at("resource") } }

  func resources(_ type: String) -> [JSONElement] { resources.filter { $0.text("resourceType") == type } }

  /// The observation that has a code, in whichever system.
  func observation(_ code: String) throws -> JSONElement {
    try #require(resources("Observation").first { $0.codes("code").contains(code) }, "there is no \(code)")
  }
}

extension JSONElement {
  /// What a path such as `valueQuantity.code` leads to; a number is the place in an array.
  func at(_ path: String) -> JSONElement? {
    var element: JSONElement? = self
    for part in path.split(separator: ".") {
      guard let place = Int(part) else {
        element = element?.member(String(part))
        continue
      }
      let elements = element?.elements ?? []
      element = place < elements.count ? elements[place] : nil
    }
    return element
  }

  func text(_ path: String) -> String? { at(path)?.asString }

  /// The codes of a concept.
  func codes(_ path: String) -> [String] {
    (at(path)?.at("coding")?.elements ?? []).compactMap { $0.text("code") }
  }

  /// The categories' codes.
  var categories: [String] { (at("category")?.elements ?? []).flatMap { $0.codes("") } }

  var profiles: [String] { (at("meta.profile")?.elements ?? []).compactMap(\.asString) }
}

/// A bundle with a line for each member, as people read and compare it.
enum Indented {
  static func text(_ element: JSONElement) -> String {
    var json = JSONWriter(.indented)
    put(nil, element, &json)
    return json.text + "\n"
  }

  private static func put(_ name: String?, _ element: JSONElement, _ json: inout JSONWriter) {
    switch element.kind {
    case .object:
      json.object(name) { json in
        for (key, value) in element.members { put(key.asString ?? "", value, &json) }
      }
    case .array: json.array(name) { json in for value in element.elements { put(nil, value, &json) } }
    case .number: json.member(name, literal: element.numeral ?? "")
    case .true: json.member(name, flag: true)
    case .false: json.member(name, flag: false)
    case .null: json.null(name)
    case .string, .key: json.member(name, element.asString ?? "")
    }
  }
}
