import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

@Suite("What is known of meters when a session ends (C4)")
struct ForgetMetersTests {
  let folder: TemporaryFolder
  let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  /// Starts a session and leaves something of every kind.
  private func fill() throws -> SessionGeneration {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.assignment(of: Fixture.meter, generation: generation, AssignmentRequest(nowMicroseconds: 100))
    let writes = ["meter/epoch", "meter/secret/key", "user/cursor"].map { StorageWrite(key: $0, value: [1]) }
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)], writes: writes)])
    try store.setBond([2], with: "A")
    try store.setCached([3], "gatt", address: "A")
    for scope in [CredentialScope.gateway, .peripheral(7), .meter(UUID())] {
      try store.setCredential([4], name: "licence", scope: scope)
    }
    return generation
  }

  private func kept() throws -> Set<String> {
    var kept = Set(try store.credentials().map(\.scope.name))
    if try store.bond(with: "A") != nil { kept.insert("bond") }
    if try store.cached("gatt", address: "A") != nil { kept.insert("cache") }
    let session = try store.startSession(Fixture.otherUser, token: Fixture.token).session
    kept.formUnion(
      try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter).keys)
    kept.formUnion(
      try store.secrets(generation: session.generation, family: "glucose", meter: Fixture.meter).keys)
    let granted = try store.assignment(
      of: Fixture.meter, generation: session.generation,
      AssignmentRequest(wantsHistory: true, nowMicroseconds: 200))
    if granted.assignment?.othersMicroseconds.isEmpty == false { kept.insert("assignment") }
    return kept
  }

  @Test("stays, for it is the gateway's")
  func stays() throws {
    _ = try fill()
    _ = try store.endSession()
    #expect(
      try kept() == [
        "gateway", "peripheral", "meter", "bond", "cache", "meter/epoch", "meter/secret/key", "assignment",
      ])
  }

  @Test("goes when that is asked for, and only what is of single meters")
  func goes() throws {
    _ = try fill()
    let ended = try #require(try store.endSession(forgettingMeters: true))
    #expect(ended.unsynced == 1 && ended.recoveryFile != nil, "readings are kept all the same")
    #expect(try kept() == ["gateway", "peripheral"])
  }

  @Test("goes also when the process dies in the middle of the end, and stays when the end fails")
  func interrupted() throws {
    _ = try fill()
    // The folder of recovery files cannot be made: the session goes on, and so does what is known.
    let recovery = folder.state.appending(path: RecoveryFile.folder)
    try Data().write(to: recovery)
    #expect(throws: StoreError.self) { try store.endSession(forgettingMeters: true) }
    try FileManager.default.removeItem(at: recovery)
    #expect(try store.currentSession().user == Fixture.user)
    _ = try store.endSession()
    #expect(try store.bond(with: "A") == [2], "the end that failed asks for nothing any more")
    _ = try fill()
    try store.transaction { db in
      try db.execute(sql: "UPDATE session SET generation = generation + 1, ending = 'e.jsonl', forgets_meters = 1")
    }
    #expect(try store.finishEnding() != nil)
    #expect(try kept() == ["gateway", "peripheral"])
  }
}
