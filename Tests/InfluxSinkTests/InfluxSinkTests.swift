import CurlHTTP
import DeliverySupport
import Foundation
import HostErrors
import MeterCore
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import InfluxSink

/// What a database holds: a point takes the place of one with the same key, and of fields of one name the later one counts.
private final class Database: Sendable {
  private let points = Mutex<[ReadPoint.Key: [String: ReadPoint.Value]]>([:])

  /// - Parameter refuses: Which points it refuses, as a database does with a field of another type: it writes the others.
  /// - Returns: How many it has refused; nil where a line is none.
  func write(_ lines: [UInt8], refusing refuses: (ReadPoint) -> Bool = { _ in false }) -> Int? {
    guard let read = LineReader.points(lines) else { return nil }
    points.withLock { points in
      for point in read where !refuses(point) { points[point.key, default: [:]].merge(point.fields) { _, new in new } }
    }
    return read.count(where: refuses)
  }

  var count: Int { points.withLock { $0.count } }
  var names: Set<String> { points.withLock { Set($0.keys.compactMap { $0.tags["log_id"] }) } }
}

/// The sink with libcurl against a database on a real socket, and the engine that drives it.
@Suite("Influx sink", .timeLimit(.minutes(60)))
struct InfluxSinkTests {
  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration
  private let clock = StoppedClock()
  private let database = Database()

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
  }

  private func setting(_ base: String) -> InfluxSinkSetting {
    var setting = InfluxSinkSetting(address: base)
    (setting.organization, setting.bucket) = ("my clinic", "readings")
    return setting
  }

  private func sink(_ setting: InfluxSinkSetting) throws -> InfluxSink {
    InfluxSink(try setting.checked(in: SinkPlace(stateFolder: folder.state)), clock: clock)
  }

  private func commit(_ sequences: ClosedRange<UInt64>) throws {
    _ = try store.commit([Fixture.unit(generation, sequences.map { Fixture.glucose($0) })])
  }

  private func deliverAll(_ sink: InfluxSink) async {
    let engine = DeliveryEngine(store: store, receiver: sink, clock: clock, jitter: { 1 })
    var report = await engine.drain()
    for _ in 0..<100 {
      guard let wait = report.nextTry else { return }
      clock.advance(by: wait + .milliseconds(1))
      report = await engine.drain()
    }
  }

  private static let partial = #"{"error":"partial write: field type conflict dropped=1"}"#

  @Test("writes readings together, with bucket and token, each once")
  func batches() async throws {
    let server = try ScriptedServer { [database] request, _ in
      guard request.method == "POST" else { return .answer(204, body: "") }
      return database.write(request.body) == 0 ? .answer(204, body: "") : .answer(400, body: Self.partial)
    }
    try commit(1...250)
    await deliverAll(try sink(setting(server.base + "/")))
    #expect(database.count == 250 && server.posts.count == 3)
    #expect(server.posts.allSatisfy { $0.path == "/api/v2/write?org=my%20clinic&bucket=readings&precision=ns" })
    #expect(server.posts.allSatisfy { $0.headers["authorization"] == "Token \(Fixture.token.secret)" })
    #expect(try store.queueSnapshot().isEmpty)
  }

  @Test("speaks version 1 with a user's password")
  func versionOne() async throws {
    let server = try ScriptedServer { _, _ in .answer(204, body: "") }
    var setting = InfluxSinkSetting(address: server.base)
    (setting.version, setting.database, setting.user) = (.one, "a&b", "gateway")
    let replies = await (try sink(setting)).deliver(
      [Fixture.glucose(1)], with: SinkCredential(user: Fixture.user, token: AccessToken("secret")))
    #expect(replies.map(\.outcome) == [.delivered()])
    #expect(server.posts.first?.path == "/write?db=a%26b&precision=ns")
    #expect(
      server.posts.first?.headers["authorization"] == "Basic " + Data("gateway:secret".utf8).base64EncodedString())
  }

  @Test("refuses the reading whose lines the database refuses, and writes the others of its request")
  func partialWrite() async throws {
    let bad = Set(([7, 50] as [UInt64]).map { "\(Fixture.glucose($0).logID)" })
    let server = try ScriptedServer { [database] request, _ in
      guard request.method == "POST" else { return .answer(204, body: "") }
      let refused = database.write(request.body) { bad.contains($0.tags["log_id"] ?? "") }
      return refused == 0 ? .answer(204, body: "") : .answer(400, body: Self.partial)
    }
    try commit(1...100)
    await deliverAll(try sink(setting(server.base)))
    #expect(database.count == 98)
    let left = try store.queueSnapshot()
    #expect(Set(left.map { "\($0.logID)" }) == bad && left.allSatisfy { $0.state == .dead && $0.reason == "http-400" })
  }

  @Test("has each reading there once, whatever happens on the way")
  func faults() async throws {
    let server = try ScriptedServer { [database] request, earlier in
      guard request.method == "POST" else { return .answer(204, body: "") }
      // What comes is written, and the answer lost, more often than not.
      _ = database.write(request.body)
      return switch earlier.filter({ $0.method == "POST" }).count % 7 {
      case 0: .drop
      case 1: .answer(503, headers: ["Retry-After": "5"])
      case 2: .answer(200, body: "<html>Log in</html>")
      case 3: .answer(404, body: #"{"code":"not found","message":"bucket"}"#)
      case 4: .answer(400, body: "<html>Bad Request</html>")
      case 5: .tear
      default: .answer(204, body: "")
      }
    }
    try commit(1...130)
    await deliverAll(try sink(setting(server.base)))
    #expect(try store.queueSnapshot().isEmpty)
    #expect(database.count == 130 && database.names == Set((UInt64(1)...130).map { "\(Fixture.glucose($0).logID)" }))
  }

  @Test("a refused token is told as that, and nothing is lost by it")
  func refusedToken() async throws {
    let server = try ScriptedServer { request, _ in
      request.method == "POST"
        ? .answer(401, body: #"{"code":"unauthorized","message":"unauthorized access"}"#) : .answer(204, body: "")
    }
    try store.setSink("series", try setting(server.base).stored(), token: AccessToken("old"))
    try commit(1...3)
    let engine = DeliveryEngine(store: store, sink: "series", receiver: try sink(setting(server.base)), clock: clock)
    _ = await engine.drain()
    #expect(try store.furtherSinks().map(\.isRefused) == [true])
    #expect(try store.tally(sink: "series") == [.pending: 3])
  }

  @Test("settings want what their version has, and nothing of the other one")
  func settings() throws {
    func code(_ change: (inout InfluxSinkSetting) -> Void) -> String? {
      var setting = setting("https://influx.example:8086")
      change(&setting)
      do { _ = try setting.checked(in: SinkPlace(stateFolder: folder.state)) } catch {
        return (error as? any HostError)?.codeText
      }
      return nil
    }
    #expect(code { _ in } == nil)
    #expect(code { $0.bucket = nil } == "sink_setting")
    #expect(code { $0.database = "x" } == "sink_setting")
    #expect(code { $0.subject = "a\nb" } == "sink_setting")
    #expect(code { ($0.version, $0.organization, $0.bucket, $0.database) = (.one, nil, nil, "db") } == nil)
    #expect(code { $0.version = .one } == "sink_setting")
    var one = InfluxSinkSetting(address: "https://influx.example")
    (one.version, one.database) = (.one, "db")
    #expect(throws: SinkSettingError.self) { try one.check(AccessToken("password")) }
    one.user = "gateway"
    try one.check(AccessToken("password"))
    let stored = try one.stored()
    #expect(try SinkKind(InfluxSinkSetting.self).setting(stored.setting) as? InfluxSinkSetting == one)
    #expect(one.capabilities.acknowledgement == .receiver && one.capabilities.batchSize == 100)
  }
}
