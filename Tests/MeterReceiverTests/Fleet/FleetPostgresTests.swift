import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

@Suite(
  "Messages into PostgreSQL", .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is not installed"),
  .timeLimit(.minutes(60)))
struct FleetPostgresTests {
  @Test("batches of the same users at the same time wait for each other, and none for ever") func sideBySide()
    async throws
  {
    let place = try await PostgresServer.shared.value.makeDatabase()
    let store = try ReceiverStore(path: place)
    try store.createOrganization(FleetSamples.organization)
    let users = (1...6).map { "user\($0)" }
    for user in users {
      try store.createUser(organization: FleetSamples.organization, uid: user, token: FleetSamples.token(user))
    }
    let other = try ReceiverStore(path: place)
    let words = try await withThrowingTaskGroup(of: [String].self) { group in
      for worker in 0..<6 {
        group.addTask {
          let fleet = FleetSamples(store: worker % 2 == 0 ? store : other)
          // Every worker has every message, each in another order.
          let batch = users.indices.map { users[($0 + worker) % users.count] }.flatMap { user in
            (1...20).map { FleetSamples.message(user, revised($0)) }
          }
          return try await fleet.take(worker % 2 == 0 ? batch : batch.reversed())
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(words.count { $0 == "created" } == 120 && words.count { $0 == "unchanged" } == 600)
    for user in users { #expect(try FleetSamples(store: store).stored(user).count == 20) }
    try store.close()
    try other.close()
  }

  @Test("a server that is ended during batches loses and doubles nothing") func outage() async throws {
    let server = try await PostgresServer()
    let store = try ReceiverStore(path: try await server.makeDatabase())
    try store.createOrganization(FleetSamples.organization)
    try store.createUser(
      organization: FleetSamples.organization, uid: "anna", token: FleetSamples.token("anna"))
    let fleet = FleetSamples(store: store)
    let batch = (1...50).map { FleetSamples.message("anna", revised($0)) }
    #expect(try await fleet.take(Array(batch[..<25])).allSatisfy { $0 == "created" })
    try await server.crash()
    let error = await #expect(throws: ReceiverError.self) { try await fleet.take(batch) }
    #expect(error?.code == .databaseUnreachable)
    await #expect(throws: ReceiverError.self) { try await store.checkAnswers() }
    try await server.start()
    try await store.checkAnswers()
    let words = try await fleet.take(batch)
    #expect(words.count { $0 == "unchanged" } == 25 && words.count { $0 == "created" } == 25)
    #expect(try fleet.stored("anna").count == 50)
    try store.close()
  }

  @Test("lists arrive as they were given") func lists() async throws {
    let session = PostgresSession(try PostgresAddress(try await PostgresServer.shared.value.makeDatabase()))
    let texts: [String?] = ["", nil, "NULL", "{\"a\",b}", "\\", "ä\n'"]
    let integers: [Int64] = [0, -1, .min, .max, 7, 42]
    var rows: [(Int64, String?)] = []
    try session.transaction(nil) { connection in
      try connection.forEachRow(
        "SELECT * FROM unnest($1, $2) AS given (number, text)", [.integers(integers), .texts(texts)]
      ) { rows.append((try $0["number"], try $0[optional: "text"])) }
    }
    #expect(rows.map(\.0) == integers && rows.map(\.1) == texts)
    var none = 0
    try session.transaction(nil) { connection in
      try connection.forEachRow("SELECT * FROM unnest($1, $2)", [.integers([]), .texts([])]) { _ in none += 1 }
    }
    #expect(none == 0)
    session.close()
  }
}
