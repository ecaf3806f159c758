import Foundation
import TestSupport
import Testing

@testable import MeterReceiver

/// What is particular to the receiver's PostgreSQL database. The suites marked `everyStorage` run over it too; where the
/// package is not installed they run over SQLite alone, and these tests say so.
@Suite(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is not installed"))
struct PostgresTests {
  private func code(_ body: () throws -> Void) -> ReceiverError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? ReceiverError)?.code
    }
  }

  @Test func commitsAreOnDisk() async throws {
    let database = try PostgresDatabase(address: PostgresAddress(await PostgresServer.shared.value.makeDatabase()))
    let settings = try await database.write(.everything) { transaction in
      try ["synchronous_commit", "fsync", "full_page_writes"].map { name in
        try transaction.row("SELECT current_setting($1) AS value", name)?["value"] as String?
      }
    }
    #expect(settings == ["on", "on", "on"])
    database.close()
  }

  @Test func tokensAreStoredAsDigestsOnly() async throws {
    let server = try await PostgresServer.shared.value
    let path = try await server.makeDatabase()
    let store = try ReceiverStore(path: path)
    let organizationToken = try store.createOrganization("clinic")
    let (account, token) = try store.createUser(organization: "clinic", uid: "anna")
    let name = try #require(path.split(separator: "?").first?.split(separator: "/").last)
    let all = try await server.run(
      "SELECT * FROM meterhost.organization; SELECT * FROM meterhost.account", in: String(name))
    #expect(all.contains(account.id))
    #expect(!all.contains(token) && !all.contains(organizationToken))
    try store.close()
  }

  @Test func readsWantNoMoreThanOneMoment() async throws {
    let database = try PostgresDatabase(address: PostgresAddress(await PostgresServer.shared.value.makeDatabase()))
    let count = "SELECT COUNT(*) AS total FROM organization"
    let (before, after): (Int?, Int?) = try await database.read { transaction in
      let before: Int? = try transaction.row(count)?["total"]
      try database.write(.everything) {
        try $0.execute(
          "INSERT INTO organization (id, token_lookup, token_digest, created_at) VALUES ('clinic', 1, $1, 2)",
          [1] as [UInt8])
      }
      return (before, try transaction.row(count)?["total"])
    }
    #expect(before == 0 && after == 0)
    let later: Int? = try await database.read { try $0.row(count)?["total"] }
    #expect(later == 1)
    await #expect(throws: ReceiverError.self) { try await database.read { try $0.execute("DELETE FROM account") } }
    database.close()
  }

  // MARK: - Versions

  @Test func databaseOfANewerVersionIsRefused() async throws {
    let path = try await PostgresServer.shared.value.makeDatabase()
    let store = try ReceiverStore(path: path)
    try await store.write {
      try $0.execute("INSERT INTO migration (identifier, number) VALUES ('99 from the future', 99)")
    }
    try store.close()
    #expect(code { _ = try ReceiverStore(path: path) } == .databaseTooNew)
  }

  @Test func databaseOfAnOlderVersionIsBroughtUp() async throws {
    let address = try PostgresAddress(try await PostgresServer.shared.value.makeDatabase())
    let session = PostgresSession(address)
    let first = PostgresSchema.Migration(name: "1", sql: "CREATE TABLE a (x BIGINT); INSERT INTO a VALUES (7)")
    let second = PostgresSchema.Migration(name: "2", sql: "CREATE TABLE b AS SELECT x + 1 AS y FROM a; DROP TABLE a")
    try PostgresSchema.prepare(session, at: address, migrations: [first])
    let broken = PostgresSchema.Migration(name: "3", sql: "DROP TABLE b; SELECT nonsense")
    #expect(throws: ReceiverError.self) {
      try PostgresSchema.prepare(session, at: address, migrations: [first, second, broken])
    }
    // What failed has left no trace, and the same can be done again.
    for _ in 0..<2 { try PostgresSchema.prepare(session, at: address, migrations: [first, second]) }
    let moved: Int? = try session.transaction(nil) { try $0.row("SELECT y FROM b")?["y"] }
    #expect(moved == 8)
    session.close()
  }

  @Test func receiversThatStartTogetherMakeTheTablesOnce() async throws {
    let path = try await PostgresServer.shared.value.makeDatabase()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try ReceiverStore(path: path).close() }) }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: - Backup

  @Test func aDumpBringsEverythingBack() async throws {
    let server = try await PostgresServer.shared.value
    let (place, other) = (try await server.makeDatabase(), try await server.makeDatabase())
    let store = try ReceiverStore(path: place)
    try store.createOrganization("clinic")
    let (account, token) = try store.createUser(organization: "clinic", uid: "anna")
    let record = try RecordValidator(vocabulary: .standard).validate(.object(measurementObject()))
    let receipt = try #require(try await store.store([record], for: account).first)
    _ = try await store.addMedia([1, 2, 3], type: .jpeg, toRecord: receipt.id, of: account, limit: 2)
    let programs = try #require(PostgresServer.programs)
    try await withTemporaryFolder { folder in
      let dump = folder + "/readings.dump"
      for (program, arguments) in [
        ("pg_dump", ["--format=custom", "--file=\(dump)", "--dbname=\(place)"]),
        ("pg_restore", ["--dbname=\(other)", dump]),
      ] {
        let done = try await onOwnThread { try ChildProcess.run(URL(filePath: "\(programs)/\(program)"), arguments) }
        #expect(done.status == 0, "\(done.err)")
      }
    }
    let restored = try ReceiverStore(path: other)
    #expect(try restored.user(organization: "clinic", uid: "anna") == account)
    #expect(try await restored.account(token: #require(AccessToken(presented: token)))?.id == account.id)
    #expect(try restored.records(organization: "clinic", uid: "anna").map(\.id) == [receipt.id])
    // What was stored before the backup is known after it: a gateway that sends it again doubles nothing.
    #expect(try await restored.store([record], for: account).map(\.outcome) == [.unchanged])
    try store.close()
    try restored.close()
  }

  // MARK: - Refusals

  @Test func unusableDatabasesAreTypedErrors() async throws {
    let server = try await PostgresServer.shared.value
    #expect(code { _ = try ReceiverStore(path: server.address("missing")) } == .databaseRefused)
    #expect(
      code { _ = try ReceiverStore(path: "postgres://tester@/x?host=\(server.folder)/nowhere") } == .databaseUnreachable
    )
    #expect(code { _ = try ReceiverStore(path: "postgres://tester@127.0.0.1:1/x") } == .databaseUnreachable)
    let latin = try await server.makeDatabase(encoding: "SQL_ASCII")
    #expect(code { _ = try ReceiverStore(path: latin) } == .databaseEncoding)
    let stranger = "stranger_\(UUID().uuidString.prefix(8))"
    try await server.run("CREATE ROLE \"\(stranger)\" LOGIN")
    let path = try await server.makeDatabase().replacingOccurrences(of: "tester@", with: "\(stranger)@")
    let error = #expect(throws: ReceiverError.self) { try ReceiverStore(path: path) }
    #expect(error?.code == .databaseFailure)
    #expect(error?.message.contains("CREATE") == true)
  }

  @Test(arguments: [
    "postgres://", "postgres://host", "postgres://u:s3c@r3t@host/name", "postgres://u:s3c/r3t@host/name",
    "postgres://u:12/r3t@host/name", "postgres://u:s3c%zz@host/name", "postgres://u:s3c@host:r3t/name",
    "postgres://u:s3c@host/name?r3t=s3c",
  ])
  func addressesThatMeanSomethingElseAreRefused(text: String) throws {
    let error = try #require(throws: ReceiverError.self) { try PostgresAddress(text) }
    #expect(error.code == .invalidConfiguration)
    for secret in ["s3c", "r3t"] { #expect(!error.description.contains(secret)) }
  }

  @Test func addressesNameServerAndDatabaseOnly() throws {
    let address = try PostgresAddress("postgresql://anna:s3cret@db.example:6000/readings")
    #expect(address.name == "readings of db.example, port 6000")
    #expect(address.hasPassword)
    #expect(try !PostgresAddress("postgres:///readings?host=/run/postgresql").hasPassword)
    #expect(ReceiverConfiguration.showsPassword("postgres://anna:s3cret@db.example/readings"))
    #expect(!ReceiverConfiguration.showsPassword("receiver.sqlite"))
  }

  @Test func refusalsQuoteNoPassword() throws {
    let address = try PostgresAddress("postgres://anna:s3cret@db.example/readings")
    let refused = ReceiverError(
      connecting: "connection to server failed: FATAL:  28P01: password authentication failed for s3cret\nLOCATION:  x",
      password: "s3cret", to: address)
    #expect(refused.code == .databaseRefused)
    let odd = ReceiverError(
      connecting: "could not translate host name \"s3cret\" to address", password: "s3cret", to: address)
    #expect(odd.code == .databaseUnreachable)
    for error in [refused, odd] { #expect(!error.description.contains("s3cret")) }
  }
}

/// A server of their own, which these tests end and start again, and let no one in without a password.
@Suite(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is not installed"))
struct PostgresOutageTests {
  @Test(arguments: [true, false])
  func storesAgainAfterTheServerWasRestarted(isCrash: Bool) async throws {
    let server = try await PostgresServer()
    try await withReceiver(database: try await server.makeDatabase()) { receiver async throws in
      #expect(try await receiver.post(measurement(logID: logID(1))).status == 201)
      if isCrash { try await server.crash() } else { try await server.stop() }
      let refused = try await receiver.post(measurement(logID: logID(2)))
      #expect(refused.status == 503)
      #expect(refused.headers["retry-after"] != nil)
      try await server.start()
      // The first request after the outage already succeeds, and what was acknowledged is there once.
      #expect(try await receiver.post(measurement(logID: logID(2))).text("data/outcome") == "created")
      #expect(try await receiver.post(measurement(logID: logID(1))).text("data/outcome") == "unchanged")
      #expect(try receiver.stored().map(\.logID) == [logID(1), logID(2)])
    }
  }

  @Test func aRestartBetweenRequestsIsNotNoticed() async throws {
    let server = try await PostgresServer()
    try await withReceiver(database: try await server.makeDatabase()) { receiver async throws in
      #expect(try await receiver.post(measurement(logID: logID(1))).status == 201)
      try await server.crash()
      try await server.start()
      #expect(try await receiver.post(measurement(logID: logID(2))).status == 201)
      #expect(try receiver.stored().count == 2)
    }
  }

  @Test func aWrongPasswordIsRefused() async throws {
    let server = try await PostgresServer()
    let database = try await server.makeDatabase()
    try await server.run("CREATE ROLE anna LOGIN SUPERUSER PASSWORD 'right-one'")
    try await server.run(
      "COPY (SELECT 'local all anna scram-sha-256' UNION ALL SELECT 'local all tester trust') TO '\(server.folder)/data/pg_hba.conf'"
    )
    // Read when the server starts.
    try await server.stop()
    try await server.start()
    func open(_ user: String) throws {
      try ReceiverStore(path: database.replacingOccurrences(of: "tester@", with: "\(user)@")).close()
    }
    for user in ["anna:wrong-one", "anna"] {
      let error = #expect(throws: ReceiverError.self) { try open(user) }
      #expect(error?.code == .databaseRefused, "\(user): \(error?.message ?? "")")
      #expect(error?.description.contains("wrong-one") == false)
    }
    try open("anna:right-one")
  }

  @Test func aServerWithoutSyncIsRefused() async throws {
    let server = try await PostgresServer()
    let database = try await server.makeDatabase()
    try await server.run("ALTER SYSTEM SET fsync = off")
    try await server.stop()
    try await server.start()
    let error = #expect(throws: ReceiverError.self) { try ReceiverStore(path: database) }
    #expect(error?.code == .databaseNotDurable)
  }
}
