import ConsoleSupport
import GatewayAPI
import Logging
import MeterConsole
import MeterService
import TestSupport
import Testing

@testable import GatewayConsole

/// The view by which displays are read, as a part of the console: the console judges who asks.
@Suite("The view in the console", .timeLimit(.minutes(60))) struct ViewTests {
  private static func view(_ desk: ScriptedDesk) -> EmbeddedView {
    EmbeddedView(
      desk: desk, base: "/displays", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func with(_ body: (Visitor, ScriptedDesk) async throws -> Void) async throws {
    let desk = ScriptedDesk()
    try await withConsole(view: Self.view(desk)) { console in
      try await body(try await console.visit(), desk)
    }
  }

  private static func headers(_ visitor: Visitor) -> [(String, String)] {
    visitor.headers.filter { $0.0 != "Content-Type" }
      + [("Content-Type", "application/json"), ("Meterhost-Page", visitor.token)]
  }

  @Test func thePageAndItsFilesLieBelowDisplays() async throws {
    try await with { visitor, _ in
      #expect(try await visitor.get("/displays").body.contains("href=\"/displays/view\""))
      let page = try await visitor.get("/displays/view")
      #expect(page.status == 200 && page.body.contains("src=\"/displays/view.js\""))
      #expect(page.body.contains(visitor.token) && !page.body.contains("VIEW-BASE"))
      let files = try HTMLDocument(page.body).elements.compactMap { $0.attributes["src"] ?? $0.attributes["href"] }
      for path in files where path.hasPrefix("/displays/") && path != "/displays" {
        let file = try await visitor.get(path)
        #expect(file.status == 200, "\(path)")
        #expect(file.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
      }
      #expect(files.contains("/displays/result.js") && files.contains("/displays"))
      #expect(try await visitor.get("/displays/api/meters").body.contains("\"meters\""))
      let overlay = try await visitor.get("/displays/api/meters/1/overlay")
      #expect(overlay.headers["content-security-policy"]?.contains("sandbox") == true)
      for path in ["/displays/open/x", "/displays/", "/displays/no", "/displays/api/readings/x/y/z", "/displays/.."] {
        #expect(try await visitor.get(path).status == 404, "\(path)")
      }
    }
  }

  @Test(arguments: [
    "/displays/view", "/displays/view.js", "/displays/api/meters", "/displays/api/meters/1/overlay",
    "/displays/api/readings/x/preview", "/displays/api/readings/x/events",
  ])
  func everythingNeedsTheSession(path: String) async throws {
    let desk = ScriptedDesk()
    try await withConsole(view: Self.view(desk)) { console in
      let stranger = try await console.send("GET", path)
      let misled = try await console.send("GET", path, host: "evil.example")
      #expect(stranger.status == 401 && misled.status == 421)
    }
  }

  @Test(
    arguments: [
      ("Meterhost-Page", nil, 403), ("Meterhost-Page", "0", 403), ("Origin", nil, 403), ("Cookie", nil, 401),
      ("Origin", "http://evil.example", 403), ("Sec-Fetch-Site", "cross-site", 403),
      ("Content-Type", "application/x-www-form-urlencoded", 415),
    ] as [(String, String?, Int)])
  func aReadingNeedsAllOfItsProofs(name: String, value: String?, status: Int) async throws {
    try await with { visitor, _ in
      var headers = Self.headers(visitor).filter { $0.0 != name }
      if let value { headers.append((name, value)) }
      let reply = try await visitor.console.send(
        "POST", "/displays/api/readings", headers: headers, body: #"{"meter": 1, "unit": "mg/dL"}"#)
      #expect(reply.status == status)
    }
  }

  @Test func aDisplayIsReadAndSubmitted() async throws {
    try await with { visitor, desk in
      func post(_ path: String, _ body: String = "{}") async throws -> HTTPReply {
        try await visitor.console.send("POST", path, headers: Self.headers(visitor), body: body)
      }
      let started = try await post("/displays/api/readings", #"{"meter": 1, "unit": "mg/dL"}"#)
      let id = try #require(started.body.firstMatch(of: /"reading":"([0-9a-f]+)"/)?.1)
      var readings = desk.readings.makeAsyncIterator()
      let reading = try #require(await readings.next())
      reading.end(.completed(reading.result(["5.4"], crop: [0xff, 0xd8])))
      let path = "/displays/api/readings/\(id)"
      #expect(try await visitor.get(path + "/events").body.contains("completed"))
      #expect(try await visitor.get(path + "/crop").headers["content-type"] == "image/jpeg")
      let submitted = try await post(path + "/submit", #"{"rows": ["5.4"]}"#)
      #expect(submitted.status == 200, "\(submitted.body)")
      #expect(try await post(path + "/discard").status == 404)
    }
  }

  @Test func whenTheConsoleIsClosedTheCameraIsFree() async throws {
    try await with { visitor, desk in
      let reply = try await visitor.console.send(
        "POST", "/displays/api/readings", headers: Self.headers(visitor), body: #"{"meter": 1, "unit": "mg/dL"}"#)
      #expect(reply.status == 201)
      var readings = desk.readings.makeAsyncIterator()
      let reading = try #require(await readings.next())
      visitor.console.reach.closeVisits()
      for await _ in reading.life {}
      #expect(try await visitor.get("/displays/api/meters").status == 401)
    }
  }

  @Test func withoutAViewThereIsNone() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      #expect(try await visitor.get("/displays/view").status == 404)
      #expect(try await !visitor.get("/displays").body.contains("/displays/view"))
    }
  }
}
