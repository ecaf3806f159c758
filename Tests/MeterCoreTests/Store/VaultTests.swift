import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Secrets in the database: never plain, never in another row, never without the key.
@Suite struct VaultTests {
  private let secret = Array("this key stays in the host".utf8)
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var state: URL { folder.url.appending(path: "state") }
  private var keyFile: String { state.appending(path: "vault/key").path }

  /// Every byte of the database and its journal.
  private func databaseBytes() throws -> Data {
    try FileManager.default.contentsOfDirectory(at: state, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("state.sqlite") }.sorted { $0.path < $1.path }
      .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
  }

  private func error(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch { return error as? StoreError }
  }

  @Test func theDatabaseNeverHoldsASecret() throws {
    do {
      let store = try MeterStore(folder: state)
      let session = try store.startSession(Fixture.user, token: AccessToken("a-token-of-the-receiver")).session
      try store.setCredential(secret, name: "encryption-key", scope: .gateway)
      _ = try store.commit([
        Fixture.unit(
          session.generation, [], writes: [StorageWrite(key: "meter/secret/unlock", value: secret)])
      ])
      try store.keepSecret(
        secret, as: "user/secret/code", generation: session.generation, family: "glucose", meter: Fixture.meter)
      #expect(try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter) == [:])
      let secrets = try store.secrets(generation: session.generation, family: "glucose", meter: Fixture.meter)
      #expect(secrets["meter/secret/unlock"]?.bytes == secret)
      #expect(secrets["meter/secret/unlock"]?.isDriversOwn == true)
      #expect(secrets["user/secret/code"]?.isDriversOwn == false)
      #expect("\(secrets)".contains("this key") == false)
      #expect(try databaseBytes().range(of: Data(secret)) == nil)
    }
    #expect(try databaseBytes().range(of: Data(secret)) == nil)
    #expect(try databaseBytes().range(of: Data("a-token-of-the-receiver".utf8)) == nil)
    let again = try MeterStore(folder: state)
    #expect(try again.credential("encryption-key", scope: .gateway) == secret)
    #expect(try again.credential("encryption-key", scope: .peripheral(51)) == nil)
    #expect(try again.credential()?.token == AccessToken("a-token-of-the-receiver"))
    let attributes = try FileManager.default.attributesOfItem(atPath: keyFile)
    #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == 32)
  }

  @Test func listingShowsNamesAndForgettingForgets() throws {
    let store = try MeterStore(folder: state)
    let uuid = Fixture.meter.peripheralUUID
    try store.setCredential(secret, name: "b", scope: .meter(uuid))
    try store.setCredential(secret, name: "a", scope: .gateway)
    try store.setCredential(secret, name: "a", scope: .peripheral(51))
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    #expect(try store.credentials().map(\.name) == ["a", "a", "b"])
    #expect(try store.credentials().map(\.scope) == [.gateway, .peripheral(51), .meter(uuid)])
    try store.storeData(nil, forKey: "b", ofPeripheralUUID: uuid)
    #expect(try store.forgetCredential("a", scope: .gateway))
    #expect(try store.forgetCredential("a", scope: .gateway) == false)
    #expect(try store.credentials().map(\.scope) == [.peripheral(51)])
    #expect(error { try store.setCredential([], name: "a", scope: .gateway) }?.code == .storageLimit)
  }

  @Test func aSwappedRowIsRefused() throws {
    let store = try MeterStore(folder: state)
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    try store.setCredential([1, 2, 3], name: "one", scope: .gateway)
    try store.setCredential([4, 5, 6], name: "two", scope: .gateway)
    for (family, key) in [("glucose", "user/secret/a"), ("other", "user/secret/a"), ("glucose", "meter/secret/b")] {
      try store.keepSecret(
        Array(family.utf8) + Array(key.utf8), as: key, generation: session.generation, family: family,
        meter: Fixture.meter)
    }
    try store.database.write { db in
      try db.execute(
        sql: "UPDATE credential SET value = (SELECT value FROM credential WHERE name = 'two') WHERE name = 'one'")
      try db.execute(
        sql: "UPDATE storage SET value = (SELECT value FROM storage WHERE family = 'other') WHERE family = 'glucose'")
    }
    #expect(error { _ = try store.credential("one", scope: .gateway) }?.code == .vault)
    #expect(try store.credential("two", scope: .gateway) == [4, 5, 6])
    let refused = error {
      _ = try store.secrets(generation: session.generation, family: "glucose", meter: Fixture.meter)
    }
    #expect(refused?.code == .vault)
    let kept = try store.secrets(generation: session.generation, family: "other", meter: Fixture.meter)
    #expect(kept["user/secret/a"]?.bytes == Array("otheruser/secret/a".utf8))
  }

  @Test(arguments: 0..<62)
  func aDamagedValueIsRefused(_ index: Int) throws {
    let store = try MeterStore(folder: state)
    try store.setCredential(secret, name: "one", scope: .gateway)
    try store.database.write { db in
      var value = try #require(try Data.fetchOne(db, sql: "SELECT value FROM credential"))
      value[value.startIndex + index % value.count] ^= 1
      try db.execute(sql: "UPDATE credential SET value = ?", arguments: [value])
    }
    let code = error { _ = try store.credential("one", scope: .gateway) }?.code
    #expect(code == ((2..<6).contains(index % (34 + secret.count)) ? .vaultKey : .vault))
  }

