import Crypto
import HostPrimitives
import InformSink
import MeterCore
import NATSClient
import RecordSupport
import Testing

@testable import NATSSink

@Suite("A reading as a message")
struct ReadingMessageTests {
  static let subjects = ReadingSubjects(organization: "clinic", gateway: "gw0001")

  @Test("has the record as it goes over HTTP, its name, whose it is and the proof of that")
  func message() throws {
    let record = Fixture.glucose(1)
    let message = try ReadingMessage(record, to: Self.subjects, token: Fixture.token, isConfirmed: true)
    #expect(message.subject == "mh.clinic.gw0001.r.measurements")
    #expect(message.payload == (try InformV2Encoder().encode(record, mark: .revisionAndHash)))
    // The last digits are the first of the token's SHA-256.
    let name = "\(record.logID):1:\(record.contentHash.prefix(4).hexadecimal):55d8ebb9"
    #expect(message.headers["Nats-Msg-Id"] == name)
    #expect(message.headers["Meterhost-Confirm"] == "mh.clinic.gw0001.c")
    // SHA-256 of the token, by Python's hashlib.
    let digest = "55d8ebb9f8ec624308f47620730d522953251fc79a23ec1319f5526956b5be32"
    #expect(message.headers["Meterhost-User"] == String(digest.prefix(16)))
    let key = SymmetricKey(data: try #require([UInt8](hexadecimal: digest.utf8)))
    let mac = try #require(message.headers["Meterhost-Mac"].flatMap { [UInt8](hexadecimal: $0.utf8) })
    let proved = Array("\(message.subject)\n\(name)\n".utf8) + message.payload
    #expect(HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: proved, using: key))
    #expect(message.headers.fields.count == 4)
  }

  @Test("the proof is what others compute")
  func vector() throws {
    let digest = try #require(
      [UInt8](hexadecimal: "55d8ebb9f8ec624308f47620730d522953251fc79a23ec1319f5526956b5be32".utf8))
    let mac = ReadingMessage.mac(
      tokenDigest: digest, subject: "mh.clinic.gw0001.r.measurements", name: "name", payload: Array("{}".utf8))
    #expect(mac.hexadecimal == "01599c5414a5a2992080835ce3f0a69296cd35fd3890eda1da5c87e8535a2a9d")
  }

  @Test("nothing of it is the token, and without a receiver's word it asks for none")
  func noSecret() throws {
    let message = try ReadingMessage(
      Fixture.glucose(1), to: Self.subjects, token: Fixture.token, isConfirmed: false)
    let all = String(decoding: message.headers.bytes + message.payload, as: UTF8.self) + message.subject
    #expect(!all.contains(Fixture.token.secret) && message.headers["Meterhost-Confirm"] == nil)
  }

  @Test("another content, revision, gateway or user is another proof")
  func proofs() throws {
    func mac(_ record: Record, _ subjects: ReadingSubjects = Self.subjects, _ token: AccessToken = Fixture.token) throws
      -> String?
    {
      try ReadingMessage(record, to: subjects, token: token, isConfirmed: true).headers["Meterhost-Mac"]
    }
    var later = Fixture.glucose(1)
    later.revision = 2
    let all = try [
      mac(Fixture.glucose(1)), mac(Fixture.glucose(1, mantissa: 113)), mac(later), mac(Fixture.glucose(2)),
      mac(Fixture.glucose(1), ReadingSubjects(organization: "clinic", gateway: "gw0002")),
      mac(Fixture.glucose(1), Self.subjects, AccessToken("another-token-0815")),
    ]
    #expect(Set(all).count == all.count)
    #expect(try mac(Fixture.glucose(1)) == all[0])
  }

  @Test("control solution has no message")
  func control() {
    #expect(throws: EncodingRefusal.self) {
      try ReadingMessage(
        Fixture.glucose(1, flags: .control), to: Self.subjects, token: Fixture.token, isConfirmed: true)
    }
  }

  @Test("a name is read as it is written")
  func names() throws {
    let name = ReadingName(Fixture.glucose(7), token: Fixture.token)
    #expect(ReadingName(name.description) == name)
    let id = Fixture.glucose(7).logID
    for text in [
      "", "\(id)", "\(id):1", "\(id):1:00000000", "\(id):0:00000000:00000000", "\(id):-1:00000000:00000000",
      "\(id):1:0000000:00000000", "\(id):1:00000000:0000000g", "x:1:00000000:00000000", "\(id):1:00000000:00000000:",
    ] {
      #expect(ReadingName(text) == nil, "\(text)")
    }
  }

  @Test(
    "what a receiver says, and what that means",
    arguments: [
      (#""outcome":"created","id":"42""#, SinkReply(.delivered(id: "42"))),
      (#""outcome":"unchanged""#, SinkReply(.delivered())), (#""outcome":"updated""#, SinkReply(.delivered())),
      (#""outcome":"superseded","id":"a\nb""#, SinkReply(.delivered(id: "a b"))),
      (
        #""outcome":"refused","reason":"invalid","text":"unit: unknown""#,
        SinkReply(.refused(reason: "invalid"), text: "unit: unknown", isAboutItem: true)
      ),
      (#""outcome":"refused","reason":"No Word!""#, SinkReply(.refused(reason: "refused"), isAboutItem: true)),
      (#""outcome":"unauthorized","text":"no such user""#, SinkReply(.credentialRefused, text: "no such user")),
    ])
  func confirmations(members: String, reply: SinkReply) throws {
    let name = ReadingName(Fixture.glucose(7), token: Fixture.token)
    let confirmation = try #require(ReadingConfirmation(Array(#"{"msg_id":"\#(name)",\#(members)}"#.utf8)))
    #expect(confirmation.name == name && confirmation.reply == reply)
  }

  @Test(
    "what is no confirmation says nothing of any reading",
    arguments: [
      "", "{}", "[]", #"{"msg_id":"x","outcome":"created"}"#, #"{"msg_id":"NAME"}"#,
      #"{"msg_id":"NAME","outcome":"maybe"}"#,
      #"{"msg_id":"NAME","outcome":"created","outcome":"refused"}"#, #"{"msg_id":7,"outcome":"created"}"#,
      #"{"msg_id":"NAME","outcome":"created"} "#.replacing("}", with: ","),
    ])
  func noConfirmation(text: String) {
    let name = ReadingName(Fixture.glucose(7), token: Fixture.token).description
    #expect(ReadingConfirmation(Array(text.replacing("NAME", with: name).utf8)) == nil)
  }

  @Test("a reading of which nobody says anything is sent again after a minute, later and later, up to an hour")
  func resends() {
    var times = ResendTimes()
    let name = ReadingName(Fixture.glucose(1), token: Fixture.token)
    let waits = (0..<9).map { _ in times.next(name) }
    #expect(waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { .seconds($0) })
    #expect(times.next(ReadingName(Fixture.glucose(2), token: Fixture.token)) == .seconds(60))
    times.forget(name)
    #expect(times.next(name) == .seconds(60))
  }
}
