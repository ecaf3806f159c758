import ConsoleSupport
import TestSupport
import Testing

@testable import MeterConsole

@Suite struct AnswerTests {
  private func expectHeaders(_ reply: HTTPReply, _ what: String) {
    for field in SecurityHeaders.fields {
      #expect(reply.headers[field.name.lowercased()] == field.value, "\(field.name) of \(what)")
    }
    #expect(reply.headers["server"] == nil)
  }

  @Test func everyAnswerCarriesTheHeaders() async throws {
    try await withConsole { console in
      let opened = try await console.send("/open/none")
      expectHeaders(opened, "a wrong link")
      let visitor = try await console.visit()
      for path in [
        "/", "/view.js", "/result.js", "/view.css", "/icon.svg", "/api/meters", "/api/meters/1/overlay",
        "/api/meters/9/overlay",
        "/no",
      ] {
        expectHeaders(try await visitor.get(path), path)
      }
      expectHeaders(try await console.send("/", host: "evil.example"), "another host")
      expectHeaders(try await console.send("/"), "no cookie")
      expectHeaders(try await visitor.post("/api/readings", "{"), "no JSON")
      expectHeaders(try await console.send("DELETE", "/", headers: visitor.headers), "another method")
      let (path, reading) = try await visitor.start()
      reading.end(.completed(reading.result(["5.4"], crop: [0xff, 0xd8])))
      expectHeaders(try await visitor.get(path + "/events"), "events")
      expectHeaders(try await visitor.get(path + "/preview"), "preview")
      expectHeaders(try await visitor.get(path + "/crop"), "crop")
    }
  }

  /// What is no HTTP is answered by the server itself.
  @Test(arguments: [
    "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\u{1} HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n",
  ])
  func whatIsNoRequestIsRefusedWithTheHeaders(text: String) async throws {
    try await withConsole { console in
      let reply = try await RawHTTP.exchange(port: console.port, Array(text.utf8), halfClose: true)
      #expect((400..<500).contains(reply.status))
      expectHeaders(reply, text)
      _ = try await console.visit()
    }
  }

  @Test(arguments: [
    ("POST", "/", 405, "GET"), ("PUT", "/api/meters", 405, "GET"), ("HEAD", "/", 405, "GET"),
    ("OPTIONS", "/api/readings", 405, "POST"), ("GET", "/api/readings", 405, "POST"),
    ("GET", "/api/readings/0/cancel", 405, "POST"), ("TRACE", "/view.js", 405, "GET"),
  ])
  func otherMethodsAreNamed(method: String, path: String, status: Int, allowed: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let reply = try await console.send(method, path, headers: visitor.headers)
      #expect(reply.status == status)
      #expect(reply.headers["allow"] == allowed)
    }
  }

  @Test(arguments: [
    "//", "/..", "/view.js/", "/%2e%2e/etc/passwd", "/view.js%00", "/api", "/api/", "/api/meters/", "/api/meters/1",
    "/api/meters/01/overlay", "/api/meters/-1/overlay", "/api/meters/99999999999/overlay", "/api/readings/x/other",
    "/api/readings/x/events/y", "/API/meters",
  ])
  func otherPathsAreNotThere(path: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      #expect(try await visitor.get(path).status == 404)
    }
  }

  @Test func aMeterHasItsDrawing() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let drawing = try await visitor.get("/api/meters/1/overlay")
      #expect(drawing.status == 200)
      #expect(drawing.headers["content-type"] == "image/svg+xml")
      #expect(drawing.body.hasPrefix("<svg"))
      #expect(try await visitor.get("/api/meters/77/overlay").status == 404)
    }
  }

  @Test func theListHasKindsAndUnits() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let body = try await visitor.get("/api/meters").body
      #expect(
        body.contains(
          #"{"id":4,"kind":"Thermometers","name":"Example Thermometer","needsUnit":false,"units":[{"code":"[degF]","title":"#
            + #""°F"},"#))
      #expect(body.contains(#"{"id":5,"kind":"Scales","name":"Example Scale","needsUnit":true,"units":[{"code":"kg","#))
    }
  }

  @Test(arguments: [
    "", "[]", "1", "{", #"{"meter": "1"}"#, #"{"meter": -1}"#, #"{"meter": 1.5}"#, #"{"meter": 1, "unit": 3}"#,
    #"{"meter": 1, "meter": 2}"#, #"{"unit": "mg/dL"}"#, "{\"meter\": 1}\u{0}", #"{"meter": 1, "x": [[[[[]]]]]}"#,
    #"{"meter": 4294967296}"#,
  ])
  func aBodyIsReadStrictly(body: String) async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      #expect(try await visitor.post("/api/readings", body).status == 400)
    }
  }

  @Test func aLongBodyIsRefused() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      let spaces = String(repeating: " ", count: ConsoleResponder.bodyLimit)
      #expect(try await visitor.post("/api/readings", #"{"meter": 1}"# + spaces).status == 413)
      // One that goes on and on is not listened to; whether the answer still reaches it depends on how fast it sends.
      let endless = String(repeating: " ", count: 4 * ConsoleResponder.patienceWithBodies)
      let reply = try? await visitor.post("/api/readings", endless)
      #expect(reply.map { $0.status == 413 } != false)
      #expect(try await visitor.get("/").status == 200)
    }
  }

  @Test func aRequestForAPageHasNoBody() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      for header in [("Content-Length", "5"), ("Transfer-Encoding", "chunked")] {
        let reply = try await console.send("/", headers: [("Cookie", visitor.cookie), header])
        #expect(reply.status == 413)
        #expect(reply.headers["connection"] == "close")
      }
      #expect(try await visitor.get("/").status == 200)
    }
  }

  /// What the server answers by itself has the headers that everything has.
  @Test(arguments: ["GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])
  func whatIsNoHTTPIsRefusedSafely(request: String) async throws {
    try await withConsole { console in
      let reply = try await RawHTTP.exchange(port: console.port, Array(request.utf8))
      #expect(reply.status == 400)
      #expect(reply.headers["content-security-policy"] == SecurityHeaders.policy)
      #expect(reply.body.contains("Host") || reply.body.contains("HTTP"))
    }
  }

  /// A link is opened by a person and not by what looks where it leads.
  @Test func headTakesNoLink() async throws {
    try await withConsole { console in
      let head = try await console.send("HEAD", console.linkPath)
      #expect(head.status == 401 && head.bytes.isEmpty)
      #expect(head.headers["content-length"].flatMap { Int($0) } ?? 0 > 0)
      _ = try await console.visit()
    }
  }
}
