import Foundation
import GRDB
import Glibc
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import MeterReceiver

@Suite struct LifecycleTests {
  @Test(.everyStorage) func restartKeepsEverything() async throws {
    try await withTemporaryFolder { folder in
      let path = try await Storage.current.place(in: folder)
      let first = try await withReceiver(database: path) { server async throws in try await server.post(measurement()) }
      try await withReceiver(database: path) { server async throws in
        #expect(try server.stored().map(\.id) == [first.text("data/id")])
        let again = try await server.post(measurement())
        #expect(again.text("data/outcome") == "unchanged")
        #expect(again.text("data/checksum") == first.text("data/checksum"))
      }
    }
  }

  @Test(.everyStorage) func cancellationEndsIdleConnectionsAndFreesThePort() async throws {
    var idle: [Int32] = []
    let port = try await withReceiver { server async throws in
      // One connection that never says anything, one in the middle of a head, one in the middle of a body.
      idle = try (0..<3).map { _ in try RawHTTP.connect(port: server.port) }
      let head = "POST /connect/provider/data/measurements HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      let body = head + "Authorization: Bearer \(RunningReceiver.token)\r\nContent-Length: 100\r\n\r\n{"
      for (socket, text) in zip(idle[1...], [head, body]) {
        let bytes = Array(text.utf8)
        #expect(Glibc.send(socket, bytes, bytes.count, 0) == bytes.count)
      }
      // Served on the same event loops, so that what was sent before is on its way to the handlers.
      #expect(try await server.get("/healthz").status == 200)
      return server.port
    }
    for socket in idle { close(socket) }
    try await withReceiver(configure: { $0.port = port }) { server async throws in
      #expect(server.port == port)
      #expect(try await server.get("/healthz").status == 200)
    }
  }

  /// Whenever the cancellation comes: before, while or after the server starts, or while connections are being accepted.
  @Test(arguments: 0..<12)
  func cancellationAtAnyMomentIsClean(round: Int) async throws {
    try await withTemporaryFolder { folder in
      let receiver = try Receiver(configuration: ReceiverConfiguration(database: folder + "/receiver.sqlite"))
      let (ports, continuation) = AsyncStream<Int>.makeStream()
      let running = Task { try await receiver.run { continuation.yield($0) } }
      var sockets: [Int32] = []
      if round >= 4, let port = await ports.first(where: { _ in true }) {
        for _ in 0..<(round * 2) { sockets.append(try RawHTTP.connect(port: port)) }
      } else {
        for _ in 0..<round { await Task.yield() }
      }
      running.cancel()
      try await running.value
      for socket in sockets { close(socket) }
    }
  }

  @Test func gracefulShutdownOfASurroundingServiceGroupEndsIt() async throws {
    try await withTemporaryFolder { folder in
      let receiver = try Receiver(configuration: ReceiverConfiguration(database: folder + "/receiver.sqlite"))
      let (ports, continuation) = AsyncStream<Int>.makeStream()
      let service = ReceiverService { try await receiver.run { continuation.yield($0) } }
      let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let group = ServiceGroup(services: [service], logger: silent)
      let running = Task { try await group.run() }
      let port = try #require(await ports.first { _ in true })
      let stalled = try RawHTTP.connect(port: port)
      await group.triggerGracefulShutdown()
      try await running.value
      close(stalled)
      #expect(throws: RawHTTP.Failure.self) { try RawHTTP.connect(port: port) }
    }
  }

  @Test func portInUseIsATypedError() async throws {
    try await withReceiver { server async throws in
      let error = await #expect(throws: ReceiverError.self) {
        try await withReceiver(configure: { $0.port = server.port }) { _ async throws in }
      }
      #expect(error?.code == .cannotListen)
      #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    }
  }

  @Test(.everyStorage) func twoReceiversShareADatabase() async throws {
    try await withTemporaryFolder { folder in
      let path = try await Storage.current.place(in: folder)
      try await withReceiver(database: path) { one async throws in
        try await withReceiver(database: path) { two async throws in
          let outcomes = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
              for server in [one, two] {
                group.addTask { try await server.post(measurement(logID: logID(number + 1))).text("data/outcome") }
              }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
          #expect(outcomes.count { $0 == "created" } == 20)
          #expect(outcomes.count { $0 == "unchanged" } == 20)
        }
      }
    }
  }

  @Test(arguments: [
    (port: 70_000, bodyLimit: 4096, recordLimit: 1), (port: -1, bodyLimit: 4096, recordLimit: 1),
    (port: 0, bodyLimit: 0, recordLimit: 1), (port: 0, bodyLimit: 4096, recordLimit: 0),
  ])
  func senselessConfigurationsAreRefused(port: Int, bodyLimit: Int, recordLimit: Int) async throws {
    try await withTemporaryFolder { folder in
      var configuration = ReceiverConfiguration(database: folder + "/receiver.sqlite")
      configuration.port = port
      configuration.bodyLimit = bodyLimit
      configuration.recordLimit = recordLimit
      let error = try #require(throws: ReceiverError.self) { try Receiver(configuration: configuration) }
      #expect(error.code == .invalidConfiguration)
    }
  }

  @Test func fullDiskIs503AndStoresNothing() async throws {
    try await withReceiver { server async throws in
      // The database may not grow beyond the pages that it has: what a full disk looks like to SQLite.
      try await server.store.pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA max_page_count = 1")
      }
      let large = measurement {
        $0["user_notes"] = .array(
          (0..<60).map { _ in
            .object(["type": .string("note"), "value": .string(String(repeating: "x", count: 4000))])
          })
      }
      let reply = try await server.post(large)
      #expect(reply.status == 503)
      #expect(reply.headers["retry-after"] != nil)
      #expect(try server.stored().isEmpty)
      try await server.store.pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA max_page_count = 100000")
      }
      #expect(try await server.post(large).status == 201)
    }
  }

  @Test("what every request can cause is summed up in the log")
  func logsAreBounded() async throws {
    let lines = LogLines()
    var logger = Logger(label: "test") { _ in lines.handler }
    logger.logLevel = .info
    let clock = StoppedClock()
    try await withReceiver(logger: logger, configure: { $0.clock = clock }) { server async throws in
      for _ in 0..<30 { #expect(try await server.post(measurement(), token: "unknown").status == 401) }
      try server.store.close()
      for _ in 0..<30 { #expect(try await server.post(measurement()).status == 503) }
    }
    let told = lines.text.split(separator: "\n")
    #expect(told.count { $0.contains("status=401") } == 20)
    #expect(told.count { $0.hasPrefix("error") } == 1, "\(told)")
  }

  @Test func logsHoldNoTokensIdsOrValues() async throws {
    let lines = LogLines()
    var logger = Logger(label: "test") { _ in lines.handler }
    logger.logLevel = .trace
    try await withReceiver(logger: logger) { server async throws in
      let secret = measurement(value: 123.4567) {
        $0["user_notes"] = .array([.object(["type": .string("n"), "value": .string("private-note")])])
      }
      _ = try await server.post(secret)
      _ = try await server.post("[\(secret),\(measurement(logID: logID(9), value: 98765.4))]")
      _ = try await server.post(measurement(value: 98765.4))
      _ = try await server.post("{\"private-note\": tru")
      _ = try await server.get(
        "/organizations/clinic/users/patient-1/measurements?token=\(RunningReceiver.organizationToken)")
      _ = try await server.get("/nowhere/private-note?token=\(RunningReceiver.organizationToken)")
      _ = try await RawHTTP.exchange(port: server.port, Array("GARBAGE private-note\r\n\r\n".utf8))
    }
    let text = lines.text
    #expect(text.contains("status=201"))
    for secret in [
      RunningReceiver.token, RunningReceiver.organizationToken, "123.4567", "98765.4", "private-note",
      logID(1), RunningReceiver.uid,
    ] {
      #expect(!text.contains(secret), "\(secret)")
    }
  }
}

/// What a program with its own service group wraps the receiver in.
private struct ReceiverService: Service {
  let body: @Sendable () async throws -> Void

  func run() async throws { try await body() }
}
