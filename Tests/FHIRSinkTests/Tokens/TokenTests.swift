import CurlHTTP
import DeliverySupport
import Foundation
import HostPrimitives
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import FHIRSink
@testable import MeterCore

/// Tokens that are fetched: kept as long as they are good, one question at a time, a new one after a refusal, once.
@Suite("Tokens of FHIR servers", .timeLimit(.minutes(60)))
struct TokenTests {
  let server: FHIRTestServer
  let clock = StoppedClock()
  private static let secret = SinkCredential(user: Fixture.user, token: AccessToken("client-secret-0815"))

  init() throws {
    server = try FHIRTestServer()
    server.change { $0.authorization = [] }
  }

  private func setting() -> FHIRSinkSetting {
    var setting = SinkFixture.setting(server)
    setting.authorization = .clientCredentials
    (setting.clientID, setting.scopes) = ("gateway 1", "system/Observation.write system/Patient.read")
    return setting
  }

  private func sink(_ setting: FHIRSinkSetting) async throws -> FHIRSink {
    try FHIRSink(
      await SinkFixture.confirmed(setting, Self.secret), of: SinkFixture.gateway, transport: CurlTransport(),
      clock: clock)
  }

  private func isDelivered(_ replies: [SinkReply]) -> Bool {
    replies.allSatisfy { if case .delivered = $0.outcome { true } else { false } }
  }

  @Test("a client's secret gets a token, which is kept until it ends")
  func clientCredentials() async throws {
    let sink = try await sink(setting())
    let before = server.state.tokenRequests.count
    for sequence in UInt64(1)...3 {
      #expect(isDelivered(await sink.deliver([Fixture.glucose(sequence)], with: Self.secret)))
    }
    let asked = server.state.tokenRequests
    #expect(asked.count == before + 1)
    let request = try #require(asked.last)
    let pair = Data("gateway%201:client-secret-0815".utf8).base64EncodedString()
    #expect(request.headers["authorization"] == "Basic \(pair)")
    let body = String(decoding: request.body, as: UTF8.self)
    #expect(body == "grant_type=client_credentials&scope=system%2FObservation.write%20system%2FPatient.read")
    clock.advance(by: .seconds(280))
    #expect(isDelivered(await sink.deliver([Fixture.glucose(4)], with: Self.secret)))
    #expect(server.state.tokenRequests.count == before + 2, "renewed before it ends")
  }

