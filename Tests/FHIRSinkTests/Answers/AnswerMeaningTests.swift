import CurlHTTP
import Testing

@testable import FHIRSink

/// What answers mean for a reading: it is delivered, or refused for good, only when a FHIR server says so.
@Suite("Answers of FHIR servers", .timeLimit(.minutes(60)))
struct AnswerMeaningTests {
  private static let outcome = FHIRTestServer.body("invalid", "no")

  private func meaning(_ status: Int, _ body: String, headers: [(name: String, value: String)] = []) -> AnswerMeaning {
    AnswerMeaning(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)), entries: 2, main: 1)
  }

  private static func bundle(
    _ main: String, type: String = "transaction-response", first: String = #"{"response":{"status":"200"}}"#
  ) -> String {
    #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(first),\#(main)]}"#
  }

  private static func entry(_ status: String, _ location: String) -> String {
    #"{"response":{"status":"\#(status)","location":"\#(location)"}}"#
  }

  @Test(
    "a transaction of which every entry succeeded is a delivery, under the main observation's id",
    arguments: [
      ("Observation/17/_history/1", "Observation/17"), ("https://fhir.example/r4/Observation/17", "Observation/17"),
      ("Observation/a-1.B/_history/3", "Observation/a-1.B"),
    ])
  func delivered(location: String, id: String) {
    #expect(meaning(200, Self.bundle(Self.entry("201 Created", location))) == .delivered(id: id))
    #expect(meaning(200, "\u{FEFF}" + Self.bundle(Self.entry("200", location))) == .delivered(id: id))
  }

  @Test("a server that names nothing has the reading all the same")
  func withoutLocation() {
    #expect(meaning(200, Self.bundle(#"{"response":{"status":"200 OK"}}"#)) == .delivered(id: nil))
    let resource = #"{"resource":{"resourceType":"Observation","id":"9"},"response":{"status":"201"}}"#
    #expect(meaning(200, Self.bundle(resource)) == .delivered(id: "Observation/9"))
  }

  static let foreign: [(Int, String)] = [
    (200, "<html>login</html>"), (200, ""), (200, "{}"), (200, outcome), (204, ""), (202, ""),
    (200, bundle(entry("201", "Observation/1"), type: "batch-response")),
    (200, bundle(entry("201", "Observation/1"), type: "transaction")),
    (200, bundle(entry("422 Unprocessable", "Observation/1"))), (200, bundle(entry("20", "Observation/1"))),
    (200, bundle(entry("201", "Observation/1"), first: #"{"response":{"status":"404"}}"#)),
    (200, bundle(entry("201", "Observation/1"), first: #"{"response":{}}"#)),
    (200, bundle(entry("201", "Device/1"))), (200, bundle(entry("201", "Observation/"))),
    (200, #"{"resourceType":"Bundle","type":"transaction-response","entry":[{"response":{"status":"201"}}]}"#),
    (200, #"{"resourceType":"Bundle","resourceType":"Bundle","type":"transaction-response","entry":[]}"#),
    (302, ""), (500, ""), (502, "<html>bad gateway</html>"),
    (400, "<html>Bad Request</html>"), (404, "404 page not found"), (412, "{}"), (422, #"{"error":"no"}"#),
    (413, "<html>too large</html>"), (403, outcome), (409, outcome), (503, outcome),
    (400, #"{"resourceType":"OperationOutcome","issue":[]}"#),
    (400, #"{"resourceType":"OperationOutcome","issue":[{"severity":"warning","code":"invalid"}]}"#),
    // What passes by itself, or is said of who asks.
    (400, FHIRTestServer.body("timeout", "later")), (422, FHIRTestServer.body("lock-error", "later")),
    (404, FHIRTestServer.body("login", "who")), (412, FHIRTestServer.body("transient", "later")),
  ]

  @Test("everything else is sent again", arguments: foreign)
  func retried(status: Int, body: String) {
    #expect(meaning(status, body) == .retry(after: nil))
  }

  @Test("a server that explains itself refuses for good", arguments: [400, 404, 405, 410, 413, 415, 422])
  func refused(status: Int) {
    #expect(meaning(status, Self.outcome) == .refused(reason: "http-\(status)"))
  }

  @Test("what matches several times is ambiguous")
  func ambiguous() {
    #expect(meaning(412, FHIRTestServer.body("multiple-matches", "2")) == .refused(reason: "ambiguous"))
  }

  @Test("a 401 is the server's where it says so")
  func unauthorized() {
    #expect(meaning(401, Self.outcome) == .unauthorized(isCertain: true))
    #expect(meaning(401, "<html>login</html>") == .unauthorized(isCertain: false))
    let field = [(name: "WWW-Authenticate", value: #"Bearer realm="x", error="invalid_token""#)]
    #expect(meaning(401, "", headers: field) == .unauthorized(isCertain: true))
    #expect(
      meaning(401, "", headers: [("WWW-Authenticate", "Basic realm=\"proxy\"")]) == .unauthorized(isCertain: false))
  }

  @Test("how long a server asks to be left alone", arguments: [429, 503, 403, 409])
  func wait(status: Int) {
    #expect(meaning(status, "", headers: [("Retry-After", "7")]) == .retry(after: .seconds(7)))
  }
}
