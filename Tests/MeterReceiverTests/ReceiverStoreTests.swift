import Foundation
import GRDB
import Testing

@testable import MeterReceiver

@Suite struct ReceiverStoreTests {
  private func withStore(_ body: (ReceiverStore, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/receiver.sqlite"
      let store = try ReceiverStore(path: path)
      try await body(store, path)
      try store.close()
    }
  }

  @Test func commitsAreOnDisk() async throws {
    try await withStore { store, _ in
      let (mode, synchronous) = try await store.pool.write { database in
        (
          try String.fetchOne(database, sql: "PRAGMA journal_mode"),
          try Int.fetchOne(database, sql: "PRAGMA synchronous")
        )
      }
      #expect(mode == "wal")
      // 2 is FULL (https://www.sqlite.org/pragma.html#pragma_synchronous).
      #expect(synchronous == 2)
    }
  }

  @Test func filesAreTheOwnersOnly() async throws {
    try await withStore { store, path in
      try store.createOrganization("clinic")
      for file in [path, path + "-wal", path + "-shm"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
      }
    }
  }

  @Test func tokensAreStoredAsDigestsOnly() async throws {
    try await withStore { store, path in
      let organizationToken = try store.createOrganization("clinic")
      let (_, token) = try store.createUser(organization: "clinic", uid: "anna")
      #expect(token.utf8.count == 64)
      #expect(token != organizationToken)
      for file in [path, path + "-wal"] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.range(of: Data(token.utf8)) == nil)
        #expect(bytes.range(of: Data(organizationToken.utf8)) == nil)
      }
      let wanted = try #require(AccessToken(presented: token))
      #expect(try await store.account(token: wanted)?.uid == "anna")
      #expect(try await store.account(token: AccessToken()) == nil)
    }
  }

  @Test func digestComparisonNeedsEveryByte() throws {
    let digest = try #require(AccessToken(presented: "abc")).digest
    #expect(digest.matches(digest.bytes))
    #expect(!digest.matches(Array(digest.bytes.dropLast())))
    for index in digest.bytes.indices {
      var other = digest.bytes
      other[index] ^= 1
      #expect(!digest.matches(other))
    }
  }

  @Test func accountsHaveTypedErrors() async throws {
    func code(_ body: () throws(ReceiverError) -> Void) -> ReceiverError.Code? {
      do {
        try body()
        return nil
      } catch {
        return error.code
      }
    }
    let token = "a-token-of-some-length"
    try await withStore { store, _ in
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "anna") } == .notFound)
      try store.createOrganization("clinic")
      #expect(code { () throws(ReceiverError) in try store.createOrganization("clinic") } == .alreadyExists)
      try store.createUser(organization: "clinic", uid: "anna", token: token)
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "anna") }
          == .alreadyExists)
      #expect(
        code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "bert", token: token) }
          == .tokenInUse)
      for id in ["", "a/b", "a b", "..", String(repeating: "x", count: 129), "ä"] {
        #expect(
          code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: id) }
            == .invalidIdentifier)
      }
      for weak in ["", "short", "has a space in the middle", String(repeating: "x", count: 513)] {
        #expect(
          code { () throws(ReceiverError) in try store.createUser(organization: "clinic", uid: "bert", token: weak) }
            == .invalidToken)
      }
      #expect(
        code { () throws(ReceiverError) in _ = try store.measurements(organization: "clinic", uid: "bert") }
          == .notFound)
      #expect(
        code { () throws(ReceiverError) in try store.setStatus(.suspended, organization: "clinic", uid: "bert") }
          == .notFound)
    }
  }

  @Test func replacedTokenIsRefused() async throws {
    try await withStore { store, _ in
      try store.createOrganization("clinic")
      let (account, old) = try store.createUser(organization: "clinic", uid: "anna")
      let new = try store.replaceToken(organization: "clinic", uid: "anna")
      #expect(try await store.account(token: #require(AccessToken(presented: old))) == nil)
      #expect(try await store.account(token: #require(AccessToken(presented: new)))?.id == account.id)
    }
  }

  @Test func startOptionsCanBeRepeatedAndChanged() async throws {
    try await withStore { store, _ in
      var seed = ReceiverConfiguration.Account(
        organization: "clinic", organizationToken: "organization-token-1", uid: "anna", token: "anna-token-0123456")
      try store.provision(seed)
      let first = try store.user(organization: "clinic", uid: "anna")
      try store.provision(seed)
      #expect(try store.user(organization: "clinic", uid: "anna") == first)
      seed.token = "anna-token-6543210"
      try store.provision(seed)
      #expect(try await store.account(token: AccessToken(chosen: "anna-token-0123456")) == nil)
      #expect(try await store.account(token: AccessToken(chosen: "anna-token-6543210"))?.id == first?.id)
      seed.uid = "bert"
      #expect(throws: ReceiverError.self) { try store.provision(seed) }
      #expect(try store.user(organization: "clinic", uid: "bert") == nil)
    }
  }

  @Test func organizationsOfStartOptionsGetTheirToken() async throws {
    try await withStore { store, _ in
      var seed = ReceiverConfiguration.Organization(id: "clinic", token: "organization-token-1")
      try store.provision(seed)
      try store.provision(seed)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-1")) == "clinic")
      try store.createUser(organization: "clinic", uid: "anna", token: "anna-token-0123456")
      seed.token = "organization-token-2"
      try store.provision(seed)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-1")) == nil)
      #expect(try await store.organization(token: AccessToken(chosen: "organization-token-2")) == "clinic")
      seed.token = "anna-token-0123456"
      let error = #expect(throws: ReceiverError.self) { try store.provision(seed) }
      #expect(error?.code == .tokenInUse)
    }
  }

  @Test(arguments: ["no/such/folder/receiver.sqlite", "garbage", ""])
  func unusableFilesAreTypedErrors(name: String) async throws {
    try await withTemporaryFolder { folder in
      try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: folder + "/garbage"))
      let error = try #require(throws: ReceiverError.self) { try ReceiverStore(path: folder + "/" + name) }
      #expect(error.code == .databaseFailure)
      #expect(error.message.contains(folder))
    }
  }

  @Test func databaseOfANewerVersionIsRefused() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/receiver.sqlite"
      let store = try ReceiverStore(path: path)
      try await store.pool.write {
        try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99 from the future')")
      }
      try store.close()
      let error = try #require(throws: ReceiverError.self) { try ReceiverStore(path: path) }
      #expect(error.code == .databaseTooNew)
    }
  }

  @Test func whatBeganBeforeADeletionFindsNobodyElse() async throws {
    try await withStore { store, _ in
      try store.createOrganization("clinic")
      let gone = try store.createUser(organization: "clinic", uid: "anna").account
      try store.deleteUser(organization: "clinic", uid: "anna")
      let next = try store.createUser(organization: "clinic", uid: "anna").account
      #expect(next.number > gone.number)
      let valid = try RecordValidator(vocabulary: .standard).validate(.object(measurementObject()))
      let error = await #expect(throws: ReceiverError.self) { try await store.store([valid], for: gone) }
      #expect(error?.code == .notFound)
      #expect(try store.records(organization: "clinic", uid: "anna").isEmpty)
    }
  }

  @Test func recordsOfAnOlderDatabaseAreKept() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/receiver.sqlite"
      let old = try DatabaseQueue(path: path)
      try ReceiverSchema.migrator.migrate(old, upTo: "1 accounts and measurements")
      let valid = try RecordValidator(vocabulary: .standard).validate(.object(measurementObject()))
      try await old.write { database in
        try database.execute(
          sql: """
            INSERT INTO organization VALUES ('clinic', 1, x'00', 5);
            INSERT INTO account VALUES (7, 'a', 'clinic', 'anna', 2, x'01', 'suspended', 5, 6);
            """)
        try database.execute(
          sql: "INSERT INTO measurement VALUES (3, 'm', 7, ?, 4, ?, ?, ?, 8, 9)",
          arguments: [valid.logID, valid.checksum, valid.content, valid.startTime.milliseconds])
      }
      try old.close()
      let store = try ReceiverStore(path: path)
      let account = try #require(try store.user(organization: "clinic", uid: "anna"))
      #expect(account.status == .suspended)
      let stored = try #require(try store.measurements(organization: "clinic", uid: "anna").first)
      #expect(stored.id == "m")
      #expect(stored.revision == 4)
      #expect(stored.content == valid.content)
      #expect(stored.createdAt == "1970-01-01T00:00:00.008Z")
      // The next number is above all that were there.
      _ = try await store.store([valid], for: account)
      #expect(
        try await store.pool.read { try Int.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'record'") }
          == 3)
      try store.close()
    }
  }
}
