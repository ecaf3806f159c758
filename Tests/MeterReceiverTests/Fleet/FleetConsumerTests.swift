import FleetReceiver
import Foundation
import Logging
import NATSClient
import TestSupport
import Testing

@testable import MeterReceiver

@Suite("A receiver that takes messages", .everyStorage, .timeLimit(.minutes(60))) struct FleetConsumerTests {
  /// Runs a receiver over a broker while `body` runs.
  private func withConsumer(
    _ broker: FleetBroker, on store: ReceiverStore, workers: Int = 2, batch: Int = 50,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (FleetConsumer) async throws -> Void
  ) async throws {
    var options = NATSOptions(servers: [try NATSAddress("nats://127.0.0.1:4222")])
    options.backoff = .milliseconds(1)...Duration.milliseconds(10)
    let connection = NATSConnection(options, dialer: broker)
    var work = FleetConsumer.Options()
    (work.workers, work.batch) = (workers, batch)
    let consumer = FleetConsumer(
      connection, store: store, rules: FleetSamples.rules, options: work, logger: logger)
    let running = Task { await consumer.run() }
    do {
      try await body(consumer)
    } catch {
      running.cancel()
      throw error
    }
    running.cancel()
    await running.value
    await connection.close()
  }

  private func withStore(_ users: [String], _ body: (ReceiverStore) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let store = try ReceiverStore(path: try await Storage.current.place(in: folder))
      try store.createOrganization(FleetSamples.organization)
      for user in users {
        try store.createUser(
          organization: FleetSamples.organization, uid: user, token: FleetSamples.token(user))
      }
      try await body(store)
      try store.close()
    }
  }

  private static let users = ["anna", "bert", "carl"]

  /// Messages of all users.
  private func messages(_ numbers: Range<Int>) -> [FleetMessage] {
    numbers.map { FleetSamples.message(Self.users[$0 % 3], revised($0), gateway: "gw\($0 % 3)") }
  }

  @Test("every message is stored, acknowledged, and confirmed to its own gateway") func takes() async throws {
    try await withStore(Self.users) { store async throws in
      let broker = FleetBroker()
      try await withConsumer(broker, on: store) { consumer async throws in
        await broker.publish(messages(0..<300))
        await broker.untilSettled()
        #expect(consumer.counts.current.outcomes == ["created": 300])
      }
      #expect(await broker.messages.allSatisfy { $0.state == .stored && $0.deliveries == 1 })
      let confirmed = await broker.confirmations
      #expect(confirmed.count == 300 && confirmed.allSatisfy { $0.payload.contains(#""outcome":"created""#) })
      for gateway in 0..<3 { #expect(confirmed.count { $0.subject == "mh.clinic.gw\(gateway).c" } == 100) }
      for user in Self.users { #expect(try FleetSamples(store: store).stored(user).count == 100) }
    }
  }

  /// For database and server, a receiver that is killed between the two and one whose connection breaks there are the same.
  @Test(
    "between the commit and the acknowledgement everything may break, and nothing is doubled", arguments: [0, 1, 2, 37])
  func breaks(answers: Int) async throws {
    try await withStore(Self.users) { store async throws in
      let broker = FleetBroker()
      await broker.breakAfter(answers: answers)
      try await withConsumer(broker, on: store) { consumer async throws in
        await broker.publish(messages(0..<120))
        await broker.untilSettled()
      }
      #expect(await broker.messages.contains { $0.deliveries > 1 })
      for user in Self.users {
        let stored = try FleetSamples(store: store).stored(user)
        #expect(stored.count == 40 && Set(stored).count == 40)
      }
      // Whatever was lost was said again.
      let ids = await Set(broker.confirmations.map { $0.payload.prefix { $0 != "," } })
      #expect(ids.count == 120)
    }
  }

  @Test("a receiver that is ended in the middle leaves the rest to the next one") func ended() async throws {
    try await withStore(Self.users) { store async throws in
      let broker = FleetBroker()
      await broker.publish(messages(0..<400))
      try await withConsumer(broker, on: store, batch: 20) { _ async throws in
        await broker.until { $0.contains { $0.state == .stored } }
      }
      await broker.breakConnections()
      try await withConsumer(broker, on: store, batch: 20) { _ async throws in await broker.untilSettled() }
      #expect(
        try Self.users.map { try FleetSamples(store: store).stored($0).count } == [134, 133, 133])
    }
  }

  @Test("what is refused is let go of and confirmed as refused; what is nobody's, too") func refuses() async throws {
    try await withStore(["anna"]) { store async throws in
      let broker = FleetBroker()
      let lines = LogLines()
      var wrong = revised(2)
      wrong["metrics"] = .array([])
      let batch = [
        FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", wrong),
        FleetSamples.message("anna", revised(3), token: "a-token-that-nobody-has"),
      ]
      try await withConsumer(broker, on: store, logger: Logger(label: "test") { _ in lines.handler }) {
        _ async throws in
        await broker.publish(batch)
        await broker.untilSettled()
      }
      #expect(await broker.messages.map(\.state) == [.stored, .refused, .refused])
      let words = await broker.confirmations.map(\.payload)
      #expect(words.count == 3 && words[1].contains(#""reason":"invalid""#) && words[2].contains("unauthorized"))
      #expect(try store.refusedMessages(organization: nil).count == 1)
      #expect(lines.text.contains("a message was refused") && lines.text.contains("gateway=gw1"))
      for secret in [logID(1), logID(2), "blood_glucose", "111"] { #expect(!lines.text.contains(secret)) }
    }
  }

  @Test("a name that is none is not repeated: one message keeps no other from its answer") func hostileName()
    async throws
  {
    try await withStore(["anna"]) { store async throws in
      let broker = FleetBroker()
      var batch = [FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", revised(2))]
      batch[0].headers[FleetMessage.Header.messageID] = String(repeating: "\u{1}", count: 300_000)
      try await withConsumer(broker, on: store) { _ async throws in
        await broker.publish(batch)
        await broker.untilSettled()
      }
      #expect(await broker.messages.map(\.state) == [.refused, .stored])
      #expect(await broker.confirmations.count == 1)
    }
  }

  @Test("a confirmation goes to the gateway that has sent the message, wherever it asks for it") func misdirected()
    async throws
  {
    try await withStore(["anna"]) { store async throws in
      let broker = FleetBroker()
      var batch = [FleetSamples.message("anna", revised(1)), FleetSamples.message("anna", revised(2))]
      batch[0].headers[FleetMessage.Header.confirm] = "mh.clinic.gw2.cmd"
      batch[1].headers[FleetMessage.Header.confirm] = nil
      try await withConsumer(broker, on: store) { _ async throws in
        await broker.publish(batch)
        await broker.untilSettled()
      }
      #expect(await broker.confirmations.isEmpty)
      #expect(try FleetSamples(store: store).stored("anna").count == 2)
    }
  }
}

/// A database that is ended while messages come.
@Suite(
  .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is not installed"), .timeLimit(.minutes(60)))
struct FleetOutageTests {
  @Test("without the database messages are put off and nothing is asked for; with it they are all stored") func outage()
    async throws
  {
    let server = try await PostgresServer()
    let store = try ReceiverStore(path: try await server.makeDatabase())
    try store.createOrganization(FleetSamples.organization)
    try store.createUser(organization: FleetSamples.organization, uid: "anna", token: FleetSamples.token("anna"))
    let broker = FleetBroker()
    let connection = NATSConnection(
      NATSOptions(servers: [try NATSAddress("nats://127.0.0.1:4222")]), dialer: broker)
    let lines = LogLines()
    let consumer = FleetConsumer(
      connection, store: store, rules: FleetSamples.rules, logger: Logger(label: "test") { _ in lines.handler })
    let running = Task { await consumer.run() }
    await broker.publish((1...40).map { FleetSamples.message("anna", revised($0)) })
    await broker.untilSettled()
    try await server.crash()
    await broker.publish((41...80).map { FleetSamples.message("anna", revised($0)) })
    await broker.until { $0.suffix(40).allSatisfy { $0.deliveries > 0 && $0.state == .waiting } }
    #expect(await broker.confirmations.count == 40, "nothing is confirmed without a database")
    try await server.start()
    await broker.untilSettled()
    running.cancel()
    await running.value
    await connection.close()
    #expect(await broker.confirmations.count == 80)
    #expect(await broker.delays.allSatisfy { $0 >= 1_000_000_000 })
    #expect(try FleetSamples(store: store).stored("anna").count == 80)
    #expect(consumer.counts.current.postponed >= 40)
    #expect(lines.text.contains("code=database_unreachable") && lines.text.contains("connected"))
    try store.close()
  }
}
