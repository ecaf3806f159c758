import Crypto
import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A state folder of every earlier version opens with everything that was in it.
@Suite("Folders of earlier versions")
struct MigrationTests {
  /// The versions of the database in their order, each with the SHA-256 of its tables: what was published never changes.
  static let versions: [(name: String, schema: String)] = [
    ("v1", "cb519d1325bc0a26607d4615baf4c43fdeebfbcd39447fae0e9dad4ff13af757"),
    ("assignment", "21f7fbe20f9ddc018a62efb60b9da37dc5e75febba604580af36b225ac4f4a6e"),
    ("vault", "0524e35d20ed186bbd4df0a8f6b270192cb49e80452e8a3ff0ce668d7a014b5a"),
    ("queue", "7698f537e13cc4cc45c92dbb2d6e06ea8c78cc466ef62d1c5a7d666541552762"),
    ("media", "c601b7a5f66e32153e5b85d630e59302733bb6b2929101f32c888d3ac269f319"),
    ("sinks", "1e970bf52807918ed0fadb99304728a988bde93a66ad13424186ac6597ec0ebb"),
    ("events", "75c16ee6764b98cde27aa93c14b87335d583a46f2413d8d75dfc307f1c74f924"),
    ("clock", "102f04a9a2c0ee5554fddb26364e584d05b59336057e9958fecd2ae9ed8c5821"),
    ("session options", "9f0565da30c60058618663d9767d97f9d556fe474ca9580542972b2131d10351"),
    ("offences", "d3dd873d90906cc15cba91ca62be64832e85ef7aac05fa029979b9e5d3b2e613"),
    ("meters", "707056c31ededbe583ef7f7782654286d939faa65bc60e68cbc8e75050ff6132"),
    ("weights", "338914f0ae4fe7c0d43979ba9c01d4cb4d794b32d909826903beedda3f969cc8"),
    ("commits", "ab51637fc516e80a30e6d08cb60a5e1a3f3cf9488c17b82ad3cf2090a93132fe"),
    ("sink roles", "95c4661c2d2cf6e808168b396b00292a17aff152cd4e266e0ae1edfe7f1aa48b"),
    ("health", "42c991e027eb8dbcbb16e79c0ef537c7bd34f5c6593606725b2241e1597d6b2a"),
    ("meter facts", "c19d1bea24ab6b34d44104c47abe8ac30a71613f9a3567fa12c63a447a4c4855"),
    ("who is weighed", "553db6c0640d52d7df138dd70fa79ac9c6f1040f29f459ced76777637f42b429"),
  ]

  /// Makes a folder as a version wrote it, with readings in every state.
  private func make(_ version: String, in folder: TemporaryFolder) throws {
    let state = try StateFolder(path: folder.state.path)
    let file = try state.makePrivateFile(MeterStore.fileName)
    let vault = Vault(folder: state, credentials: nil)
    let database = try DatabaseQueue(path: file)
    try StoreSchema.migrator(vault).migrate(database, upTo: version)
    try database.write { db in
      try db.execute(sql: "UPDATE session SET generation = 7, user_id = 'ada', organization_id = 'clinic'")
      let columns = Set(try db.columns(in: "session").map(\.name))
      let receiver = Data(#"{"receiver":"https://a.example"}"#.utf8)
      if columns.contains("token_serial") { try db.execute(sql: "UPDATE session SET token_serial = 3") }
      if columns.contains("receiver") {
        try db.execute(sql: "UPDATE session SET receiver = ?, validated = 1", arguments: [receiver])
      } else if !columns.contains("token_serial") {
        // From then on the session's own receiver is a row like the others.
        try db.execute(
          sql: "UPDATE sink SET setting = ?, token_serial = 3, validated = 1, kind = 'inform', has_token = 1",
          arguments: [receiver])
      }
      if try db.tableExists("sink") {
        try db.execute(
          sql: """
            INSERT INTO sink (name, setting, token_serial, validated, refused) VALUES ('research', x'7b7d', 9, 1, 1)
            """)
        try TokenRow(db: db, vault: vault, sink: "research").set(AccessToken("research-opens"))
      }
      if ["v1", "assignment"].contains(version) {
        try db.execute(sql: "UPDATE session SET token = 'sesame-opens-0815'")
      } else {
        try TokenRow(db: db, vault: vault).set(Fixture.token)
      }
      let states = ["pending", "inFlight", "held", "dead", "excluded"]
      for (index, state) in states.enumerated() { try insert(index, state, db) }
      try db.execute(
        sql: "INSERT INTO storage VALUES (?, 'glucose', ?, 'user/cursor', x'09')",
        arguments: [Fixture.user.ownerKey, Data(Fixture.meter.stableBytes).base64EncodedString()])
      try db.execute(sql: "INSERT INTO meter_cache VALUES ('A', 'gatt', x'0102')")
    }
  }

  private func insert(_ index: Int, _ state: String, _ db: Database) throws {
    let record = Fixture.glucose(UInt64(index + 1))
    try db.execute(
      sql: """
        INSERT INTO record (owner, log_id, revision, content, content_hash, committed_us) VALUES (?, ?, 1, ?, ?, 5)
        """,
      arguments: [
        Fixture.user.ownerKey, record.logID.description, try RecordCoding.encode(record), Data(record.contentHash),
      ])
    try db.execute(
      sql: "INSERT INTO delivery (record, sink, state, revision) VALUES (?, ?, ?, 1)",
      arguments: [db.lastInsertedRowID, MeterStore.defaultSink, state])
    try db.execute(
      sql: """
        INSERT INTO seen (owner, log_id, revision, content_hash, primary_hash, seen_us) VALUES (?, ?, 1, ?, ?, 5)
        """,
      arguments: [
        Fixture.user.ownerKey, record.logID.description, Data(record.contentHash), Data(record.primaryHash),
      ])
  }

  @Test("keep session, queue, counts and memory", arguments: versions.dropLast().map(\.name))
  func migrate(_ version: String) throws {
    let folder = try TemporaryFolder()
    try make(version, in: folder)
    let store = try MeterStore(folder: folder.state)
    let session = try store.currentSession()
    #expect(session.user == Fixture.user && session.generation.rawValue == 7)
    #expect(try store.credential()?.token == Fixture.token)
    #expect(
      try store.queueSnapshot().map(\.state) == [.pending, .pending, .held, .dead, .excluded],
      "what was being sent is pending again")
    #expect(try store.tally() == [.pending: 2, .held: 1, .dead: 1, .excluded: 1])
    #expect(try store.usage().records == 5)
    try checkSinks(of: store, version)
    #expect(try store.cached("gatt", address: "A") == [1, 2])
    let again = (UInt64(1)...5).map { Fixture.glucose($0) }
    let receipt = try store.commit([Fixture.unit(session.generation, again)])[0]
    #expect(receipt.duplicates.count == 5 && receipt.new.isEmpty)
    let vacuum = try store.reading { db in try Int.fetchOne(db, sql: "PRAGMA auto_vacuum") }
    #expect(vacuum == 2, "the file of an earlier version shrinks, too")
    #expect(try store.losses().isEmpty)
  }

