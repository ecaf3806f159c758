import Foundation
import GRDB
import HostPrimitives
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A key of a driver that Swift cannot tell from another one is another one to SQLite and to the driver.
@Suite("Stored keys that look the same", .timeLimit(.minutes(10)))
struct ExactKeyTests {
  private static let composed = "user/jos\u{E9}"
  private static let decomposed = "user/jose\u{301}"

  @Test("are two, whether they are secrets or not")
  func two() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let secrets = [Self.composed, Self.decomposed].map { $0.replacing("user/", with: "meter/secret/") }
    let keys = [Self.composed, Self.decomposed] + secrets
    _ = try store.commit([
      Fixture.unit(
        generation, [], writes: zip(keys, UInt8(1)...4).map { StorageWrite(key: $0, value: [$1]) })
    ])
    let kept = try store.storageKeys(generation: generation, family: "glucose", meter: Fixture.meter)
    #expect(kept == [ExactText(keys[0]): [1], ExactText(keys[1]): [2]])
    let hidden = try store.secretKeys(generation: generation, family: "glucose", meter: Fixture.meter)
    #expect(hidden.mapValues(\.bytes) == [ExactText(keys[2]): [3], ExactText(keys[3]): [4]])
    // Whoever asks by texts that Swift compares gets one of them, and no crash.
    #expect(try store.storage(generation: generation, family: "glucose", meter: Fixture.meter).count == 1)
  }

  @Test("of secrets are encrypted, whatever letter their bytes begin with")
  func secret() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let key = "user/secret/\u{301}key"
    let value: [UInt8] = Array("a secret of a driver".utf8)
    _ = try store.commit([Fixture.unit(generation, [], writes: [StorageWrite(key: key, value: value)])])
    let stored = try store.reading { db in
      try [UInt8](Data.fetchOne(db, sql: "SELECT value FROM storage WHERE key = ?", arguments: [key]) ?? Data())
    }
    #expect(!stored.isEmpty && stored != value)
    let kept = try store.secretKeys(generation: generation, family: "glucose", meter: Fixture.meter)
    #expect(kept[ExactText(key)]?.bytes == value)
    #expect(!StorageWrite.isResumeCursor(key))
  }

  @Test("of secrets that an earlier version kept in the clear are nobody's secret, and keep no meter from being read")
  func leftInTheClear() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    let keys = ["user/secret/\u{301}x", "meter/secret/\u{301}x", "user/secret/\u{301}y"]
    let ordinary = "user/secret/\u{E9}"
    func write(_ keys: [String]) throws {
      _ = try store.commit([Fixture.unit(generation, [], writes: keys.map { StorageWrite(key: $0, value: [7]) })])
    }
    func replace(_ key: String, _ bytes: [UInt8]) throws {
      try store.writing { db in
        try db.execute(sql: "UPDATE storage SET value = ? WHERE key = ?", arguments: [Data(bytes), key])
      }
    }
    try write(keys + [ordinary])
    // A plain value, and ones that begin as sealed ones do.
    let plain: [[UInt8]] = [
      Array("a".utf8), [1, 1] + Array(repeating: 7, count: 7), [1, 1] + Array(repeating: 7, count: 40),
    ]
    for (key, bytes) in zip(keys, plain) { try replace(key, bytes) }
    func kept() throws -> [ExactText: [UInt8]] {
      try store.secretKeys(generation: generation, family: "glucose", meter: Fixture.meter).mapValues(\.bytes)
    }
    #expect(try kept() == [ExactText(ordinary): [7]])
    #expect(try store.storageKeys(generation: generation, family: "glucose", meter: Fixture.meter).isEmpty)
    try write(keys)
    #expect(try kept().count == 4)
    try replace(ordinary, [1, 1])
    #expect(throws: StoreError.self) { try kept() }
  }

  @Test("of secrets that were left in the clear need no key, so one is made for the first real secret")
  func noKeyNeeded() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    try store.writing { db in
      try db.execute(
        sql: "INSERT INTO storage (owner, family, meter, key, value) VALUES ('', 'glucose', ?, ?, x'61')",
        arguments: [Fixture.meter.storageKey, "meter/secret/\u{301}x"])
    }
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    #expect(try store.secretKeys(generation: session.generation, family: "glucose", meter: Fixture.meter).isEmpty)
  }
}