  @Test("who waits for a token waits for one question")
  func singleFlight() async throws {
    let setting = setting()
    let source = TokenSource(setting, transport: CurlTransport(), clock: clock)
    let tokens = await withTaskGroup(of: AccessToken?.self) { group in
      for _ in 0..<20 { group.addTask { try? await source.token(Self.secret.token)?.token } }
      return await group.reduce(into: Set<AccessToken?>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1 && tokens.first != .some(nil))
    #expect(server.state.tokenRequests.count == 1)
  }

  @Test("a token that the server does not take any more is renewed once, and then the credential is refused")
  func renewed() async throws {
    let sink = try await sink(setting())
    #expect(isDelivered(await sink.deliver([Fixture.glucose(1)], with: Self.secret)))
    let before = server.state.tokenRequests.count
    server.change { $0.authorization = [] }
    #expect(isDelivered(await sink.deliver([Fixture.glucose(2)], with: Self.secret)))
    #expect(server.state.tokenRequests.count == before + 1)
    let stale = #"{"access_token":"stale-0123456789abcdef","token_type":"bearer","expires_in":300}"#
    server.change {
      $0.authorization = []
      $0.tokenAnswers = [.answer(200, body: stale), .answer(200, body: stale)]
    }
    let replies = await sink.deliver([Fixture.glucose(3)], with: Self.secret)
    #expect(replies.map(\.outcome) == [.credentialRefused])
    #expect(server.state.tokenRequests.count == before + 2, "once")
  }

  @Test(
    "what a token endpoint says",
    arguments: [
      (400, #"{"error":"invalid_client"}"#, true), (401, #"{"error":"invalid_client"}"#, true),
      (400, #"{"error":"invalid_scope"}"#, false), (400, "<html>", false), (503, "", false), (200, "<html>", false),
      (200, #"{"access_token":"","token_type":"bearer"}"#, false),
      (200, #"{"access_token":"x","token_type":"mac"}"#, false),
      (404, #"{"error":"Not Found"}"#, false), (500, #"{"error":"invalid_client"}"#, false),
    ])
  func refusals(status: Int, body: String, isRefused: Bool) async throws {
    let sink = try await sink(setting())
    server.change { $0.tokenAnswers = [.answer(status, body: body)] }
    let reply = try #require(await sink.deliver([Fixture.glucose(1)], with: Self.secret).first)
    #expect((reply.outcome == .credentialRefused) == isRefused, "\(reply)")
    #expect(!reply.text.contains("client-secret-0815") && !reply.text.isEmpty)
    #expect(isDelivered(await sink.deliver([Fixture.glucose(1)], with: Self.secret)))
  }

  @Test("a clock that is wrong is not taken for a wrong client")
  func skew() throws {
    let response = HTTPResponse(status: 400, body: Array(#"{"error":"invalid_client"}"#.utf8))
    for (seconds, isRefused) in [(nil, true), (5, true), (-400, false), (4_000, false)] as [(Int?, Bool)] {
      let failure = #expect(throws: TokenFailure.self) { try TokenAnswer(response, clockSkewSeconds: seconds) }
      #expect((failure?.kind == .refused) == isRefused)
    }
  }

  @Test("a key signs for a token at the endpoint that the server names")
  func smartBackend() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "key.pem").path
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", path]
    try process.run()
    process.waitUntilExit()
    var setting = setting()
    setting.authorization = .smartBackend
    (setting.keyFile, setting.keyID) = (path, "k1")
    #expect(setting.credentialNeed == .none)
    setting = try setting.checked()
    let credential = SinkCredential(user: Fixture.user, token: nil)
    let sink = try FHIRSink(
      await SinkFixture.confirmed(setting, credential), of: SinkFixture.gateway, transport: CurlTransport(),
      clock: clock)
    #expect(isDelivered(await sink.deliver([Fixture.glucose(1)], with: credential)))
    let body = String(decoding: try #require(server.state.tokenRequests.last).body, as: UTF8.self)
    #expect(body.contains("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"))
    #expect(body.contains("client_assertion=ey") && body.contains("grant_type=client_credentials"))
    #expect(server.state.tokenRequests.allSatisfy { $0.headers["authorization"] == nil })
    // A key that the server does not know yet: no other secret could be given, so that nothing stops for good.
    let refusal = ScriptedServer.Reply.answer(400, body: #"{"error":"invalid_client"}"#)
    server.change { ($0.authorization, $0.tokenAnswers) = ([], [refusal, refusal]) }
    #expect(await sink.deliver([Fixture.glucose(2)], with: credential).map(\.outcome) == [.retry()])
    #expect(await sink.check(credential).verdict == .unclear)
    #expect(isDelivered(await sink.deliver([Fixture.glucose(2)], with: credential)))
  }

  @Test("a secret is not sent to a host that only the server has named")
  func otherHost() async throws {
    let other = try ScriptedServer { _, _ in .answer(200) }
    let guide = try ScriptedServer { _, _ in
      .answer(200, body: #"{"token_endpoint":"http://localhost:\#(other.port)/token"}"#)
    }
    var setting = setting()
    setting.address = guide.base
    let source = TokenSource(setting, transport: CurlTransport(), clock: clock)
    let failure = await #expect(throws: TokenFailure.self) { try await source.token(Self.secret.token) }
    #expect(failure?.text.contains("another host") == true && other.requests.isEmpty)
  }

  @Test(
    "a secret is not sent where hosts cannot be compared",
    arguments: [
      ("https://fhir.example/r4", "http+unix://%2Frun%2Fother.sock/token", false),
      ("http+unix://%2Frun%2Ffhir.sock", "https://auth.example/token", false),
      ("http+unix://%2Frun%2Ffhir.sock", "http+unix://%2Frun%2Fother.sock/token", false),
      ("https://fhir.example/r4", "https://auth.example/token", false),
      ("https://fhir.example/r4", "https://FHIR.example/token", true),
    ])
  func comparison(address: String, named: String, isAsked: Bool) async {
    var setting = setting()
    setting.address = address
    let transport = NamingTransport(named)
    let source = TokenSource(setting, transport: transport, clock: clock)
    let failure = await #expect(throws: TokenFailure.self) { try await source.token(Self.secret.token) }
    #expect(failure?.text.contains("another host") == !isAsked)
    #expect(transport.asked == ["\(address)/.well-known/smart-configuration"] + (isAsked ? [named] : []))
  }

  /// Names a token endpoint to whoever asks, and is none itself.
  private final class NamingTransport: HTTPTransport {
    private let named: String
    private let requests = Mutex<[String]>([])

    init(_ named: String) { self.named = named }

    /// The addresses that were asked.
    var asked: [String] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      requests.withLock { $0.append(request.url) }
      return HTTPResponse(status: 200, body: Array(#"{"token_endpoint":"\#(named)"}"#.utf8))
    }
  }

  @Test("user and password go as RFC 7617 has them")
  func basic() async throws {
    let pair = Data("ada:s3cret".utf8).base64EncodedString()
    server.change { $0.authorization = ["Basic \(pair)"] }
    var setting = SinkFixture.setting(server)
    setting.authorization = .basic
    let credential = SinkCredential(user: Fixture.user, token: AccessToken("ada:s3cret"))
    let sink = try FHIRSink(
      await SinkFixture.confirmed(setting, credential), of: SinkFixture.gateway, transport: CurlTransport(),
      clock: clock)
    #expect(isDelivered(await sink.deliver([Fixture.glucose(1)], with: credential)))
  }

  @Test("without a way to prove it, nothing is sent along")
  func none() async throws {
    server.change { $0.authorization = nil }
    var setting = SinkFixture.setting(server)
    setting.authorization = .none
    let credential = SinkCredential(user: Fixture.user, token: nil)
    let sink = try FHIRSink(
      await SinkFixture.confirmed(setting, credential), of: SinkFixture.gateway, transport: CurlTransport(),
      clock: clock)
    #expect(isDelivered(await sink.deliver([Fixture.glucose(1)], with: credential)))
    #expect(server.state.fields.allSatisfy { $0 == nil })
    // A certificate that the server does not take for a time.
    server.change { $0.authorization = ["Bearer another"] }
    #expect(await sink.deliver([Fixture.glucose(2)], with: credential).map(\.outcome) == [.retry()])
    #expect(await sink.check(credential).verdict == .unclear)
    server.change { $0.authorization = nil }
    #expect(isDelivered(await sink.deliver([Fixture.glucose(2)], with: credential)))
  }
}
