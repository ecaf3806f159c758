import ConsoleSupport
import Logging
import Synchronization
import TestSupport

@testable import MeterConsole

/// A view that serves on a real socket while a test's body runs.
struct RunningConsole: Sendable {
  let desk: ScriptedDesk
  let link: String
  let port: Int
  /// Why the view has closed, each time that it does.
  let closings: AsyncStream<ViewClosing>

  var host: String { "127.0.0.1:\(port)" }
  var linkPath: String { String(link.dropFirst("http://\(host)".count)) }

  func send(_ path: String, host: String? = nil, headers: [(String, String)] = []) async throws -> HTTPReply {
    try await send("GET", path, host: host, headers: headers)
  }

  func send(
    _ method: String, _ path: String, host: String? = nil, headers: [(String, String)] = [],
    body: String = ""
  ) async throws -> HTTPReply {
    try await RawHTTP.send(
      port: port, method: method, path: path, host: host ?? self.host, headers: headers, body: Array(body.utf8))
  }

  /// Opens the link as a browser does.
  func visit() async throws -> Visitor {
    let reply = try await send(linkPath)
    guard let cookie = reply.headers["set-cookie"]?.split(separator: ";").first.map(String.init) else {
      throw RawHTTP.Failure(reason: "no cookie: \(reply)")
    }
    let page = try await send("/", headers: [("Cookie", cookie)]).body
    guard let token = page.firstMatch(of: /name="page-token" content="([0-9a-f]+)"/)?.1 else {
      throw RawHTTP.Failure(reason: "no token: \(page)")
    }
    return Visitor(console: self, cookie: cookie, pageToken: String(token))
  }
}

/// A browser that has opened the link.
struct Visitor: Sendable {
  let console: RunningConsole
  let cookie: String
  let pageToken: String

  func get(_ path: String) async throws -> HTTPReply {
    try await console.send(path, headers: [("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")])
  }

  /// The headers of a request of the page that changes something.
  var headers: [(String, String)] {
    [
      ("Cookie", cookie), ("Origin", "http://\(console.host)"), ("Sec-Fetch-Site", "same-origin"),
      ("Meterhost-Page", pageToken), ("Content-Type", "application/json"),
    ]
  }

  func post(_ path: String, _ body: String = "{}") async throws -> HTTPReply {
    try await console.send("POST", path, headers: headers, body: body)
  }

  /// Starts a reading: its id in addresses, and the desk's side of it.
  func start(meter: Int = 1, unit: String = "mg/dL") async throws -> (path: String, reading: ScriptedReading) {
    let reply = try await post("/api/readings", #"{"meter": \#(meter), "unit": "\#(unit)"}"#)
    guard reply.status == 201, let id = reply.body.firstMatch(of: /"reading":"([0-9a-f]+)"/)?.1 else {
      throw RawHTTP.Failure(reason: "not started: \(reply)")
    }
    var readings = console.desk.readings.makeAsyncIterator()
    guard let reading = await readings.next() else { throw RawHTTP.Failure(reason: "no reading") }
    return ("/api/readings/\(id)", reading)
  }

  /// Starts to listen to something that goes on.
  func listen(_ path: String) throws -> OpenConnection {
    try OpenConnection(
      port: console.port, request: "GET \(path) HTTP/1.1\r\nHost: \(console.host)\r\nCookie: \(cookie)\r\n\r\n")
  }
}

/// Runs a view for the duration of `body`, then stops it by cancellation.
func withConsole<Value: Sendable>(
  patience: Duration = .seconds(600), address: ReadingConsoleConfiguration.Address = .v4,
  _ body: (RunningConsole) async throws -> Value
) async throws -> Value {
  let desk = ScriptedDesk()
  let (links, ready) = AsyncStream<String>.makeStream()
  let (closings, closed) = AsyncStream<ViewClosing>.makeStream()
  let console = ReadingConsole(
    desk: desk, configuration: ReadingConsoleConfiguration(address: address, patience: patience),
    onClosed: { closed.yield($0) }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  let serving = Task {
    defer { ready.finish() }
    try await console.run { ready.yield($0) }
  }
  var iterator = links.makeAsyncIterator()
  guard let link = await iterator.next(), let port = link.firstMatch(of: /:([0-9]+)\//).flatMap({ Int($0.1) }) else {
    try await serving.value
    throw RawHTTP.Failure(reason: "the view has not begun to serve")
  }
  let result: Result<Value, any Error>
  do {
    result = .success(try await body(RunningConsole(desk: desk, link: link, port: port, closings: closings)))
  } catch { result = .failure(error) }
  serving.cancel()
  try await serving.value
  return try result.get()
}
