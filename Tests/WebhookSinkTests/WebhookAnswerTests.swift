import CurlHTTP
import MeterCore
import Testing

@testable import WebhookSink

@Suite("What the answers of an endpoint mean")
struct WebhookAnswerTests {
  private func reply(
    _ status: Int, _ body: String = "", _ headers: [(name: String, value: String)] = [],
    _ confirmation: WebhookSinkSetting.Confirmation = .status
  ) -> SinkReply {
    WebhookAnswer.reply(
      HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), to: "id-1", confirmation)
  }

  @Test("a success has the reading", arguments: [200, 201, 202, 204])
  func success(status: Int) {
    #expect(reply(status).outcome == .delivered())
    #expect(reply(status, #"{"ok":true}"#).outcome == .delivered())
    #expect(reply(status, "ok").outcome == .delivered())
  }

  @Test("a page for people has not, nor a success of another kind, nor a redirect")
  func foreign() {
    for reply in [
      reply(200, "<!DOCTYPE html><title>Log in</title>"), reply(200, "\r\n <html>"),
      reply(200, "x", [("Content-Type", "text/html; charset=utf-8")]), reply(203), reply(206), reply(207), reply(301),
      reply(307),
    ] { #expect(reply.outcome == .retry()) }
  }

  @Test("where the id is to be repeated, nothing else says that the reading is stored")
  func echo() {
    #expect(reply(204, "", [("Webhook-Id", "id-1")], .echo).outcome == .delivered(id: "id-1"))
    #expect(reply(204, "", [("webhook-id", "id-2")], .echo).outcome == .retry())
    #expect(reply(200, #"{"id":"id-1"}"#, [], .echo).outcome == .retry())
    #expect(reply(200, "<html>", [("webhook-id", "id-1")], .echo).outcome == .retry())
  }

  @Test(
    "a refusal is final where a JSON object explains it, and is none of a proxy's", arguments: [400, 413, 415, 422])
  func refusals(status: Int) {
    #expect(reply(status, #"{"message":"unit"}"#).outcome == .refused(reason: "http-\(status)"))
    for body in ["", "<html>", "[]", "no"] {
      #expect(reply(status, body).outcome == .retry() && reply(status, body).isAboutItem)
    }
  }

  @Test(
    "what says nothing of the reading is sent again",
    arguments: [
      (401, false), (403, false), (404, true), (405, true), (408, false), (409, true), (425, false), (429, false),
      (500, false), (502, false), (503, false), (100, true), (600, true),
    ])
  func later(status: Int, isAboutItem: Bool) {
    let reply = reply(status, #"{"error":"x"}"#)
    #expect(reply.outcome == .retry() && reply.isAboutItem == isAboutItem)
  }

  @Test("the endpoint's wish to be left alone is kept, and one that is gone is asked once a day")
  func waits() {
    #expect(reply(429, "", [("Retry-After", "120")]).outcome == .retry(after: .seconds(120)))
    #expect(reply(503, "", [("Retry-After", "7")]).outcome == .retry(after: .seconds(7)))
    #expect(reply(410, #"{"gone":true}"#).outcome == .retry(after: .seconds(86_400)))
  }

  @Test("nothing of a body is kept: it may repeat the reading")
  func privacy() {
    for status in [200, 400, 401, 404, 422, 500] {
      #expect(!reply(status, #"{"message":"glucose 6.20"}"#).text.contains("6.20"))
    }
  }
}
