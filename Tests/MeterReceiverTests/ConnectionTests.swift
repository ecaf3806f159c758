import Foundation
import HTTPServing
import HostPrimitives
import Logging
import ReceiverSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterReceiver

private func postHead(_ fields: String, token: String = RunningReceiver.token) -> String {
  "POST /connect/provider/data/measurements HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
    + "Content-Type: application/json\r\n\(fields)\r\n\r\n"
}

private let malformedRequests: [(String, Int)] = [
  ("GET /healthz HTTP/1.1\r\n\r\n", 400), ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
  (postHead("Transfer-Encoding: chunked") + "zz\r\n{}\r\n0\r\n\r\n", 400),
  (postHead("Transfer-Encoding: chunked") + "2\r\n{}xx0\r\n\r\n", 400),
  (postHead("Transfer-Encoding: gzip") + "x", 501), (postHead("Transfer-Encoding: gzip, chunked") + "x", 501),
  (postHead("Transfer-Encoding: chunked\r\nContent-Length: 2") + "{}", 400),
  (postHead("Content-Length: x") + "{}", 400), (postHead("Expect: more\r\nContent-Length: 2") + "{}", 417),
  ("GARBAGE\r\n\r\n", 400),
  ("GET /healthz HTTP/1.1\r\nHost: a\r\nA: \(String(repeating: "a", count: 70_000))\r\n\r\n", 431),
]

