import GatewayAPI
import MeterCore
import Synchronization
import TestSupport
import Testing

@testable import GatewayConsole

/// The console on a socket: who gets what.
@Suite("The console on a socket", .timeLimit(.minutes(60))) struct ServingTests {
  @Test func aLinkOpensOnceAndLeadsToACleanAddress() async throws {
    try await withConsole { console in
      let path = try console.linkPath()
      let first = try await console.send("GET", path)
      #expect(first.status == 303 && first.headers["location"] == "/")
      let cookie = try #require(first.headers["set-cookie"])
      #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("; Path=/"))
      let second = try await console.send("GET", path)
      #expect(second.status == 401 && second.headers["set-cookie"] == nil)
      let late = try console.linkPath()
      console.clock.advance(by: LinkBook.life)
      #expect(try await console.send("GET", late).status == 401)
    }
  }

  @Test(arguments: [
    "/", "/readings", "/readings/held", "/charts", "/delivery", "/meters", "/meters/meters.csv", "/drivers", "/log",
    "/log/support.json", "/log/lines", "/log/lines.txt", "/import", "/displays", "/events",
    "/readings/0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10",
    "/readings/0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10/picture", "/pictures/bluetooth-1", "/nothing", "/../etc",
  ])
  func everythingNeedsTheCookie(path: String) async throws {
    try await withConsole { console in
      let reply = try await console.send("GET", path)
      #expect(reply.status == 401)
      #expect(!reply.body.contains("<nav"))
      #expect(console.host.requests.isEmpty)
      let wrong = [("Cookie", "meterhost-console-\(console.port)=\(String(repeating: "0", count: 64))")]
      #expect(try await console.send("GET", path, headers: wrong).status == 401)
      #expect(console.host.requests.isEmpty)
    }
  }

  @Test func everyAnswerKeepsTheBrowserOnItsLeash() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      for path in ["/", "/displays", "/nothing", "/console.js", "/login"] {
        let reply = try await visitor.get(path)
        #expect(reply.headers["cache-control"] == "no-store", "\(path)")
        let policy = try #require(reply.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
        #expect(reply.headers["x-frame-options"] == "DENY" && reply.headers["x-content-type-options"] == "nosniff")
      }
    }
  }

  @Test func theConsoleIsClosedInEveryBrowserAtOnce() async throws {
    try await withConsole(password: "several words in a row") { console in
      let visitors = [try await console.visit(), try await console.visit()]
      console.reach.closeVisits()
      for visitor in visitors { #expect(try await visitor.get("/displays").status == 401) }
      #expect(try await console.visit().get("/displays").status == 200)
    }
  }

  /// A drawing may be somebody else's: a browser that opens it by itself runs nothing of it.
  @Test func aPictureOfTheCatalogueHasAPolicyOfItsOwn() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      console.host.pictures.withLock {
        $0[MeterPictureName(.bluetooth, 1)] = CataloguePicture(mediaType: "image/svg+xml", bytes: Array("<svg/>".utf8))
      }
      let reply = try await visitor.get("/pictures/bluetooth-1")
      #expect(reply.status == 200 && reply.body == "<svg/>" && reply.headers["content-type"] == "image/svg+xml")
      let policies = reply.headers["content-security-policy"] ?? ""
      #expect(policies.contains("sandbox") && policies.contains("frame-ancestors 'none'"))
      #expect(try await visitor.get("/pictures/ocr-1").status == 404)
    }
  }

  /// Every proof of a changing request that is missing or another one's stops it.
  @Test(
    arguments: [
      ("Origin", nil, 403), ("Origin", "null", 403), ("Origin", "http://evil.example", 403),
      ("Origin", "http://localhost:PORT", 403), ("Cookie", nil, 401), ("Sec-Fetch-Site", "cross-site", 403),
      ("Sec-Fetch-Site", "same-site", 403), ("Content-Type", "application/json", 415), ("Content-Type", nil, 415),
    ] as [(String, String?, Int)])
  func aChangeNeedsAllOfItsProofs(name: String, value: String?, status: Int) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      var headers = visitor.headers.filter { $0.0 != name }
      if let value { headers.append((name, value.replacing("PORT", with: "\(console.port)"))) }
      let id = "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10"
      for path in ["/readings/\(id)/confirm", "/delivery/queue.all/pause", "/examine", "/logout", "/log/core/level"] {
        let body = "token=\(visitor.token)&revision=1&level=debug"
        let reply = try await console.send("POST", path, headers: headers, body: body)
        #expect(reply.status == status, "\(path)")
      }
      #expect(console.host.requests.isEmpty)
    }
  }

  @Test(arguments: ["", "token=", "token=0", "revision=1", "token=TOKEN&token=TOKEN"])
  func aFormOfAnotherPageIsRefused(fields: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let body = fields.replacing("TOKEN", with: visitor.token)
      let reply = try await console.send("POST", "/delivery/queue.all/pause", headers: visitor.headers, body: body)
      #expect(reply.status == 403)
      #expect(console.host.requests.isEmpty)
    }
  }

  @Test func aPasswordOpensAndIsNotTriedTooOften() async throws {
    try await withConsole(password: "several words of mine") { console in
      let headers = [
        ("Origin", "http://\(console.name)"), ("Content-Type", "application/x-www-form-urlencoded"),
      ]
      let right = "password=several+words+of+mine"
      let first = try await console.send("POST", "/login", headers: headers, body: right)
      #expect(first.status == 303)
      for _ in 0..<PasswordTries.most {
        #expect(try await console.send("POST", "/login", headers: headers, body: "password=no").status == 401)
      }
      #expect(try await console.send("POST", "/login", headers: headers, body: right).status == 429)
      console.clock.advance(by: PasswordTries.window)
      #expect(try await console.send("POST", "/login", headers: headers, body: right).status == 303)
      let foreign = [("Origin", "http://evil.example"), ("Content-Type", "application/x-www-form-urlencoded")]
      #expect(try await console.send("POST", "/login", headers: foreign, body: right).status == 403)
    }
  }

  @Test func withoutAPasswordOnlyLinksOpen() async throws {
    try await withConsole { console in
      let headers = [
        ("Origin", "http://\(console.name)"), ("Content-Type", "application/x-www-form-urlencoded"),
      ]
      let reply = try await console.send("POST", "/login", headers: headers, body: "password=x")
      #expect(reply.status == 401)
      #expect(try await !console.send("GET", "/login").body.contains("type=\"password\""))
    }
  }

  @Test func otherNamesOfThisMachineAreRefused() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      for host in ["evil.example", "evil.example:\(console.port)", "127.0.0.1"] {
        let reply = try await console.send("GET", "/displays", host: host, headers: [("Cookie", visitor.cookie)])
        #expect(reply.status == 421 && !reply.body.contains(visitor.token))
      }
    }
  }

  @Test func whoHasLeftIsOutside() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      #expect(try await visitor.get("/displays").status == 200)
      #expect(try await visitor.post("/logout").status == 303)
      #expect(try await visitor.get("/displays").status == 401)
    }
  }

  @Test func aFormThatIsTooLongIsNotRead() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let long = "search=" + String(repeating: "a", count: ConsoleResponder.bodyLimit)
      #expect(try await visitor.post("/meters/list/find", long).status == 413)
    }
  }

  /// Ten thousand readings come in pages; each holds what fits on one.
  @Test func aLongListComesInPages() async throws {
    try await withConsole { console in
      console.host.set(QueueListRequest.self) { request in
        let newest = min(Int(request.before ?? .max) - 1, 10_000)
        let items = (0..<request.limit).map { newest - $0 }.filter { $0 > 0 }.map { Samples.item($0) }
        return Samples.queue(items)
      }
      let visitor = try await console.visit()
      var (path, seen, pages): (String?, Set<String>, Int) = ("/readings", [], 0)
      while let next = path, pages < 300 {
        let reply = try await visitor.get(next)
        #expect(reply.status == 200 && reply.bytes.count < 128 << 10)
        let document = try HTMLDocument(reply.body)
        let links = document.all("a").compactMap { $0.attributes["href"] }
        let readings = links.filter { $0.hasPrefix("/readings/0b0c7d5e") }
        #expect(seen.isDisjoint(with: readings) && readings.count <= 60)
        seen.formUnion(readings)
        path = document.all("a") { $0.attributes["rel"] == "next" }.first?.attributes["href"]
        pages += 1
      }
      #expect(seen.count == 10_000)
    }
  }

  @Test func aFilterStandsInNoAddress() async throws {
    try await withConsole { console in
      console.host.set(QueueListRequest.self) { request in
        #expect(request.states.map(\.word) == ["held"])
        return Samples.queue([Samples.item(1)])
      }
      let visitor = try await console.visit()
      let reply = try await visitor.post("/readings/filter", "state=held&type=weight&from=2026-03-01&to=")
      #expect(reply.status == 303 && reply.headers["location"] == "/readings")
      let page = try await visitor.get("/readings")
      #expect(page.body.contains("None fits."))
    }
  }

  @Test func theDoctorLooksWhenHeIsAsked() async throws {
    try await withConsole { console in
      console.host.set(LogShowRequest.self) { _ in LogDescription(.init()) }
      let visitor = try await console.visit()
      #expect(try await visitor.get("/log").body.contains("has not looked"))
      #expect(try await visitor.post("/examine").headers["location"] == "/log")
      #expect(try await visitor.get("/log").body.contains("no time source"))
    }
  }

  @Test func whatTheHostRefusesIsSaidWithItsCure() async throws {
    try await withConsole { console in
      console.host.set(QueueFlushRequest.self) { _ in
        throw GatewayError(.failed, code: "paused", "deliveries are <paused>", hint: "resume them")
      }
      let visitor = try await console.visit()
      #expect(try await visitor.post("/delivery/queue.all/flush").status == 303)
      let page = try await visitor.get("/displays").body
      #expect(page.contains("deliveries are &lt;paused&gt;") && page.contains("resume them"))
      // Once.
      #expect(try await !visitor.get("/displays").body.contains("resume them"))
    }
  }
}
