import NIOHTTP1
import Testing

@testable import HTTPServing

@Suite struct RequestRulesTests {
  private static func head(
    _ headers: [(String, String)], _ method: HTTPMethod = .POST, _ version: HTTPVersion = .http1_1
  ) -> HTTPRequestHead {
    HTTPRequestHead(version: version, method: method, uri: "/", headers: HTTPHeaders(headers))
  }

  @Test(
    "a head that two readers may understand differently is refused",
    arguments: [
      ([], 400), ([("Host", "a"), ("host", "a")], 400),
      ([("Host", "a"), ("Content-Length", "1"), ("Content-Length", "1")], 400),
      ([("Host", "a"), ("Content-Length", "1"), ("Transfer-Encoding", "chunked")], 400),
      ([("Host", "a"), ("Transfer-Encoding", "gzip")], 501),
      ([("Host", "a"), ("Transfer-Encoding", "gzip, chunked")], 501),
      ([("Host", "a"), ("Transfer-Encoding", "chunked, chunked")], 501),
      ([("Host", "a"), ("Transfer-Encoding", "")], 501),
      ([("Host", "a"), ("Expect", "the-best")], 417),
    ] as [([(String, String)], Int)])
  func refused(_ headers: [(String, String)], _ status: Int) {
    let fault = #expect(throws: RequestFault.self) { try RequestRules.check(Self.head(headers)) }
    #expect(fault?.status == status)
  }

  @Test("what is right passes, and says how the connection goes on")
  func admitted() throws {
    let host = [("Host", "a")]
    #expect(try RequestRules.check(Self.head(host, .GET)) == .init())
    #expect(try RequestRules.check(Self.head(host, .HEAD)) == .init(isHead: true))
    #expect(try RequestRules.check(Self.head(host + [("Connection", "keep-alive, Close")])) == .init(closes: true))
    #expect(try RequestRules.check(Self.head(host + [("Transfer-Encoding", "Chunked")])) == .init())
    #expect(try RequestRules.check(Self.head(host + [("Expect", "100-Continue")])) == .init(wantsContinue: true))
  }

  @Test("HTTP/1.0 needs no Host, has no transfer codings and waits for nothing")
  func old() throws {
    #expect(try RequestRules.check(Self.head([], .GET, .http1_0)) == .init(closes: true))
    #expect(try RequestRules.check(Self.head([("Expect", "100-continue")], .POST, .http1_0)) == .init(closes: true))
    #expect(throws: RequestFault.self) {
      try RequestRules.check(Self.head([("Transfer-Encoding", "chunked")], .POST, .http1_0))
    }
    #expect(throws: RequestFault.self) { try RequestRules.check(Self.head([("Host", "a")], .GET, .http2)) }
  }
}
