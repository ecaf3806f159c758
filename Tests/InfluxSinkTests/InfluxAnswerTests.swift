import CurlHTTP
import MeterCore
import Testing

@testable import InfluxSink

@Suite("What a series database answers")
struct InfluxAnswerTests {
  private func answer(_ status: Int, _ body: String = "", hasCredential: Bool = true) -> InfluxAnswer {
    InfluxAnswer(HTTPResponse(status: status, body: Array(body.utf8)), hasCredential: hasCredential)
  }

  @Test("204 alone says that lines are written", arguments: [200, 201, 202, 206, 302])
  func written(status: Int) {
    #expect(answer(204) == .written)
    #expect(answer(status, "{}") != .written && answer(status, "<html>") != .written)
  }

  @Test("a refusal is the database's where it says so in its own form", arguments: [400, 422])
  func refused(status: Int) {
    #expect(answer(status, #"{"error":"partial write: field type conflict dropped=1"}"#) == .refused(status: status))
    #expect(answer(status, #"{"code":"invalid","message":"unable to parse 'x'"}"#) == .refused(status: status))
    for body in ["", "<html>", "{}", #"{"message":"Bad Request"}"#, #"{"code":1,"message":"x"}"#] {
      #expect(answer(status, body).reply.outcome == .retry(), "something in between")
    }
    #expect(answer(413) == .refused(status: 413))
  }

  @Test("a refused credential is the database's word, and a missing one is not refused")
  func credential() {
    let body = #"{"code":"unauthorized","message":"unauthorized access"}"#
    #expect(answer(401, body).reply.outcome == .credentialRefused)
    #expect(answer(401, body, hasCredential: false).reply.outcome == .retry())
    #expect(answer(401, "<html>").reply.outcome == .retry() && answer(403, body).reply.outcome == .retry())
  }

  @Test("what says nothing of the lines is sent again", arguments: [404, 408, 429, 500, 503])
  func later(status: Int) { #expect(answer(status, #"{"error":"x"}"#).reply.outcome == .retry()) }

  @Test("nothing of a message is kept: it repeats the line")
  func privacy() {
    for status in [200, 400, 401, 404, 413, 422, 500] {
      #expect(!answer(status, #"{"error":"unable to parse 'glucose=6.20'"}"#).reply.text.contains("6.20"))
    }
  }
}