/// What strangers can do with connections, and what they cannot.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  /// Lets time go by until a body returns: when what was sent has arrived, only the server knows.
  private static func passing<Value: Sendable>(
    _ clock: StoppedClock, _ body: () async throws -> Value
  ) async throws -> Value {
    let passing = Task {
      while !Task.isCancelled {
        await clock.someoneSleeps()
        clock.advance(by: .seconds(5))
      }
    }
    defer { passing.cancel() }
    return try await body()
  }

  @Test(
    "who is refused before the body is read is not listened to for ever", arguments: ["unknown", RunningReceiver.token])
  func early(token: String) async throws {
    let clock = StoppedClock()
    try await withReceiver(configure: {
      $0.clock = clock
      $0.bodyLimit = 4096
    }) { server async throws in
      let stranger = try RawConnection(port: server.port)
      stranger.send(postHead("Content-Length: 1000000", token: token) + "x")
      let answer = try await stranger.read()
      #expect(answer.hasPrefix("HTTP/1.1 \(token == "unknown" ? 401 : 413) "))
      #expect(answer.contains("\r\nConnection: close\r\n"))
      try await Self.passing(clock) { try await stranger.dripsUntilItIsCut() }
      #expect(try await server.post(measurement()).status == 201)
    }
  }

  @Test(
    "a request that drips in ends",
    arguments: ["POST /connect", "GET / HTTP/1.1\r\nHost: x\r\nA: ", postHead("Content-Length: 1000") + "{"])
  func slow(beginning: String) async throws {
    let clock = StoppedClock()
    try await withReceiver(configure: { $0.clock = clock }) { server async throws in
      let stranger = try RawConnection(port: server.port)
      stranger.send(beginning)
      let answer = try await Self.passing(clock) { try await stranger.read() }
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 408 "))
      #expect(try server.stored().isEmpty)
      #expect(try await server.post(measurement()).status == 201)
    }
  }

  @Test("who holds all the connections it may leaves room for others, and its own idle ones give way")
  func crowd() async throws {
    try await withReceiver(configure: { $0.limits = ConnectionLimits(connections: 8) }) { server async throws in
      let strangers = try (0..<64).map { _ in try RawConnection(port: server.port) }
      for stranger in strangers { stranger.send("POST / HTTP/1.1\r\n") }
      for number in 1...4 { #expect(try await server.post(measurement(logID: logID(number))).status == 201) }
      withExtendedLifetime(strangers) {}
      #expect(try server.stored().count == 4)
    }
  }

  @Test("who finds no place hears so, whatever is sent meanwhile, and goes after a while; what is answered stays")
  func turnedAway() async throws {
    let (clock, faults) = (StoppedClock(), ReceiverFaults())
    faults.inject(.delay(.seconds(3600)), times: 3, at: .user)
    try await withReceiver(
      faults: faults,
      configure: {
        $0.clock = clock
        $0.limits = ConnectionLimits(connections: 4)
      }
    ) { server async throws in
      let held = try (0..<3).map { _ in try RawConnection(port: server.port) }
      for connection in held {
        connection.send(
          "GET /connect/provider/user HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningReceiver.token)\r\n"
            + "Connection: close\r\n\r\n")
      }
      // Three are being answered, and one looks after the time of all.
      while clock.sleepers < 4 || faults.remaining > 0 { await Task.yield() }
      var late: [RawConnection] = []
      for _ in 0..<2 {
        let stranger = try RawConnection(port: server.port)
        stranger.send(postHead("Content-Length: 1000000") + "{")
        let answer = try await stranger.read()
        #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
        #expect(answer.contains("\r\nConnection: close\r\n") && answer.contains("\r\nRetry-After: 5\r\n"))
        #expect(answer.contains("too many connections"), "the body is whole")
        // A connection that was closed behind its answer would be reset by this, and the answer could be lost with it.
        for _ in 0..<4 { #expect(stranger.send(String(repeating: "x", count: 20_000))) }
        late.append(stranger)
      }
      // One such place for four connections: the first had to go for the second, which goes by the clock.
      try await late[0].dripsUntilItIsCut()
      #expect(late[1].send("x"))
      clock.advance(by: .seconds(15))
      try await late[1].dripsUntilItIsCut()
      clock.advance(by: .seconds(3600))
      for connection in held { #expect(try await connection.read().hasPrefix("HTTP/1.1 200 ")) }
    }
  }

  @Test(
    "what cannot be understood is refused with a reason and ends the connection",
    arguments: malformedRequests)
  func malformed(_ request: String, _ status: Int) async throws {
    try await withReceiver { server async throws in
      let reply = try await RawHTTP.exchange(port: server.port, Array(request.utf8))
      #expect(reply.status == status, "\(reply.body)")
      #expect(reply.headers["connection"] == "close")
      #expect(reply.text("message")?.isEmpty == false, "\(reply.body)")
      #expect(try server.stored().isEmpty)
    }
  }

  @Test("half a body is no body")
  func cutShort() async throws {
    try await withReceiver { server async throws in
      let body = measurement()
      for request in [
        postHead("Content-Length: \(body.utf8.count + 1)") + body,
        postHead("Transfer-Encoding: chunked") + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n",
      ] {
        let reply = try? await RawHTTP.exchange(port: server.port, Array(request.utf8), halfClose: true)
        #expect(reply.map { $0.status == 408 } != false)
      }
      #expect(try server.stored().isEmpty)
    }
  }

  @Test("HEAD is answered as GET is, without the body", arguments: ["/healthz", "/nowhere", "/connect/provider/user"])
  func headRequest(path: String) async throws {
    try await withReceiver { server async throws in
      let (get, head) = (try await server.get(path), try await server.send("HEAD", path))
      #expect(head.status == get.status)
      #expect(head.bytes.isEmpty && !get.bytes.isEmpty)
      #expect(head.headers["content-length"] == "\(get.bytes.count)")
      // Nothing that was left behind spoils the next answer.
      let both = try RawConnection(port: server.port)
      both.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answers = try await both.read()
      #expect(answers.components(separatedBy: "HTTP/1.1 ").count == 3)
      #expect(answers.hasSuffix(#"{"status":"ok"}"#))
    }
  }

  @Test("a client that asks whether it may send its body is told, or told no")
  func expectation() async throws {
    try await withReceiver(configure: { $0.bodyLimit = 4096 }) { server async throws in
      let body = measurement()
      let client = try RawConnection(port: server.port)
      client.send(postHead("Connection: close\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)"))
      #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      client.send(body)
      #expect(try await client.read().hasPrefix("HTTP/1.1 201 "))
      for (token, length, status) in [("unknown", 100, 401), (RunningReceiver.token, 5000, 413)] {
        let refused = try RawConnection(port: server.port)
        refused.send(postHead("Expect: 100-continue\r\nContent-Length: \(length)", token: token))
        #expect(try await refused.read().hasPrefix("HTTP/1.1 \(status) "))
      }
    }
  }

  @Test("connections come over a Unix socket that only its user can reach")
  func unixSocket() async throws {
    try await withTemporaryFolder { folder in
      let path = "\(folder)/http.sock"
      try await withReceiver(configure: { $0.socket = path }) { server async throws in
        #expect(server.port == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let said = try await onOwnThread {
          try ChildProcess.run(tool: "curl", ["-s", "--unix-socket", path, "http://localhost/healthz"]).out
        }
        #expect(said == #"{"status":"ok"}"#)
        let error = await #expect(throws: ReceiverError.self) {
          try await withReceiver(configure: { $0.socket = path }) { _ async throws in }
        }
        #expect(error?.code == .cannotListen)
      }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }
}
