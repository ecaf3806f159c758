import Foundation
import GatewayAPI
import HostPrimitives
import MeterCore
import TestSupport
import Testing

@testable import GatewayEngine
@testable import MeterService

@Suite("The endpoint for exports", .timeLimit(.minutes(10))) struct IngestTests {
  @Test("takes an export once, whatever the path says it is", arguments: ["auto", "hae", "hc-webhook", "shortcuts"])
  func taken(format: String) async throws {
    try await IngestFixture.with { endpoint async throws in
      let first = try await endpoint.post(Array("{}".utf8), to: format)
      #expect(first.status == 202 && first.body == #"{"accepted":1,"duplicates":0,"refused":0}"#)
      #expect(first.headers["content-type"] == "application/json")
      let second = try await endpoint.post(Array("{}".utf8), to: format)
      #expect(second.status == 202 && second.body == #"{"accepted":0,"duplicates":1,"refused":0}"#)
      #expect(endpoint.spooled == [])
    }
  }

  @Test("takes gzip, chunks, files, a body without a type, and either header", arguments: 0..<5) func forms(form: Int)
    async throws
  {
    try await IngestFixture.with { endpoint async throws in
      let reply =
        switch form {
        case 0: try await endpoint.post(GzipSample.small, coding: "gzip")
        case 1: try await endpoint.post(Array("{}".utf8), type: "application/octet-stream")
        case 2: try await endpoint.post(Array("{}".utf8), type: nil)
        case 3:
          try await RawHTTP.send(
            port: endpoint.port, method: "POST", path: "/ingest/auto", headers: [("X-Api-Key", endpoint.token)],
            body: Array("{}".utf8))
        default:
          try await RawHTTP.exchange(
            port: endpoint.port,
            Array(
              ("POST /ingest/auto HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Api-Key: \(endpoint.token)\r\n"
                + "Transfer-Encoding: chunked\r\nContent-Type: application/json; charset=utf-8\r\n\r\n"
                + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n").utf8))
        }
      #expect(reply.status == 202 && reply.body.contains(#""accepted":1"#), "\(form): \(reply)")
    }
  }

  @Test(
    "tells strangers nothing",
    arguments: ["", "Bearer", "Bearer x", "Basic x", "Bearer TOKENx", "Bearer TOKE", "TOKEN"])
  func strangers(authorization: String) async throws {
    try await IngestFixture.with { endpoint async throws in
      let text = authorization.replacing("TOKEN", with: endpoint.token)
        .replacing("TOKE", with: String(endpoint.token.dropLast()))
      let reply = try await endpoint.post(Array("{}".utf8), authorization: text)
      #expect(reply.status == 401 && reply.body == #"{"error":{"code":"unauthorized"}}"#)
      #expect(reply.headers["www-authenticate"] == "Bearer")
      #expect(endpoint.spooled == [])
    }
  }

  @Test("a token that was taken back opens no more") func revoked() async throws {
    try await IngestFixture.with { endpoint async throws in
      #expect(try await endpoint.post("{}").status == 202)
      try endpoint.desk.revokeSource("phone", of: endpoint.generation)
      #expect(try await endpoint.post("{}").status == 401)
    }
  }

  private static let refusals: [(body: [UInt8], format: String, type: String?, coding: String?, status: Int)] = [
    (Array("{}".utf8), "fhir", "application/json", nil, 404), (Array("{}".utf8), "", "application/json", nil, 404),
    (Array("{}".utf8), "auto", "text/plain", nil, 415), (Array("{}".utf8), "auto", "multipart/form-data", nil, 415),
    (Array("{}".utf8), "auto", "application/json", "br", 415),
    (Array("{}".utf8), "auto", "application/json", "gzip, gzip", 415),
    ([], "auto", "application/json", nil, 400), (Array("{}".utf8), "auto", "application/json", "gzip", 400),
    (Array(GzipSample.small.dropLast()), "auto", "application/json", "gzip", 400),
    (GzipSample.small + [0], "auto", "application/json", "gzip", 400),
  ]

  @Test("refuses what it does not understand, and keeps nothing of it", arguments: 0..<refusals.count)
  func refused(number: Int) async throws {
    let refusal = Self.refusals[number]
    try await IngestFixture.with { endpoint async throws in
      let reply = try await endpoint.post(
        refusal.body, to: refusal.format, type: refusal.type, coding: refusal.coding)
      #expect(reply.status == refusal.status, "\(number): \(reply)")
      #expect(endpoint.spooled == [])
    }
  }

  @Test(
    "what is no export, or of which nothing can be used, is told with counts",
    arguments: [
      ("Dear diary", #"{"accepted":0,"duplicates":0,"error":{"code":"not_an_export","message":"#),
      ("[1]", #"{"accepted":0,"duplicates":0,"error":{"code":"nothing_usable","message":"#),
    ])
  func useless(body: String, answer: String) async throws {
    try await IngestFixture.with { endpoint async throws in
      let reply = try await endpoint.post(body)
      #expect(reply.status == 422 && reply.body.hasPrefix(answer), "\(reply)")
      #expect(reply.body.hasSuffix(body.hasPrefix("[") ? #""refused":3}"# : #""refused":0}"#))
      #expect(endpoint.spooled == [])
    }
  }

  @Test("a body that is too long is not read, and one that becomes so leaves nothing") func tooLong() async throws {
    try await IngestFixture.with { endpoint async throws in
      let head =
        "POST /ingest/auto HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(endpoint.token)\r\n"
        + "Content-Length: \(IngestBody.limit + 1)\r\n\r\n"
      #expect(try await RawHTTP.exchange(port: endpoint.port, Array(head.utf8)).status == 413)
      let bomb = (0...64).reduce(into: [UInt8]()) { bytes, _ in bytes += GzipSample.zeros }
      #expect(bomb.count < 100_000)
      #expect(try await endpoint.post(bomb, coding: "gzip").status == 413)
      #expect(endpoint.spooled == [])
    }
  }

  @Test("a body that breaks off is none") func brokenOff() async throws {
    try await IngestFixture.with { endpoint async throws in
      let half =
        "POST /ingest/auto HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(endpoint.token)\r\nContent-Length: 1000\r\n\r\n{"
      let reply = try? await RawHTTP.exchange(port: endpoint.port, Array(half.utf8), halfClose: true)
      #expect(reply.map { $0.status == 408 } ?? true)
      while !endpoint.spooled.isEmpty { await Task.yield() }
      #expect(try await endpoint.post("{}").body == #"{"accepted":1,"duplicates":0,"refused":0}"#)
    }
  }

  @Test("who posts too often is told when to come again, and others may") func rate() async throws {
    try await IngestFixture.with { endpoint async throws in
      for _ in 0..<IngestRate.burst { #expect(endpoint.desk.wait(of: "phone") == nil) }
      let reply = try await endpoint.post("{}")
      #expect(reply.status == 429 && reply.headers["retry-after"] == "2")
      let other = try endpoint.desk.makeSource("watch", of: endpoint.generation)
      #expect(try await endpoint.post(Array("{}".utf8), authorization: "bearer \(other)").status == 202)
      endpoint.clock.advance(by: .seconds(2))
      #expect(try await endpoint.post("{}").status == 202)
    }
  }

  @Test("without a session it takes nothing, and says when to come again") func noSession() async throws {
    try await IngestFixture.with { endpoint async throws in
      _ = try endpoint.store.endSession()
      let reply = try await endpoint.post("{}")
      #expect(reply.status == 503 && reply.headers["retry-after"] != nil && reply.body.contains("no_session"))
      #expect(endpoint.spooled == [])
    }
  }

  @Test("with a full spool it takes nothing") func full() async throws {
    var limits = HealthSpool.Limits()
    limits.bytes = 10
    try await IngestFixture.with(limits: limits) { endpoint async throws in
      let reply = try await endpoint.post("{\"a\":\"0123456789\"}")
      #expect(reply.status == 503 && reply.headers["retry-after"] != nil && reply.body.contains("spool_full"))
      #expect(endpoint.spooled == [])
      #expect(try await endpoint.post("{}").status == 202)
    }
  }

  @Test("with a disk that is nearly full it takes nothing") func nearlyFull() async throws {
    var limits = HealthSpool.Limits()
    limits.reserve = .max / 4
    try await IngestFixture.with(limits: limits) { endpoint async throws in
      let reply = try await endpoint.post("{}")
      #expect(reply.status == 503 && reply.headers["retry-after"] == "300" && reply.body.contains("disk_full"))
      #expect(endpoint.spooled == [])
    }
  }

  @Test("an import that takes long is told to be queued: its body is on disk") func queued() async throws {
    let taker = PostedTaker(waits: true)
    try await IngestFixture.with(taker: taker) { endpoint async throws in
      async let posted = endpoint.post("{}")
      await endpoint.clock.someoneSleeps()
      #expect(endpoint.spooled.count == 1)
      endpoint.clock.advance(by: .seconds(10))
      let reply = try await posted
      let entry = try #require(endpoint.desk.spool.entries().first)
      #expect(reply.status == 202 && reply.body == "{\"id\":\"\(entry.name.id)\",\"state\":\"queued\"}")
      taker.open()
      #expect(await endpoint.desk.outcome(of: entry) == .taken(HealthTally(accepted: 1)))
      #expect(endpoint.spooled == [])
    }
  }

  @Test("no log has a body, a token or a header") func logs() async throws {
    let lines = LogLines()
    try await IngestFixture.with(logger: lines.logger) { endpoint async throws in
      _ = try await endpoint.post("{\"secret-value\":1}")
      _ = try await endpoint.post("secret-value")
      _ = try await endpoint.post(Array("secret-value".utf8), authorization: "Bearer secret-token")
      let all = "\(lines.all)"
      #expect(all.contains("an export was posted") && all.contains("a posted export was refused"))
      for secret in ["secret-value", "secret-token", endpoint.token, "Bearer"] { #expect(!all.contains(secret)) }
    }
  }

  @Test("it listens where it is told, from one moment to the next") func moves() async throws {
    try await IngestFixture.with { endpoint async throws in
      try endpoint.desk.setAddress(nil)
      while try endpoint.desk.describeEndpoint().url != nil { await Task.yield() }
      await #expect(throws: RawHTTP.Failure.self) { try await endpoint.post("{}") }
      try endpoint.desk.setAddress(IngestAddress("127.0.0.1:0"))
      let port = try await IngestFixture.port(of: endpoint.desk)
      let reply = try await RawHTTP.send(
        port: port, method: "POST", path: "/ingest/auto", headers: [("X-Api-Key", endpoint.token)],
        body: Array("{}".utf8))
      #expect(reply.status == 202)
    }
  }

  @Test("a place that is taken is told of, and everything else goes on") func taken() async throws {
    try await IngestFixture.with { endpoint async throws in
      // The same port once more, by another keeper; this one has not heard of it.
      try endpoint.store.setHostSetting("127.0.0.1:\(endpoint.port)", "health-ingest")
      let second = HealthFeedDesk(store: endpoint.store, taker: PostedTaker(), clock: StoppedClock())
      let logger = LogLines().logger
      let keeping = Task { await IngestKeeper(desk: second, clock: StoppedClock(), logger: logger).follow() }
      while try second.describeEndpoint().problem == nil { await Task.yield() }
      #expect(try second.describeEndpoint().problem?.contains("127.0.0.1:\(endpoint.port)") == true)
      keeping.cancel()
      await keeping.value
      #expect(try await endpoint.post("{}").status == 202)
    }
  }
}
