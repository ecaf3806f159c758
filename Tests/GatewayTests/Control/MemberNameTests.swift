import Foundation
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

@Suite("Members of JSON", .timeLimit(.minutes(60))) struct MemberNameTests {
  private let recorder: TypeRecorder

  init() throws { recorder = TypeRecorder(words: try ControlDocument().words) }

  @Test("are written in snake_case in all requests, answers and events") func calls() throws {
    for type in ControlTable.requests { try check(type) }
    for type in ControlTable.conversations { try check(type) }
    try check(QuestionDescription.self, at: "question")
    try check(GatewayError.Written.self, at: "error")
  }

  @Test("are written in snake_case in what commands print") func output() throws {
    // What they print without asking the owner.
    let printed: [any Decodable.Type] = [
      InstalledDriver.self, BundleReport.self, PeripheralDescription.self, FunctionDescription.self, DecodeRequest.self,
      DecodeAnswer.self, RecordingDescription.self, RecordingContentDescription.self, ReplayDescription.self,
      ImportDescription.self, PackageDescription.self, PackageReport.self, PackageChangeDescription.self,
      TrustDescription.self, DriverIndexDescription.self,
    ]
    for type in printed { try check(type, at: "\(type)") }
  }

  @Test("are the same when they are written and when they are read") func bothWays() throws {
    for type in ControlTable.requests { try checkWriting(type) }
    for type in ControlTable.conversations { try checkWriting(type) }
  }

  @Test("a list of words that may grow refuses no word in an answer or an event") func openWords() throws {
    var closed: [String] = []
    for type in ControlTable.requests { closed += try closedWords(type) }
    for type in ControlTable.conversations { closed += try closedWords(type) }
    // A time that is handed back as it was answered: its words do not grow.
    #expect(Set(closed) == ["display.start.time.kind", "display.start.time.zone_source"])
  }

  private func closedWords<R: HandledRequest>(_ type: R.Type) throws -> [String] {
    try recorder.shape(of: R.Answer.self).closedWords(at: type.name)
  }

  private func closedWords<C: HandledConversation>(_ type: C.Type) throws -> [String] {
    try recorder.shape(of: C.Event.self).closedWords(at: type.name)
  }

  private func check<R: HandledRequest>(_ type: R.Type) throws {
    try check(type, at: type.name)
    try check(R.Answer.self, at: "\(type.name) answer")
  }

  private func check<C: HandledConversation>(_ type: C.Type) throws {
    try check(type, at: type.name)
    try check(C.Event.self, at: "\(type.name) event")
  }

  private func check<Value: Decodable>(_ type: Value.Type, at path: String) throws {
    for member in try recorder.shape(of: type).members(at: path) {
      #expect(member.name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(member.path)")
    }
  }

  private func checkWriting<R: HandledRequest>(_ type: R.Type) throws {
    try checkWriting(type, at: type.name)
    try checkWriting(R.Answer.self, at: "\(type.name) answer")
  }

  private func checkWriting<C: HandledConversation>(_ type: C.Type) throws {
    try checkWriting(type, at: type.name)
    try checkWriting(C.Event.self, at: "\(type.name) event")
  }

  /// What is written has only members that are read, and comes back as it was.
  private func checkWriting<Value: Codable>(_ type: Value.Type, at path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for (value, shape) in recorder.runs(type) {
      let written = try encoder.encode(value)
      let again = try encoder.encode(JSONDecoder().decode(type, from: written))
      #expect(written == again, "\(path): \(String(decoding: written, as: UTF8.self))")
      let known = Set(shape.members(at: path).map(\.path))
      let found = Self.members(
        try JSONSerialization.jsonObject(with: written, options: .fragmentsAllowed), shape, at: path)
      #expect(found.subtracting(known) == [], "\(path)")
    }
  }

  /// The paths of the members of a JSON value; names that are data are none.
  private static func members(_ json: Any, _ shape: Shape, at path: String) -> Set<String> {
    switch (json, shape) {
    case (let list as [Any], .list(let element)):
      return list.reduce(into: []) { $0.formUnion(members($1, element, at: path + "[]")) }
    case (let object as [String: Any], .map(let value)):
      return object.values.reduce(into: []) { $0.formUnion(members($1, value, at: path + ".*")) }
    case (let object as [String: Any], .object(let known)):
      return object.reduce(into: []) { paths, member in
        let place = "\(path).\(member.key)"
        paths.insert(place)
        if let inner = known[member.key] { paths.formUnion(members(member.value, inner.shape, at: place)) }
      }
    default: return []
    }
  }
}
