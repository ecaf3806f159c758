import Foundation
import GatewayAPI
import Logging
import Synchronization
import TestSupport

@testable import GatewayConsole

/// A console that serves on a real socket while a test's body runs.
struct RunningConsole: Sendable {
  let host: ScriptedHost
  let clock: StoppedClock
  let reach: ConsoleReach
  let port: Int

  var name: String { "127.0.0.1:\(port)" }

  func send(
    _ method: String, _ path: String, host: String? = nil, headers: [(String, String)] = [], body: String = ""
  ) async throws -> HTTPReply {
    try await RawHTTP.send(
      port: port, method: method, path: path, host: host ?? name, headers: headers, body: Array(body.utf8))
  }

  /// The path of a new link.
  func linkPath() throws -> String {
    guard let path = reach.makeLink().link.firstMatch(of: /\/open\/[0-9a-f]+$/)?.0 else {
      throw RawHTTP.Failure(reason: "no link")
    }
    return String(path)
  }

  /// Opens a link as a browser does.
  func visit() async throws -> Visitor {
    let reply = try await send("GET", try linkPath())
    guard let cookie = reply.headers["set-cookie"]?.split(separator: ";").first.map(String.init) else {
      throw RawHTTP.Failure(reason: "no cookie: \(reply)")
    }
    let page = try HTMLDocument(try await send("GET", "/displays", headers: [("Cookie", cookie)]).body)
    guard let token = page.fields(named: "token").first else { throw RawHTTP.Failure(reason: "no token") }
    return Visitor(console: self, cookie: cookie, token: token)
  }
}

/// A browser that has been let in.
struct Visitor: Sendable {
  let console: RunningConsole
  let cookie: String
  let token: String

  func get(_ path: String) async throws -> HTTPReply {
    try await console.send("GET", path, headers: [("Cookie", cookie), ("Sec-Fetch-Site", "same-origin")])
  }

  /// The headers of a form of the console.
  var headers: [(String, String)] {
    [
      ("Cookie", cookie), ("Origin", "http://\(console.name)"), ("Sec-Fetch-Site", "same-origin"),
      ("Content-Type", "application/x-www-form-urlencoded"),
    ]
  }

  func post(_ path: String, _ fields: String = "") async throws -> HTTPReply {
    try await console.send(
      "POST", path, headers: headers, body: "token=\(token)" + (fields.isEmpty ? "" : "&\(fields)"))
  }
}

/// Runs a console for the duration of `body`, then stops it by cancellation.
///
/// - Parameter view: By which displays are read.
func withConsole<Value: Sendable>(
  password: String? = nil, view: (any ConsoleView)? = nil, _ body: (RunningConsole) async throws -> Value
) async throws -> Value {
  let (host, clock) = (ScriptedHost(), StoppedClock())
  host.password.withLock { $0 = password }
  let settings = try ConsoleSettings(address: ConsoleAddress.standard, behindProxy: nil)
  let console = GatewayConsole(
    host: host, settings: settings, view: view, clock: clock,
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  let (doors, ready) = AsyncStream<ConsoleReach>.makeStream()
  let serving = Task {
    defer { ready.finish() }
    try await console.run { ready.yield($0) }
  }
  var iterator = doors.makeAsyncIterator()
  guard let reach = await iterator.next(),
    let port = reach.makeLink().link.firstMatch(of: /:([0-9]+)\//).flatMap({ Int($0.1) })
  else {
    try await serving.value
    throw RawHTTP.Failure(reason: "the console has not begun to serve")
  }
  let result: Result<Value, any Error>
  do {
    result = .success(
      try await body(RunningConsole(host: host, clock: clock, reach: reach, port: port)))
  } catch { result = .failure(error) }
  serving.cancel()
  try await serving.value
  return try result.get()
}
