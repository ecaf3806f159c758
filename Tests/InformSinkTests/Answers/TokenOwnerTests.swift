import DeliverySupport
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// A token of somebody else would file one person's readings under another (hazard H11).
@Suite("Token owner", .timeLimit(.minutes(60)))
struct TokenOwnerTests {
  /// The session's user is ada of the organisation clinic.
  static let answers: [(body: String, isOther: Bool)] = [
    (#"{"data":{"organization_id":"clinic","user_id":"42","uid":"ada"}}"#, false),
    (#"{"data":{"organization_id":"clinic","user_id":"ada"}}"#, false),
    (#"{"data":{"organization_id":"clinic","user_id":"42","uid":"grace"}}"#, true),
    (#"{"data":{"organization_id":"hospital","user_id":"42","uid":"ada"}}"#, true),
    (#"{"data":{"uid":"ADA"}}"#, true),
    (#"{"data":{}}"#, false), (#"{"id":"7"}"#, false), (#"{"data":null}"#, false),
    (#"{"data":{"user_id":null,"uid":null,"organization_id":null}}"#, false),
    // What cannot be read is no silence.
    (#"{"data":{"user_id":4711,"uid":"another","organization_id":"clinic"}}"#, true),
    (#"{"data":{"user_id":4711}}"#, true), (#"{"data":{"user_id":4711,"uid":"ada"}}"#, false),
    (#"{"data":{"uid":true}}"#, true), (#"{"data":{"uid":["ada"]}}"#, true), (#"{"data":{"uid":{}}}"#, true),
    (#"{"data":{"uid":"ada","organization_id":7}}"#, true), (#"{"data":{"uid":"ada","organization_id":[]}}"#, true),
    (#"{"data":{"uid":"ada","uid":"grace"}}"#, true), (#"{"data":{"u\u0069d":"grace"}}"#, true),
    (#"{"data":[{"uid":"grace"}]}"#, true), (#"{"data":"grace"}"#, true), (#"{"data":7}"#, true),
    (#"{"user":{"uid":"grace"}}"#, true), (#"{"data":{"user":{"user_id":"grace"}}}"#, true),
    (#"{"user":{"_id":"42","uid":"ada"}}"#, false),
    (#"{"uid":"grace"}"#, true), (#"{"organization_id":"hospital","data":{"uid":"ada"}}"#, true),
  ]

  @Test("reads whose token it is, and takes silence for consent", arguments: answers)
  func contradiction(body: String, isOther: Bool) {
    #expect(TokenOwner.contradicts(Fixture.user, in: Array(body.utf8)) == isOther)
  }

  @Test(
    "ids of receivers may be numbers, and are compared by their digits",
    arguments: [
      ("4711", false), ("4712", true), ("4711.0", true), ("\"4711\"", false),
    ])
  func numbers(id: String, isOther: Bool) {
    let user = SessionUser(userID: "4711", organizationID: "9007199254740993")
    let body = #"{"data":{"user_id":\#(id),"organization_id":9007199254740993}}"#
    #expect(TokenOwner.contradicts(user, in: Array(body.utf8)) == isOther)
    let other = #"{"data":{"user_id":\#(id),"organization_id":9007199254740992}}"#
    #expect(TokenOwner.contradicts(user, in: Array(other.utf8)), "as floating-point numbers they are the same")
  }

  @Test(
    "ids are compared byte for byte: two spellings of one letter are two users",
    arguments: ["jos\u{E9}", "jose\u{301}"], ["jos\u{E9}", "jose\u{301}"])
  func spellings(own: String, other: String) {
    let isOther = !own.utf8.elementsEqual(other.utf8)
    let user = SessionUser(userID: own, organizationID: "clinic")
    #expect(TokenOwner.contradicts(user, in: Array(#"{"data":{"uid":"\#(other)"}}"#.utf8)) == isOther)
    let colleague = SessionUser(userID: "ada", organizationID: own)
    #expect(TokenOwner.contradicts(colleague, in: Array(#"{"organization_id":"\#(other)"}"#.utf8)) == isOther)
  }

  /// A network's page in JSON says such things, and so would a server that names its users by words that nobody here knows: in both
  /// cases nobody has said that the token is this user's.
  @Test(
    "an answer that says something, and nothing that the contract knows, is nobody's: what was read waits until one is",
    arguments: [
      #"{"email":"grace@example.org"}"#, #"{"account":"grace","plan":"basic"}"#, #"{"sub":"ada","scope":"readings"}"#,
      #"{"captive":true}"#, #"{"users":[{"uid":"ada"}]}"#,
    ])
  func unknownMembers(body: String) async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let isOwn = Mutex(false)
    let server = try ScriptedServer { request, _ in
      if request.method == "POST" { return .answer(201, body: #"{"id":"1"}"#) }
      return .answer(200, body: isOwn.withLock(\.self) ? #"{"data":{"uid":"ada"}}"# : body)
    }
    let endpoint = try ReceiverEndpoint(server.base)
    let (transport, clock) = (CurlTransport(), StoppedClock())
    let verdict = await endpoint.verdict(on: Fixture.token, of: Fixture.user, transport: transport)
    guard case .unknown(let reason) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(!reason.isEmpty)
    let uploader = DeliveryEngine(store: store, endpoint: endpoint, transport: transport, clock: clock)
    let waiting = await uploader.drain()
    #expect(waiting.delivered == 0 && waiting.waiting == 1 && !waiting.sessionEnded && server.posts.isEmpty)
    isOwn.withLock { $0 = true }
    clock.advance(by: try #require(waiting.nextTry))
    #expect(await uploader.drain().delivered == 1)
  }

  @Test("nothing is uploaded with the token of somebody else, and what was read is kept", arguments: answers)
  func upload(body: String, isOther: Bool) async throws {
    let folder = try TemporaryFolder()
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    let server = try ScriptedServer { request, _ in
      request.method == "POST" ? .answer(201, body: #"{"id":"1"}"#) : .answer(200, body: body)
    }
    let endpoint = try ReceiverEndpoint(server.base)
    let transport = CurlTransport()
    let verdict = await endpoint.verdict(on: Fixture.token, of: Fixture.user, transport: transport)
    #expect(verdict == (isOther ? .otherUser : .accepted))
    let uploader = DeliveryEngine(store: store, endpoint: endpoint, transport: transport, clock: StoppedClock())
    let events = await uploader.events()
    let report = await uploader.drain()
    #expect(report.delivered == (isOther ? 0 : 1) && report.sessionEnded == isOther)
    #expect(server.posts.count == (isOther ? 0 : 1))
    guard isOther else { return }
    for await case .sessionEnded(let ended) in events {
      #expect(try ended.entries().map(\.logID) == [Fixture.glucose(1).logID] && ended.recoveryFile != nil)
      break
    }
  }
}
