import Foundation
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// A request that cannot be read, and what its sender is told.
struct BadRequest: Sendable, CustomTestStringConvertible {
  let request: String
  let body: String
  let message: String

  init(_ request: String, _ body: String, _ message: String) {
    (self.request, self.body, self.message) = (request, body, message)
  }

  var testDescription: String { "\(request) \(body)" }
}

@Suite("A request that cannot be read", .timeLimit(.minutes(60))) struct BadRequestTests {
  @Test(
    "is told by member, by what is wrong, and by what is allowed",
    arguments: [
      BadRequest("queue.list", "{", "it is no JSON"),
      BadRequest("queue.list", "[]", "the body has to be an object"),
      BadRequest(
        "queue.list", #"{"states": ["pending", "sent"]}"#,
        "`states[1]`: “sent” is not allowed here; use one of pending, in_flight, delivered, held, dead, excluded"),
      BadRequest("queue.list", #"{"limit": "many"}"#, "`limit` has to be a whole number"),
      BadRequest("queue.list", #"{"of_default_user": 1}"#, "`of_default_user` has to be true or false"),
      BadRequest("queue.show", "{}", "the member `reading` is missing"),
      BadRequest("queue.show", #"{"reading": "x"}"#, "`reading`: this is no reading's name"),
      BadRequest(
        "queue.decide", #"{"decision": "burn", "readings": []}"#,
        "`decision`: “burn” is not allowed here; use one of confirm, resubmit, discard, discard_pending"),
      BadRequest(
        "key.set", #"{"key": "k", "peripheral": -1, "content": ""}"#,
        "it is no JSON, or has a number that its member cannot be"),
      BadRequest(
        "log.set", #"{"volumes": {"radio": "off"}}"#, "`volumes`: “radio” is not allowed here; use one of core"),
      BadRequest("log.set", #"{"volumes": {"core": "loud"}}"#, "`volumes.core`: “loud” is not allowed here"),
      BadRequest("feedback.set", #"{"moments": ["dawn"]}"#, "`moments[0]`: “dawn” is not allowed here"),
      BadRequest("record.submit", #"{"documents": [{"name": "a"}]}"#, "the member `documents[0].text` is missing"),
      BadRequest("api.call", #"{"action": "delete", "record_ids": []}"#, "the member `type` is missing"),
    ])
  func isTold(_ bad: BadRequest) throws {
    let type = try #require(ControlTable.requests.first { $0.name == bad.request })
    let told = refusal(type, Data(bad.body.utf8))
    let error = try #require(told)
    #expect(error.code == "bad_request" && error.kind == .usage)
    #expect(error.message.hasPrefix("the request cannot be read: \(bad.message)"), "\(error.message)")
    #expect(!error.message.contains("DecodingError") && !error.message.contains("codingPath"), "\(error.message)")
  }

  @Test("what the interface does not know is read over, and what is left out has its default") func unknownMembers()
    throws
  {
    let list = try JSONDecoder().decode(QueueListRequest.self, from: Data(#"{"tomorrow": {"a": [1]}}"#.utf8))
    #expect(list.states.isEmpty && list.after == 0 && list.limit == QueueListRequest.longest && !list.isOfDefaultUser)
    let read = try JSONDecoder().decode(ReadRequest.self, from: Data(#"{"peripheral": 1000}"#.utf8))
    #expect(read.timeout == 60 && read.delivers && !read.answersQuestions && read.radio == RadioChoice())
    let scan = try JSONDecoder().decode(ScanRequest.self, from: Data(#"{"timeout": null}"#.utf8))
    #expect(scan.timeout == nil)
    #expect(try JSONDecoder().decode(ScanRequest.self, from: Data("{}".utf8)).timeout == 10)
  }

  @Test("null switches off, and what is left out stays") func nothing() throws {
    let change = try JSONDecoder().decode(FeedbackSetRequest.self, from: Data(#"{"sound": null}"#.utf8))
    #expect(change.sound == .nothing && change.hook == nil && change.moments == FeedbackMoment.Kind.allCases)
    let meter = try JSONDecoder().decode(MetersSetRequest.self, from: Data(#"{"meter": "m", "peripheral": null}"#.utf8))
    #expect(meter.choice == MetersSetRequest.Choice.none)
  }

  private func refusal<R: HandledRequest>(_ type: R.Type, _ body: Data) -> GatewayError? {
    do {
      _ = try JSONDecoder().decode(type, from: body)
      return nil
    } catch { return GatewayError(badRequest: error) }
  }
}
