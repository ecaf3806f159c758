import Foundation
package import GatewayAPI
import HostPrimitives
import StrictJSON
import StrictTOML

/// Answers from a file, TOML or JSON, for a setup without a person.
package struct SetupAnswers: Sendable, Hashable {
  private var answers: [String: String] = [:]

  package init() {}

  /// Reads the answers.
  ///
  /// - Parameter file: Its name, for messages; `.json` is JSON, everything else TOML.
  /// - Throws: ``GatewayError`` with code `answers_file`, with the place.
  package init(_ bytes: [UInt8], file: String) throws(GatewayError) {
    if file.hasSuffix(".json") { try readJSON(bytes, file) } else { try readTOML(bytes, file) }
  }

  /// The answer to a question; nil: the file has none.
  package func answer(_ key: SetupQuestion.Key) -> String? { answers[key.rawValue] }

  private mutating func readTOML(_ bytes: [UInt8], _ file: String) throws(GatewayError) {
    let document: TOMLDocument
    do { document = try TOMLDocument(bytes) } catch {
      throw Self.refusal(file, error.position, error.problem, error.cure)
    }
    for entry in document.entries {
      let text: String? =
        switch entry.value.content {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .boolean(let flag): flag ? "yes" : "no"
        case .float, .array: nil
        }
      guard let text else {
        throw Self.refusal(
          file, entry.value.position, "\(shown(entry.name)) is \(entry.value.kindName)", "write a string")
      }
      try take(entry.name, text, file, entry.position)
    }
  }

  private mutating func readJSON(_ bytes: [UInt8], _ file: String) throws(GatewayError) {
    let object: [String: [String: JSONAnswer]]
    do { object = try JSONDecoder().decode([String: [String: JSONAnswer]].self, from: Data(bytes)) } catch {
      throw GatewayError(
        .usage, code: "answers_file", "\(file) is no JSON object of objects with texts, numbers and booleans",
        hint: "write {\"session\":{\"user\":\"anna\"}}")
    }
    for (group, members) in object.sorted(by: { $0.key < $1.key }) {
      for (name, answer) in members.sorted(by: { $0.key < $1.key }) {
        try take("\(group).\(name)", answer.text, file, nil)
      }
    }
  }

  private struct JSONAnswer: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        text = flag ? "yes" : "no"
      } else if let number = try? container.decode(Int.self) {
        text = "\(number)"
      } else {
        text = try container.decode(String.self)
      }
    }
  }

  private mutating func take(
    _ name: String, _ text: String, _ file: String, _ place: TextPosition?
  ) throws(GatewayError) {
    guard name != SetupQuestion.Key.token.rawValue else {
      throw Self.refusal(
        file, place, "the file holds a token", "name a file with it: \(SetupQuestion.Key.tokenFile.rawValue)")
    }
    guard SetupQuestion.Key.ofFile.contains(name) else {
      let guess = nearest(to: name, among: SetupQuestion.Key.ofFile).map { "did you mean \($0)? " } ?? ""
      throw Self.refusal(
        file, place, "there is no question \(shown(name))", guess + "`meterhost setup --help` lists them")
    }
    answers[name] = text
  }

  private static func refusal(
    _ file: String, _ place: TextPosition?, _ problem: String, _ cure: String
  ) -> GatewayError {
    let place = place.map { ":\($0.line):\($0.column)" } ?? ""
    return GatewayError(.usage, code: "answers_file", "\(file)\(place): \(problem)", hint: cure)
  }
}
