import DeliverySupport
import Foundation
import TestSupport
import Testing

@testable import MeterCore
@testable import CurlHTTP
@testable import InformSink

/// libcurl against servers on real sockets: limits, and what is not done.
@Suite("Curl transport", .timeLimit(.minutes(60)))
struct CurlTransportTests {
  func failure(_ reply: ScriptedServer.Reply, _ change: (inout CurlTransport.Settings) -> Void) async throws
    -> TransportError.Code?
  {
    let server = try ScriptedServer { _, _ in reply }
    var settings = CurlTransport.Settings()
    change(&settings)
    let transport = CurlTransport(settings: settings)
    do {
      _ = try await transport.send(HTTPRequest(method: "GET", url: server.base + "/"))
      return nil
    } catch {
      return error.code
    }
  }

  @Test("bounds time and size of an answer")
  func limits() async throws {
    #expect(try await failure(.silence) { $0.timeout = .milliseconds(200) } == .timeout)
    let large = ScriptedServer.Reply.answer(200, body: String(repeating: "x", count: 5000))
    #expect(try await failure(large) { $0.responseLimit = 4096 } == .responseTooLarge)
    #expect(
      try await failure(.answer(200, headers: ["X": String(repeating: "x", count: 5000)])) {
        $0.responseLimit = 4096
      } == .responseTooLarge)
    #expect(try await failure(.raw("not http at all\r\n\r\n")) { _ in } == .interrupted)
  }

  @Test("follows no redirect: the token stays with the configured receiver")
  func redirect() async throws {
    let server = try ScriptedServer { _, _ in .answer(307, headers: ["Location": "/elsewhere"]) }
    let response = try await CurlTransport().send(HTTPRequest(method: "GET", url: server.base + "/"))
    #expect(response.status == 307)
    #expect(response.header("LOCATION") == "/elsewhere")
    #expect(server.requests.count == 1)
  }

  @Test(
    "refuses what cannot be sent", arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "", "http://", "a\r\nb"])
  func refusals(url: String) async throws {
    let error = await #expect(throws: TransportError.self) {
      try await CurlTransport().send(HTTPRequest(method: "GET", url: url))
    }
    #expect(error?.code == .invalidRequest)
  }

  @Test("lets a cancelled caller go, before and while it waits", arguments: [false, true])
  func cancellation(afterArrival: Bool) async throws {
    let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    let server = try ScriptedServer { _, _ in
      arrival.yield()
      return .silence
    }
    let transport = CurlTransport()
    let url = server.base + "/"
    let task = Task { try await transport.send(HTTPRequest(method: "GET", url: url)) }
    if afterArrival { for await _ in arrivals { break } }
    task.cancel()
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test(
    "endpoints carry tokens over TLS or on this machine only",
    arguments: [
      ("https://receiver.example/", true), ("http://127.0.0.1:8080", true), ("http://localhost", true),
      ("http://receiver.example", false), ("ftp://x", false), ("", false), ("https://", false),
      ("https://user:pw@receiver.example", false), ("https://receiver.example/?q", false),
      ("http://localhost.evil.example", false), ("https://receiver.example\r\nX: 1", false),
      ("https://receiver.example:99999", false), ("https://receiver.example:0", false), ("http://127.1", false),
    ])
  func endpoints(url: String, isTaken: Bool) {
    #expect(((try? ReceiverEndpoint(url)) != nil) == isTaken)
  }

  @Test("an address that cannot be used is told with what is wrong and the cure, and not quoted")
  func refusedAddress() {
    let error = #expect(throws: ReceiverEndpoint.InvalidURL.self) {
      try ReceiverEndpoint("https://ada:secret@receiver.example\r\n")
    }
    #expect(error?.message.contains("a line break (character") == true && error?.hint == "take it out")
    #expect(error.map { !$0.message.contains("secret") } == true)
  }

  @Test("asks in HTTP/1.1 alone: frames of HTTP/2 are bounded neither in number nor in time")
  func oneProtocol() async throws {
    let listener = try HelloListener()
    _ = try? await CurlTransport().send(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(listener.port)/"))
    let hello = await listener.hello()
    // The extension of TLS by which a client offers protocols (RFC 7301): one name is in its list.
    let offer: [UInt8] = [0x00, 0x10, 0x00, 0x0B, 0x00, 0x09, 0x08] + Array("http/1.1".utf8)
    #expect(hello.firstRange(of: offer) != nil)
  }

  @Test(
    "ends with an answer that never ends, whatever it is made of",
    arguments: [
      ("", "HTTP/1.1 100 Continue\r\n\r\n", 80_000), ("HTTP/1.1 200 OK\r\n", "a: b\r\n", 400_000),
      ("HTTP/1.1 200 OK\r\nA: ", "a", 2_000_000),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", 1_100_000),
    ])
  func endless(head: String, part: String, count: Int) async throws {
    #expect(try await failure(.raw(head + String(repeating: part, count: count))) { _ in } != nil)
  }
}
