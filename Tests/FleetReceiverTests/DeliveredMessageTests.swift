import MeterReceiver
import NATSClient
import Testing

@testable import FleetReceiver

@Suite("Messages as a consumer delivers them") struct DeliveredMessageTests {
  private func delivered(
    _ headers: [(String, String)], subject: String = "mh.clinic.gw1.r.measurements",
    reply: String? = "$JS.ACK.READINGS.postgres.3.1.1.1.0", isBroken: Bool = false
  ) -> DeliveredMessage? {
    DeliveredMessage(
      NATSMessage(
        subject: subject, reply: reply, headers: NATSHeaders(headers), hasBrokenHeaders: isBroken, payload: [1, 2]))
  }

  @Test("one that no consumer has delivered is none") func foreign() {
    #expect(delivered([], reply: nil) == nil)
    #expect(delivered([], reply: "_INBOX.x") == nil)
    #expect(delivered([])?.deliveries == 3)
  }

  @Test("of a field that is there twice nobody can say which one is meant; so of a broken header") func headers() {
    let name = FleetMessage.Header.messageID
    #expect(delivered([(name, "a")])?.message.headers == [name: "a"])
    #expect(delivered([(name, "a"), (name, "b")])?.message.headers == [:])
    #expect(delivered([(name, "a"), ("Other", "b")])?.message.headers == [name: "a"])
    #expect(delivered([(name, "a")], isBroken: true)?.message.headers == [:])
  }

  static let places: [(asked: String?, subject: String, confirmation: String?)] = [
    ("mh.clinic.gw1.c", "mh.clinic.gw1.r.measurements", "mh.clinic.gw1.c"),
    (nil, "mh.clinic.gw1.r.measurements", nil), ("mh.clinic.gw2.c", "mh.clinic.gw1.r.measurements", nil),
    ("mh.clinic.gw1.cmd", "mh.clinic.gw1.r.measurements", nil),
    ("$JS.API.STREAM.DELETE.READINGS", "mh.clinic.gw1.r.measurements", nil),
    ("mh.clinic.gw1.c", "mh.clinic.gw1.s", nil),
  ]

  @Test("a confirmation goes to the message's own gateway or nowhere", arguments: places)
  func confirmations(asked: String?, subject: String, confirmation: String?) throws {
    let named = [(FleetMessage.Header.messageID, "a:1:0")]
    let message = try #require(
      delivered(named + (asked.map { [(FleetMessage.Header.confirm, $0)] } ?? []), subject: subject))
    #expect(message.confirmation == confirmation)
    #expect(message.isMisdirected == (asked != nil && confirmation == nil))
    let verdict = FleetVerdict.stored(.created, id: "1", logID: "2", revision: 1)
    let notes = NATSConnection.Note.settling(message, verdict)
    #expect(notes.map(\.subject) == [confirmation, message.reply].compactMap(\.self))
    #expect(notes.last?.payload == Array("+ACK".utf8))
    // What is no name is not repeated.
    let asked = asked.map { [(FleetMessage.Header.confirm, $0)] } ?? []
    for names in [[], [(FleetMessage.Header.messageID, "a b")], [(FleetMessage.Header.messageID, "\u{1}")]] {
      let nameless = try #require(delivered(names + asked, subject: subject))
      #expect(NATSConnection.Note.settling(nameless, verdict).map(\.subject) == [nameless.reply])
    }
    let refused = NATSConnection.Note.settling(message, .refused(reason: "x", text: "y"))
    #expect(refused.last?.payload == Array("+TERM".utf8))
  }

  @Test("a question waits for the first message and for no other") func question() {
    #expect(
      String(decoding: MessagePull(count: 500).question.json, as: UTF8.self)
        == #"{"batch":500,"expires":10000000000,"max_bytes":8388608,"no_wait":true}"#)
  }
}
