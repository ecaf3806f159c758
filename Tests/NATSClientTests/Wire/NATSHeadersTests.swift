import Testing

@testable import NATSClient

@Suite("Headers and subjects of NATS")
struct NATSHeadersTests {
  @Test("fields are kept in their order, names as they are written")
  func fields() throws {
    var headers = NATSHeaders([("Nats-Msg-Id", "a:1"), ("X", "1"), ("x", "2"), ("X", "3")])
    #expect(headers["X"] == "1" && headers.all("X") == ["1", "3"] && headers["y"] == nil)
    headers.set("X", "4")
    #expect(headers.all("X") == ["4"])
    #expect(String(decoding: headers.bytes, as: UTF8.self) == "NATS/1.0\r\nNats-Msg-Id: a:1\r\nx: 2\r\nX: 4\r\n\r\n")
    #expect(NATSHeaders(headers.bytes) == headers)
  }

  @Test(
    "nothing gets into a header that would end it",
    arguments: [("A b", "x"), ("", "x"), ("A:", "x"), ("A", "x\r\nB: y"), ("Ä", "x")])
  func injected(name: String, value: String) {
    var headers = NATSHeaders([("A", "1")])
    #expect(!headers.add(name, value) && !headers.set(name, value))
    #expect(headers == NATSHeaders([("A", "1")]))
  }

  @Test("a server's status and its words")
  func status() throws {
    let headers = try #require(
      NATSHeaders(Array("NATS/1.0 409 Message Size Exceeds MaxBytes\r\nNats-Pending-Bytes: 0\r\n\r\n".utf8)))
    #expect(headers.status == 409 && headers.statusText == "Message Size Exceeds MaxBytes")
    #expect(headers["Nats-Pending-Bytes"] == "0")
    #expect(NATSHeaders(headers.bytes) == headers)
  }

  @Test(
    "what is no header",
    arguments: [
      "", "NATS/1.0", "NATS/1.0\r\n", "NATS/2.0\r\n\r\n", "NATS/1.0 \r\nX\r\n\r\n", "NATS/1.0\r\n: x\r\n\r\n",
      "NATS/1.0\r\nX : 1\r\n\r\n", "NATS/1.0\r\nX: 1\nY: 2\r\n\r\n", "NATS/1.0\r\n\r\nmore", "NATS/1.0x\r\n\r\n",
      "NATS/1.0 abc\r\n\r\n", "NATS/1.0 5031\r\n\r\n",
    ])
  func broken(text: String) { #expect(NATSHeaders(Array(text.utf8)) == nil) }

  @Test(
    "what can be published to, and what subscribed to",
    arguments: [
      ("mh.clinic.gw0001.r.measurements", true, true), ("$JS.API.STREAM.INFO.READINGS", true, true), ("a", true, true),
      ("a.*", false, true), ("a.>", false, true), (">", false, true), ("a.>.b", false, false), ("a*", true, true),
      ("", false, false), (".a", false, false), ("a..b", false, false), ("a.", false, false), ("a b", false, false),
      ("a\r\nPUB x 0", false, false), ("a\t", false, false), (String(repeating: "a", count: 1025), false, false),
    ])
  func subjects(subject: String, canBePublished: Bool, canBeSubscribed: Bool) {
    #expect(NATSSubject.isPublishable(subject) == canBePublished)
    #expect(NATSSubject.isSubscribable(subject) == canBeSubscribed)
  }

  @Test(
    "wildcards",
    arguments: [
      ("a.b", "a.b", true), ("a.b", "a.*", true), ("a.b", "*.*", true), ("a.b", "a.>", true), ("a.b.c", "a.>", true),
      ("a", "a.>", false), ("a.b", "a", false), ("a.b.c", "a.*", false), ("a.b", ">", true), ("A.b", "a.b", false),
    ])
  func wildcards(subject: String, pattern: String, matches: Bool) {
    #expect(NATSSubject.matches(subject, pattern) == matches)
  }
}
