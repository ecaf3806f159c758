import Foundation
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

@Suite("The document of the control interface", .timeLimit(.minutes(60))) struct ControlDocumentTests {
  private let document: ControlDocument
  private let recorder: TypeRecorder

  init() throws {
    document = try ControlDocument()
    recorder = TypeRecorder(words: document.words)
  }

  @Test("describes every path, and no other") func paths() {
    let requests = ControlTable.requests.map { "POST /v1/requests/\($0.name)" }
    let conversations = ControlTable.conversations.map { "POST /v1/conversations/\($0.name)" }
    let others = [
      "GET /v1/events", "GET /metrics", "POST /v1/conversations/{id}/answers", "DELETE /v1/conversations/{id}",
    ]
    #expect(document.operations == Set(requests + conversations + others))
  }

  @Test("is of the version that the program speaks") func version() {
    #expect(document.version == ControlVersion.current.description)
  }

  @Test("describes every member in words") func descriptions() {
    #expect(document.undescribed == [])
  }

  @Test("has the members, types and words of every request and answer") func requests() throws {
    let calls = try document.calls(under: "/v1/requests/")
    for type in ControlTable.requests {
      let call = try #require(calls[type.name], "\(type.name)")
      let differences = try differences(type, call)
      #expect(differences == [], "\(differences)")
    }
  }

  @Test("has the members, types and words of every conversation and event") func conversations() throws {
    let calls = try document.calls(under: "/v1/conversations/")
    for type in ControlTable.conversations {
      let call = try #require(calls[type.name], "\(type.name)")
      let differences = try differences(type, call)
      #expect(differences == [], "\(differences)")
    }
  }

  @Test("has what questions and errors are") func questions() throws {
    let question = try recorder.shape(of: QuestionDescription.self)
    #expect(question.differences(fromDocument: try document.shape(of: "Question"), at: "question") == [])
    let error = try recorder.shape(of: GatewayError.Written.self)
    #expect(error.differences(fromDocument: try document.shape(of: "Error"), at: "error") == [])
  }

  @Test("a member that is missing, one too many, and one of another type are told") func isAbleToFail() throws {
    let code = try recorder.shape(of: QueueListRequest.self)
    guard case .object(var members) = code else { throw ControlDocument.Problem(description: "no object") }
    members["limit"] = nil
    members["after"]?.shape = .boolean
    members["states"]?.isRequired = true
    members["more"] = Shape.Member(shape: .integer, isRequired: false)
    #expect(
      code.differences(fromDocument: .object(members), at: "list") == [
        "list.after is integer, and the document has boolean", "list.limit is not in the document",
        "list.more is in the document only", "list.states is optional, and the document says otherwise",
      ])
  }

  private func differences<R: HandledRequest>(_ type: R.Type, _ call: ControlDocument.Call) throws -> [String] {
    try recorder.shape(of: type).differences(fromDocument: call.body, at: type.name)
      + recorder.shape(of: R.Answer.self).differences(fromDocument: call.answer, at: "\(type.name) answer")
  }

  private func differences<C: HandledConversation>(_ type: C.Type, _ call: ControlDocument.Call) throws -> [String] {
    try recorder.shape(of: type).differences(fromDocument: call.body, at: type.name)
      + recorder.shape(of: C.Event.self).differences(fromDocument: call.answer, at: "\(type.name) event")
  }
}
