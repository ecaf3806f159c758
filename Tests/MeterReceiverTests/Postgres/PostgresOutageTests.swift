import Foundation
import Logging
import TestSupport
import Testing

@testable import MeterReceiver

/// A server of their own, which is ended while clients send, as gateways do when their readings wait.
@Suite(
  .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is not installed"), .timeLimit(.minutes(10)))
struct PostgresLoadedOutageTests {
  @Test(
    "an outage under load: refused with a time to come again, told once a minute, over without a restart, nothing lost",
    arguments: [true, false])
  func underLoad(isCrash: Bool) async throws {
    let server = try await PostgresServer()
    let database = try await server.makeDatabase()
    let lines = LogLines()
    var logger = Logger(label: "test") { _ in lines.handler }
    logger.logLevel = .info
    let clock = StoppedClock()
    try await withReceiver(database: database, logger: logger, configure: { $0.clock = clock }) {
      receiver async throws in
      let senders = Senders(receiver)
      let sending = Task { try await senders.run() }
      await senders.until { $0.stored.count >= 40 }
      if isCrash { try await server.crash() } else { try await server.stop() }
      for _ in 0..<2 {
        let before = await senders.count.refused
        await senders.until { $0.refused >= before + 100 }
        // No request is under way that would have taken a minute.
        await senders.pause()
        clock.advance(by: .seconds(61))
        await senders.goOn()
      }
      let before = await senders.count
      await senders.until { $0.refused >= before.refused + 100 }
      #expect(await senders.count.stored == before.stored, "nothing is acknowledged without a server")
      try await server.start()
      await senders.until { $0.stored.count >= before.stored.count + 40 }
      await senders.stop()
      try await sending.value
      let count = await senders.count
      #expect(count.withoutRetryAfter == 0 && count.others == [:], "\(count.others)")
      let stored = try receiver.stored().map(\.logID)
      #expect(Set(stored) == count.stored && stored.count == count.stored.count)
      // No connection of the outage is left: one for each lane, and the one for calls that stay on their thread.
      let name = database.split(separator: "?")[0].split(separator: "/").last ?? ""
      let open = try await server.run("SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)'")
      #expect(Int(open) ?? .max <= PostgresDatabase.width + 1)
    }
    let told = lines.text.split(separator: "\n")
    // It begins, and goes on for two minutes.
    #expect(told.count { $0.hasPrefix("error") } == 3, "\(told.filter { $0.hasPrefix("error") })")
    #expect(told.count { $0.contains("status=503") } <= 3 * 20)
  }

  @Test("a server that stands still costs a request its patience, and the next one finds it again")
  func standsStill() async throws {
    let server = try await PostgresServer()
    let address = try PostgresAddress(try await server.makeDatabase())
    let session = PostgresSession(address, silence: 500)
    try session.transaction(.everything) { try $0.run("CREATE TABLE public.kept (n BIGINT)") }
    let other = PostgresSession(address)
    try other.transaction(nil) { try $0.run("SELECT 1") }
    try await server.freeze()
    let error = await #expect(throws: ReceiverError.self) {
      try await onOwnThread {
        try session.transaction(.everything) { try $0.run("INSERT INTO public.kept VALUES (1)") }
      }
    }
    #expect(error?.code == .databaseUnreachable)
    try await server.thaw()
    try session.transaction(.everything) { try $0.run("INSERT INTO public.kept VALUES (2)") }
    let rows: Int? = try other.transaction(nil) {
      try $0.row("SELECT count(*) AS n FROM public.kept WHERE n = 1")?["n"]
    }
    #expect(rows == 0, "what nobody was told of was not committed")
    // Who knows that it takes long waits as long as it takes.
    let slow = try await onOwnThread {
      try session.transaction(nil) { connection in
        try connection.whileItTakesLong { try connection.run("SELECT pg_sleep(0.7)") }
        return true
      }
    }
    #expect(slow)
    session.close()
    other.close()
  }
}

/// Clients that send one record after the other, each until it is acknowledged.
private actor Senders {
  struct Count: Sendable {
    var stored: Set<String> = []
    var refused = 0
    var withoutRetryAfter = 0
    /// Answers that are neither stored nor "later", by their status.
    var others: [Int: Int] = [:]
  }

  private static let clients = 16

  private let receiver: RunningReceiver
  private(set) var count = Count()
  private var isStopped = false
  private var isPaused = false
  private var active = 0
  private var paused: [CheckedContinuation<Void, Never>] = []
  private var pausing: CheckedContinuation<Void, Never>?
  private var waiters: [(isReached: @Sendable (Count) -> Bool, CheckedContinuation<Void, Never>)] = []

  init(_ receiver: RunningReceiver) { self.receiver = receiver }

  /// Sends until it is stopped; what was begun is sent to its end.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<Self.clients { group.addTask { try await self.send(as: client) } }
      try await group.waitForAll()
    }
  }

  func stop() { isStopped = true }

  /// Lets no request begin, and waits until none is under way.
  func pause() async {
    isPaused = true
    if active > 0 { await withCheckedContinuation { pausing = $0 } }
  }

  func goOn() {
    isPaused = false
    for waiter in paused { waiter.resume() }
    paused = []
  }

  /// Waits until so much has happened.
  func until(_ isReached: @escaping @Sendable (Count) -> Bool) async {
    guard !isReached(count) else { return }
    await withCheckedContinuation { waiters.append((isReached, $0)) }
  }

  private func send(as client: Int) async throws {
    var number = client
    while !isStopped {
      number += Self.clients
      let id = logID(number)
      while try await !isStored(id) {}
    }
  }

  private func isStored(_ id: String) async throws -> Bool {
    while isPaused { await withCheckedContinuation { paused.append($0) } }
    active += 1
    defer {
      active -= 1
      if active == 0 {
        pausing?.resume()
        pausing = nil
      }
    }
    let reply = try await receiver.post(measurement(logID: id))
    switch reply.status {
    case 200, 201: count.stored.insert(id)
    case 503:
      count.refused += 1
      if reply.headers["retry-after"] == nil { count.withoutRetryAfter += 1 }
    default: count.others[reply.status, default: 0] += 1
    }
    let reached = waiters.filter { $0.isReached(count) }
    waiters.removeAll { $0.isReached(count) }
    for (_, waiter) in reached { waiter.resume() }
    return reply.status == 200 || reply.status == 201
  }
}
