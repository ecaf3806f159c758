import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// What is kept, logged and exported of a receiver's reasons (hazard H14).
@Suite("Receiver words", .timeLimit(.minutes(60)))
struct ReceiverWordsTests {
  static let secret = "Sesame/opens+0815=x"
  static let base64 = Data(secret.utf8).base64EncodedString()
  static let hexadecimal = secret.utf8.map { String($0, radix: 16) }.joined(separator: ":")

  /// The token as receivers, frameworks and people may write it.
  static let spellings = [
    secret, secret.lowercased(), secret.uppercased(), #"Sesame\/opens\u002b0815\u003dx"#,
    #"Sesame\\\/opens\\u002b0815=x"#, "Sesame%2Fopens%2B0815%3Dx", "Sesame%252Fopens%252B0815%253Dx",
    "%53%65%73%61%6d%65%2fopens%2b0815=x", "Sesame/opens&#43;0815=x", "Sesame&sol;opens&plus;0815&equals;x",
    "&#x53;esame&#x2F;opens&#x2b;0815&#x3d;x", "&amp;#83;esame/opens+0815=x", "Sesame/ opens+ 0815=x",
    #"Sesame/\nopens+\r\n0815=x"#, "S-e-s-a-m-e/opens+0815=x", #"Ses\u00adame/\u200bopens+0815=x"#,
    "Ｓｅｓａｍｅ/opens+0815=x", base64, "Basic \(Data("ada:\(secret)".utf8).base64EncodedString())",
    base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""),
    "\(base64.prefix(9))\\n\(base64.dropFirst(9))", hexadecimal, "token Sesame/opens+08...",
    Data("Bearer \(base64)".utf8).base64EncodedString(), Data(hexadecimal.utf8).base64EncodedString(),
    String(secret.reversed()), base64.utf8.map { "%" + String($0, radix: 16) }.joined(),
  ]

  static let shapes = [
    #"{"errors":["the token @ is wrong"]}"#, #"{"errors":{"token @":["is wrong"]}}"#, #"{"message":"@"}"#,
    #"{"message":"no","access_token":"@"}"#, #"{"message":"no","@":1}"#, "<html>@</html>", "@", #"["@"]"#,
  ]

  @Test("nothing is kept of an answer that repeats the token in any spelling", arguments: spellings, shapes)
  func repeated(spelling: String, shape: String) {
    let body = Array(shape.replacing("@", with: spelling).utf8)
    let words = ReceiverWords.text(of: body, hiding: AccessToken(Self.secret))
    #expect(["(it repeats the token, and is not kept)", "(not a receiver's JSON)"].contains(words), "\(words)")
  }

  @Test("an id that has the token or a good part of it is not kept", arguments: spellings + [String(secret.prefix(12))])
  func ids(spelling: String) {
    #expect(ReceiverAnswer.kept("r-\(spelling)", 512, hiding: AccessToken(Self.secret)) == nil)
    #expect(ReceiverAnswer.kept("r-Sesame", 512, hiding: AccessToken(Self.secret)) == "r-Sesame")
  }

  @Test("nothing is kept of a token that is split over the members of an answer")
  func split() {
    let body = Array(#"{"message":"Sesame/op","detail":"ens+0815=x"}"#.utf8)
    #expect(ReceiverWords.text(of: body, hiding: AccessToken(Self.secret)).hasPrefix("(it repeats"))
  }

  @Test(
    "of any other answer the reasons are kept, decoded and in one line",
    arguments: [
      (#"{"errors":["a \u0062","c"]}"#, "a b; c"),
      (
        #"{"errors":{"metrics[0].unit":["is unknown","is odd"]},"message":"m"}"#,
        "metrics[0].unit: is unknown, is odd; m"
      ),
      (#"{"errors":["m"],"message":"m","status":400,"error":"Bad Request"}"#, "m; Bad Request"),
      (#"{"code":409,"message":"a\r\nb\u2028c\u0000"}"#, "a  b c "), (#"{"detail":"d","record":{"value":93}}"#, "d"),
      ("{}", ""), ("", ""), ("<html>no</html>", "(not a receiver's JSON)"), ("[]", "(not a receiver's JSON)"),
      (
        #"{"message":"the password is half of a percent: 50% & more \\ <b>"}"#,
        #"the password is half of a percent: 50% & more \ <b>"#
      ),
    ])
  func kept(body: String, words: String) {
    #expect(ReceiverWords.text(of: Array(body.utf8), hiding: AccessToken(Self.secret)) == words)
  }

  @Test("a long reason is cut, and what is too long to be looked through is not kept")
  func bounded() {
    func words(_ count: Int) -> String {
      let body = #"{"message":"\#(String(repeating: "no ", count: count))"}"#
      return ReceiverWords.text(of: Array(body.utf8), hiding: AccessToken(Self.secret))
    }
    #expect(words(1_000).unicodeScalars.count == ReceiverWords.limit)
    #expect(words(10_000).hasPrefix("(too long"))
  }

  @Test("a token of signs alone lets nothing be kept, and none hides nothing")
  func oddTokens() {
    let body = Array(#"{"message":"no"}"#.utf8)
    #expect(ReceiverWords.text(of: body, hiding: AccessToken("+/=")).hasPrefix("(it repeats"))
    #expect(ReceiverWords.text(of: body, hiding: AccessToken("")) == "no")
  }

  @Test("neither store, events nor ids have the token that a receiver repeats", arguments: spellings.prefix(12))
  func stored(spelling: String) async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let token = AccessToken(Self.secret)
    let generation = try store.startSession(Fixture.user, token: token).session.generation
    _ = try store.commit([Fixture.unit(generation, (1...3).map { Fixture.glucose($0) })])
    let server = try ScriptedServer { request, earlier in
      if request.method == "GET" { return .answer(200) }
      switch earlier.count {
      case 1: return .answer(422, body: #"{"errors":["\#(spelling)"]}"#)
      case 2: return .answer(500, body: "<p>\(spelling)</p>")
      default: return .answer(201, body: #"{"data":{"id":"\#(spelling)"}}"#)
      }
    }
    var settings = DeliverySettings()
    settings.concurrency = 1
    let clock = StoppedClock()
    let uploader = DeliveryEngine(
      store: store, endpoint: try ReceiverEndpoint(server.base), transport: CurlTransport(), settings: settings,
      clock: clock, jitter: { 1 })
    _ = await uploader.drain()
    clock.advance(by: .seconds(60))
    _ = await uploader.drain()
    let entries = try store.queueSnapshot() + (1...3).flatMap { try store.queueEntry(Fixture.glucose($0).logID) }
    let texts = entries.flatMap { [$0.lastError, $0.reason, $0.receiverID] }.compactMap(\.self)
    let events = try store.events(after: 0).events.map {
      String(decoding: try JSONEncoder().encode($0.event), as: UTF8.self)
    }
    #expect(!texts.isEmpty && events.contains { $0.contains("record_submission_failed") })
    for text in texts + events {
      #expect(!TokenTrace(token).isIn([text], inPart: true), "\(text)")
      #expect(!text.contains(spelling))
    }
  }
}
