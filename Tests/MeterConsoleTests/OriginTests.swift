import ConsoleSupport
import TestSupport
import Testing

@testable import MeterConsole

@Suite struct OriginTests {
  @Test(arguments: [
    "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:PORT", "127.0.0.1:PORT.",
    "0.0.0.0:PORT", "127.0.0.2:PORT", "[::]:PORT", "localhost", "localhost.:PORT", "a@127.0.0.1:PORT", "", "[::1]",
    "127.0.0.1:0PORT", "127.0.0.1:PORT, evil.example",
  ])
  func otherNamesOfThisMachineAreRefused(host: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let host = host.replacing("PORT", with: "\(console.port)")
      let reply = try await console.send("/", host: host, headers: [("Cookie", visitor.cookie)])
      #expect(reply.status == 421)
      #expect(!reply.body.contains(visitor.pageToken))
    }
  }

  @Test(arguments: ["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT"])
  func itsOwnNamesAreAnswered(host: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let host = host.replacing("PORT", with: "\(console.port)")
      #expect(try await console.send("/", host: host, headers: [("Cookie", visitor.cookie)]).status == 200)
    }
  }

  @Test func aRequestHasOneHost() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let ending = "Cookie: \(visitor.cookie)\r\nConnection: close\r\n\r\n"
      for head in [
        "GET / HTTP/1.1\r\nHost: \(console.host)\r\nHost: evil.example\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\nHost: \(console.host)\r\n",
        "GET / HTTP/1.1\r\n", "GET / HTTP/1.0\r\n",
      ] {
        let reply = try await RawHTTP.exchange(port: console.port, Array((head + ending).utf8))
        #expect(reply.status == 421 || reply.status == 400)
      }
    }
  }

  @Test(arguments: ["cross-site", "same-site", "", "SAME-SITE"])
  func aBrowsersOtherPagesGetNothing(site: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      for path in ["/", "/api/meters", "/view.js"] {
        let headers = [("Cookie", visitor.cookie), ("Sec-Fetch-Site", site)]
        #expect(try await console.send(path, headers: headers).status == 403)
      }
    }
  }

  /// Every header of a changing request that is missing or another one's stops it.
  @Test(
    arguments: [
      ("Origin", nil, 403), ("Origin", "null", 403), ("Origin", "http://evil.example", 403),
      ("Origin", "https://127.0.0.1:PORT", 403), ("Origin", "http://localhost:PORT", 403),
      ("Origin", "http://127.0.0.1:1", 403), ("Meterhost-Page", nil, 403), ("Meterhost-Page", "", 403),
      ("Meterhost-Page", "0", 403), ("Cookie", nil, 401), ("Sec-Fetch-Site", "cross-site", 403),
      ("Content-Type", nil, 415), ("Content-Type", "text/plain", 415),
      ("Content-Type", "application/x-www-form-urlencoded", 415),
    ] as [(String, String?, Int)])
  func aChangeNeedsAllOfItsProofs(name: String, value: String?, status: Int) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      var headers = visitor.headers.filter { $0.0 != name }
      if let value { headers.append((name, value.replacing("PORT", with: "\(console.port)"))) }
      for path in ["/api/readings", "/api/readings/0/cancel", "/api/readings/0/submit", "/api/readings/0/discard"] {
        let reply = try await console.send("POST", path, headers: headers, body: #"{"meter": 1}"#)
        #expect(reply.status == status, "\(path)")
      }
      // Nothing was started by any of them.
      let (_, reading) = try await visitor.start(meter: 2)
      #expect(reading.meter.id == 2)
    }
  }

  @Test func thePortOfTheWebMayBeLeftOut() {
    let check = OriginCheck(port: 80)
    #expect(check.admits(host: "localhost") && check.admits(host: "[::1]:80"))
    #expect(check.admits(origin: "http://127.0.0.1", host: "127.0.0.1"))
    #expect(!OriginCheck(port: 8080).admits(host: "localhost"))
    #expect(!check.admits(host: nil) && !check.admits(origin: nil, host: "localhost"))
  }
}
