import Foundation
import GRDB
import Testing

@testable import MeterReceiver

extension ReceiverStore {
  /// The connections to the SQLite file.
  var pool: DatabasePool {
    get throws { try #require(database as? SQLiteDatabase).pool }
  }
}

/// What is particular to the receiver's SQLite file.
@Suite struct SQLiteStoreTests {
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
      for file in [path, path + "-wal"] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.range(of: Data(token.utf8)) == nil)
        #expect(bytes.range(of: Data(organizationToken.utf8)) == nil)
      }
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
