import StrictJSON
import Testing

@testable import NATSClient

/// Answers as nats-server 2.14.0 gives them.
@Suite("What JetStream is asked and answers")
struct JetStreamTests {
  @Test("which stream has a message")
  func acknowledgement() throws {
    let first = try JetStreamAcknowledgement(Array(#"{"stream":"READINGS", "seq":17}"#.utf8))
    #expect(first.stream == "READINGS" && first.sequence == 17 && !first.isDuplicate)
    #expect(
      try JetStreamAcknowledgement(Array(#"{"stream":"READINGS","domain":"x","seq":1,"duplicate": true}"#.utf8))
        .isDuplicate)
  }

  @Test("why a stream has not taken it")
  func refusal() {
    let text =
      #"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"READINGS","seq":0}"#
    #expect(throws: JetStreamRefusal(code: 503, reason: 10077, text: "maximum messages exceeded")) {
      try JetStreamAcknowledgement(Array(text.utf8))
    }
  }

  @Test(
    "what is no answer of JetStream",
    arguments: [
      "", "+OK", "{}", "[]", #"{"stream":"R"}"#, #"{"stream":"R","seq":0}"#, #"{"stream":"R","seq":-1}"#,
      #"{"stream":7,"seq":1}"#,
    ])
  func foreign(text: String) {
    #expect { try JetStreamAcknowledgement(Array(text.utf8)) } throws: { ($0 as? JetStreamRefusal)?.code == 0 }
  }

  @Test("where a message comes from, by its reply subject")
  func delivery() throws {
    let plain = try #require(JetStreamDelivery(reply: "$JS.ACK.READINGS.postgres.2.17.20.1795801736801905441.1999"))
    #expect(plain.stream == "READINGS" && plain.consumer == "postgres" && plain.deliveries == 2)
    #expect(plain.sequence == 17 && plain.nanoseconds == 1_795_801_736_801_905_441 && plain.waiting == 1999)
    let domain = JetStreamDelivery(reply: "$JS.ACK._.ACCT.READINGS.postgres.2.17.20.1795801736801905441.1999.rnd")
    #expect(domain == plain)
    for reply in ["", "a.b", "$JS.ACK.R.c.1", "$JS.ACK.R.c.x.17.20.1.0", "$JS.API.R.c.1.17.20.1.0"] {
      #expect(JetStreamDelivery(reply: reply) == nil)
    }
  }

  @Test("what a pull brings")
  func pull() {
    func answer(_ status: Int?, _ text: String = "") -> JetStreamPullAnswer {
      let header = status.map { "NATS/1.0 \($0) \(text)\r\n\r\n" } ?? "NATS/1.0\r\nX: 1\r\n\r\n"
      return JetStreamPullAnswer(NATSMessage(subject: "i", headers: NATSHeaders(Array(header.utf8)) ?? NATSHeaders()))
    }
    #expect(answer(404, "No Messages") == .over && answer(408, "Request Timeout") == .over)
    #expect(answer(409, "Message Size Exceeds MaxBytes") == .over && answer(100, "Idle Heartbeat") == .heartbeat)
    #expect(answer(409, "Consumer Deleted") == .broken("Consumer Deleted"))
    if case .message = answer(nil) {} else { Issue.record("a message is one") }
  }

  @Test("what is said of a message")
  func verdicts() {
    let texts = [JetStreamVerdict.done, .again(after: nil), .again(after: .milliseconds(1500)), .never, .working]
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(texts == ["+ACK", "-NAK", "-NAK {\"delay\":1500000000}", "+TERM", "+WPI"])
  }

  @Test("a question for messages is JSON with times in nanoseconds")
  func question() throws {
    let pull = try JSONDocument(JetStreamPull(batch: 500, expires: .seconds(30)).json, rules: JSONRules(depth: 8)).root
    #expect(pull.integer("batch") == 500 && pull.integer("expires") == 30_000_000_000 && pull.member("no_wait") == nil)
  }
}