  @Test func aMissingShortOpenOrOtherKeyIsNamedWithItsCure() throws {
    do { try MeterStore(folder: state).setCredential(secret, name: "one", scope: .gateway) }
    let right = try Data(contentsOf: URL(filePath: keyFile))
    func reading() -> StoreError? {
      error { _ = try MeterStore(folder: state).credential("one", scope: .gateway) }
    }
    #expect(chmod(keyFile, 0o640) == 0)
    #expect(reading()?.code == .vaultKey)
    #expect(reading()?.message.contains("chmod 600") == true)
    #expect(chmod(keyFile, 0o600) == 0)
    try right.dropLast().write(to: URL(filePath: keyFile))
    #expect(reading()?.message.contains("exactly 32 bytes") == true)
    try (right + [0]).write(to: URL(filePath: keyFile))
    #expect(reading()?.message.contains("exactly 32 bytes") == true)
    try Data(right.reversed()).write(to: URL(filePath: keyFile))
    #expect(chmod(keyFile, 0o600) == 0)
    #expect(reading()?.message.contains("another key") == true)
    try FileManager.default.removeItem(atPath: keyFile)
    #expect(reading()?.message.contains("is missing") == true)
    // A new key would make the old values unreadable for good: none is made while they are there.
    let writing = error {
      try MeterStore(folder: state).setCredential(secret, name: "two", scope: .gateway)
    }
    #expect(writing?.code == .vaultKey)
    #expect(access(keyFile, F_OK) != 0)
    let store = try MeterStore(folder: state)
    #expect(try store.forgetCredential("one", scope: .gateway))
    try store.setCredential(secret, name: "two", scope: .gateway)
    #expect(try store.credential("two", scope: .gateway) == secret)
  }

  @Test func systemdsKeyComesFirst() throws {
    let credentials = folder.url.appending(path: "credentials")
    try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 32).write(to: credentials.appending(path: "meterhost.key"))
    let stateFolder = try StateFolder(path: state.path)
    let vault = Vault(folder: stateFolder, credentials: credentials.path)
    let sealed = try vault.seal(secret, .host, for: ["row"], mayMakeKey: true)
    #expect(access(keyFile, F_OK) != 0)
    #expect(try vault.open(sealed, for: ["row"]).bytes == secret)
    #expect(error { _ = try vault.open(sealed, for: ["other"]) }?.code == .vault)
    let other = Vault(folder: stateFolder, credentials: nil)
    #expect(error { _ = try other.open(sealed, for: ["row"]) }?.code == .vaultKey)
    try Data(repeating: 7, count: 31).write(to: credentials.appending(path: "meterhost.key"))
    let short = Vault(folder: stateFolder, credentials: credentials.path)
    #expect(error { _ = try short.open(sealed, for: ["row"]) }?.message.contains("exactly 32") == true)
  }

  @Test func migrationFromTheFirstSchemaKeepsEverythingAndEncryptsIt() throws {
    let token = "the-token-of-the-first-version"
    let generation = SessionGeneration(rawValue: 7)
    do {
      let folder = try StateFolder(path: state.path)
      let database = try DatabaseQueue(path: folder.makePrivateFile(MeterStore.fileName))
      try StoreSchema.migrator(Vault(folder: folder, credentials: nil)).migrate(database, upTo: "assignment")
      try database.write { db in
        try db.execute(
          sql: "UPDATE session SET generation = 7, user_id = ?, organization_id = ?, token = ?",
          arguments: [Fixture.user.userID, Fixture.user.organizationID, token])
        let meter = Fixture.meter.storageKey
        try db.execute(
          sql:
            "INSERT INTO storage VALUES (?, 'glucose', ?, 'user/cursor', x'09'), ('', 'glucose', ?, 'meter/secret/unlock', ?)",
          arguments: [Fixture.user.ownerKey, meter, meter, Data(secret)])
        let record = Fixture.glucose(1)
        try db.execute(
          sql: """
            INSERT INTO record (owner, log_id, revision, content, content_hash, committed_us) VALUES (?, ?, 1, ?, ?, 5)
            """,
          arguments: [
            Fixture.user.ownerKey, record.logID.description, try RecordCoding.encode(record), Data(record.contentHash),
          ])
        try db.execute(
          sql: "INSERT INTO delivery (record, sink, state, revision) VALUES (?, ?, 'pending', 1)",
          arguments: [db.lastInsertedRowID, MeterStore.defaultSink])
      }
    }
    #expect(access(keyFile, F_OK) != 0)
    #expect(try databaseBytes().range(of: Data(token.utf8)) != nil)
    let store = try MeterStore(folder: state)
    #expect(try databaseBytes().range(of: Data(token.utf8)) == nil)
    #expect(try databaseBytes().range(of: Data(secret)) == nil)
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.credential()?.token == AccessToken(token))
    #expect(try store.queueSnapshot().count == 1)
    #expect(try store.storage(generation: generation, family: "glucose", meter: Fixture.meter) == ["user/cursor": [9]])
    let secrets = try store.secrets(generation: generation, family: "glucose", meter: Fixture.meter)
    #expect(secrets["meter/secret/unlock"]?.bytes == secret)
  }

  @Test func theStableUUIDDependsOnTheMeterOnly() {
    let one = MeterIdentity(serial: "A-1", model: "M", systemID: nil, address: "00:00:00:00:00:01")
    let moved = MeterIdentity(serial: "A-1", model: "M", systemID: nil, address: "00:00:00:00:00:02")
    let other = MeterIdentity(serial: "A-2", model: "M", systemID: nil, address: "00:00:00:00:00:01")
    #expect(one.peripheralUUID == moved.peripheralUUID && one.peripheralUUID != other.peripheralUUID)
    #expect(one.peripheralUUID.uuidString.split(separator: "-")[2].hasPrefix("8"))
  }
}