  /// The session's own receiver is a row like the others, with what stood in the session's.
  private func checkSinks(of store: MeterStore, _ version: String) throws {
    let index = { name in Self.versions.firstIndex { $0.name == name } ?? .max }
    let sinks = try store.sinks()
    #expect(sinks.map(\.name) == (index(version) >= index("sinks") ? ["inform", "research"] : ["inform"]))
    #expect(sinks.map(\.role) == [.session] + Array(repeating: .further, count: sinks.count - 1))
    #expect(sinks.allSatisfy { $0.target.kind == "inform" && $0.hasToken && !$0.isPaused })
    let own = try #require(sinks.first)
    let isKept = index(version) >= index("session options")
    #expect(own.target.setting == (isKept ? Array(#"{"receiver":"https://a.example"}"#.utf8) : []))
    #expect(own.isValidated == isKept && !own.isRefused)
    #expect(try store.currentSession().options.receiver == (isKept ? own.target : nil))
    guard let further = sinks.last, sinks.count > 1 else { return }
    #expect(further.target.setting == Array("{}".utf8) && further.isValidated && further.isRefused)
    #expect(try store.credential(ofSink: "research")?.token == AccessToken("research-opens"))
    #expect(try store.credential(sink: "research") == nil, "it has refused its token")
  }

  @Test("open when a repair had lost the session, with its token and readings still there")
  func lostSession() throws {
    let folder = try TemporaryFolder()
    try make("weights", in: folder)
    do {
      let database = try DatabaseQueue(path: folder.state.appending(path: MeterStore.fileName).path)
      try database.write { db in try db.execute(sql: "UPDATE session SET user_id = NULL, organization_id = NULL") }
    }
    let store = try MeterStore(folder: folder.state)
    #expect(try store.queueSnapshot().isEmpty && store.credential() == nil)
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try store.queueSnapshot().count == 5, "they are the person's again")
  }

  @Test("have the tables that they were published with", arguments: versions)
  func schema(_ version: (name: String, schema: String)) throws {
    let folder = try TemporaryFolder()
    let state = try StateFolder(path: folder.state.path)
    let database = try DatabaseQueue()
    try StoreSchema.migrator(Vault(folder: state, credentials: nil)).migrate(database, upTo: version.name)
    let tables = try database.read { db in
      try String.fetchAll(
        db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%' ORDER BY name")
    }
    let digits = SHA256.hash(data: Data(tables.joined(separator: ";").utf8))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let hash = digits.joined()
    #expect(hash == version.schema, "\(version.name)")
  }

  @Test("a database that is gone is not replaced by an empty one")
  func missing() throws {
    let folder = try TemporaryFolder()
    do { _ = try MeterStore(folder: folder.state) }
    let file = folder.state.appending(path: MeterStore.fileName)
    let copy = try Data(contentsOf: file)
    for damage in [nil, Data()] as [Data?] {
      try FileManager.default.removeItem(at: file)
      try damage?.write(to: file)
      let error = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
      #expect(error?.code == .missingDatabase && error?.message.contains(file.path) == true)
      if damage == nil { try Data().write(to: file) }
    }
    try copy.write(to: file)
    #expect(try MeterStore(folder: folder.state).currentSession().user == nil)
  }
}
