import Foundation
import TestSupport

/// `docs/reference/control-openapi.yaml`, as far as the tests need it.
struct ControlDocument {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// A request or a conversation.
  struct Call {
    let name: String
    let body: Shape
    /// The answer; of a conversation the event.
    let answer: Shape
  }

  let root: YAMLNode

  init() throws {
    let file = CompiledBundle.root.appending(path: "docs/reference/control-openapi.yaml")
    root = try YAMLNode(parsing: String(contentsOf: file, encoding: .utf8))
  }

  var version: String? { root["info"]?["version"]?.text }

  /// Method and path of everything that is described.
  var operations: Set<String> {
    Set(
      (root["paths"]?.members ?? [:]).flatMap { path, item in item.members.keys.map { "\($0.uppercased()) \(path)" } })
  }

  /// The calls under a path, by their names.
  func calls(under prefix: String) throws -> [String: Call] {
    var calls: [String: Call] = [:]
    for (path, item) in root["paths"]?.members ?? [:] where path.hasPrefix(prefix) && !path.contains("{") {
      let name = String(path.dropFirst(prefix.count))
      guard let operation = item["post"], let content = operation["responses"]?["200"]?["content"]?.members.first,
        let answer = content.value["schema"], let body = operation["requestBody"]?["content"]?["application/json"]
      else { throw Problem(description: "\(path) lacks a body or an answer") }
      let schema = content.key == "application/x-ndjson" ? try event(of: answer, at: path) : answer
      calls[name] = Call(
        name: name, body: try shape(body["schema"], at: path), answer: try shape(schema, at: "\(path) answer"))
    }
    return calls
  }

  private func event(of line: YAMLNode, at path: String) throws -> YAMLNode {
    let members = try resolved(line, at: path)["properties"]?.members ?? [:]
    guard Set(members.keys) == ["event", "question", "error", "end"], let event = members["event"] else {
      throw Problem(description: "the lines of \(path) have other members than event, question, error, end")
    }
    return event
  }

  /// The shape of a schema of `components`.
  func shape(of schema: String) throws -> Shape { try shape(root["components"]?["schemas"]?[schema], at: schema) }

  private func resolved(_ schema: YAMLNode?, at path: String) throws -> YAMLNode {
    guard let schema else { throw Problem(description: "\(path) has no schema") }
    guard let reference = schema["$ref"]?.text else { return schema }
    let name = reference.split(separator: "/").last.map(String.init) ?? reference
    return try resolved(root["components"]?["schemas"]?[name], at: reference)
  }

  private func shape(_ schema: YAMLNode?, at path: String) throws -> Shape {
    let schema = try resolved(schema, at: path)
    let types = schema["type"].map { $0.text.map { [$0] } ?? $0.texts } ?? []
    switch types.first(where: { $0 != "null" }) {
    case "boolean": return .boolean
    case "integer": return .integer
    case "number": return .number
    case "string":
      if let words = schema["enum"]?.texts { return .string(.init(words: Set(words), isClosed: true)) }
      return .string(schema["x-extensible-enum"].map { .init(words: Set($0.texts), isClosed: false) })
    case "array": return .list(try shape(schema["items"], at: path + "[]"))
    case "object":
      if let value = schema["additionalProperties"] { return .map(try shape(value, at: path + ".*")) }
      let required = Set(schema["required"]?.texts ?? [])
      let members = schema["properties"]?.members ?? [:]
      guard required.isSubset(of: members.keys) else {
        throw Problem(description: "\(path) requires members that it does not describe")
      }
      return .object(
        try members.reduce(into: [:]) { shapes, member in
          shapes[member.key] = Shape.Member(
            shape: try shape(member.value, at: "\(path).\(member.key)"), isRequired: required.contains(member.key))
        })
    default: throw Problem(description: "\(path) has no type")
    }
  }

  /// All words that the document names anywhere.
  var words: [String] { Self.words(in: root).sorted() }

  private static func words(in node: YAMLNode) -> Set<String> {
    switch node {
    case .text: []
    case .list(let elements): elements.reduce(into: []) { $0.formUnion(words(in: $1)) }
    case .map(let members):
      members.reduce(into: []) { words, member in
        if ["enum", "x-extensible-enum"].contains(member.key) { words.formUnion(member.value.texts) }
        words.formUnion(Self.words(in: member.value))
      }
    }
  }

  /// Schemas and members without a description.
  var undescribed: [String] {
    (root["components"]?["schemas"]?.members ?? [:]).flatMap { name, schema in
      let members = (schema["properties"]?.members ?? [:]).map { ("\(name).\($0)", $1) }
      return ([(name, schema)] + members).filter { ($0.1["description"]?.text ?? "").isEmpty }.map(\.0)
    }
  }
}
