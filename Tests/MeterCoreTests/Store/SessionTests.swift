import Foundation
import GRDB
import RecordSupport
import Synchronization
import TestSupport
import Testing

@testable import MeterCore

@Suite("Sessions")
struct SessionTests {
  let folder: TemporaryFolder
  let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  @Test("of the same user keep queue and generation, and take the new token")
  func sameUser() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1)])])
    let (second, ended) = try store.startSession(Fixture.user, token: AccessToken("new"))
    #expect(ended == nil)
    #expect(second.generation == first.generation)
    #expect(try store.queueSnapshot().count == 1)
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 1).first?.token == AccessToken("new"))
  }

  @Test("of another user end the first, whose unsynced records go to a recovery file")
  func otherUser() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([
      Fixture.unit(first.generation, [Fixture.glucose(1)]),
      Fixture.unit(first.generation, [Fixture.glucose(2)], disposition: .held(.clockSuspect)),
      Fixture.unit(first.generation, [Fixture.glucose(3)]),
    ])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    _ = try store.resolve(ticket, .delivered(receiverID: nil))
    let (second, ended) = try store.startSession(Fixture.otherUser, token: Fixture.token)
    #expect(second.user == Fixture.otherUser)
    #expect(second.generation != first.generation)
    #expect(try store.queueSnapshot().isEmpty)
    #expect(ended?.user == Fixture.user)
    #expect(try ended?.entries().map(\.state) == [.held, .pending])
    let file = try #require(ended?.recoveryFile)
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text.contains(Fixture.glucose(2).logID.description))
    #expect(text.contains(Fixture.glucose(3).logID.description))
    #expect(!text.contains(Fixture.glucose(1).logID.description), "what was delivered is not unsynced")
    #expect(!text.contains(Fixture.token.secret))
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("that end forget what was not delivered, so that the user's next read brings it again, and only that")
  func afterEnd() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let ticket = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    _ = try store.resolve(ticket, .delivered(receiverID: nil))
    try store.endSession()
    #expect(try store.endSession() == nil)
    let second = try store.startSession(Fixture.user, token: Fixture.token).session
    let receipt = try store.commit([Fixture.unit(second.generation, [Fixture.glucose(1), Fixture.glucose(2)])])[0]
    #expect(receipt.duplicates == [Fixture.glucose(1).logID])
    #expect(receipt.new.map(\.record.logID) == [Fixture.glucose(2).logID])
  }

  @Test("go on when the recovery file cannot be written")
  func noRecoveryFile() throws {
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(session.generation, [Fixture.glucose(1)])])
    // A file where the folder should be.
    try Data().write(to: folder.state.appendingPathComponent("recovery"))
    #expect(throws: StoreError.self) { try store.endSession() }
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.queueSnapshot().count == 1)
    try FileManager.default.removeItem(at: folder.state.appendingPathComponent("recovery"))
    #expect(try store.endSession()?.unsynced == 1)
  }

  @Test("that cannot end send again what was on its way")
  func failedEnd() throws {
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    let record = CommitRecord(record: Fixture.glucose(1), disposition: .pending)
    let image = CommitImage(logID: Fixture.glucose(1).logID, image: try Fixture.image(1))
    _ = try store.commit([
      CommitUnit(generation: session.generation, records: [record], images: [image]),
      Fixture.unit(session.generation, [Fixture.glucose(2)]),
    ])
    let first = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 1).first)
    #expect(try store.resolve(first, .delivered(receiverID: "r")))
    let flying = try #require(try store.claim(sink: MeterStore.defaultSink, limit: 9).first)
    #expect(try store.claimImage(sink: MeterStore.defaultSink, excluding: []) != nil)
    // A file where the folder should be.
    try Data().write(to: folder.state.appendingPathComponent("recovery"))
    #expect(throws: StoreError.self) { try store.endSession() }
    #expect(try !store.resolve(flying, .delivered(receiverID: "r")), "an answer of the generation before")
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.record.logID) == [Fixture.glucose(2).logID])
    #expect(try store.claimImage(sink: MeterStore.defaultSink, excluding: []) != nil)
  }

  @Test("are not needed to read, but nothing read without one is delivered, nor hidden from a later user")
  func defaultUser() throws {
    let none = try store.currentSession()
    #expect(none.user == nil)
    let receipt = try store.commit([
      Fixture.unit(none.generation, [Fixture.glucose(1)], writes: [StorageWrite(key: "user/cursor", value: [9])])
    ])[0]
    #expect(receipt.new.first?.disposition == .held(.noSession))
    let session = try store.startSession(Fixture.user, token: Fixture.token).session
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).isEmpty)
    #expect(try store.storage(generation: session.generation, family: "glucose", meter: Fixture.meter).isEmpty)
    let again = try store.commit([Fixture.unit(session.generation, [Fixture.glucose(1)])])[0]
    #expect(again.new.first?.disposition == .pending)
    try store.endSession()
    #expect(try store.queueSnapshot().map(\.reason) == ["no_session"], "the default user's readings stay")
  }

  @Test(
    "keep the user's zone however the one before has ended, and nobody else's",
    arguments: [HostEvent.EndReason.asked, .tokenRefused, .otherUser])
  func zoneOfTheUser(reason: HostEvent.EndReason) throws {
    let berlin = SessionOptions(zone: "Europe/Berlin")
    _ = try store.startSession(Fixture.user, token: Fixture.token, options: berlin)
    switch reason {
    case .asked: try store.endSession()
    case .tokenRefused:
      let serial = try #require(try store.credential()).tokenSerial
      #expect(try store.endSession(refusedToken: serial) != nil)
    default: break
    }
    let other = try store.startSession(Fixture.otherUser, token: Fixture.token).session
    #expect(other.options.zone == nil)
    try store.endSession()
    #expect(try store.currentSession().options == SessionOptions())
    let again = try store.startSession(Fixture.user, token: Fixture.token).session
    #expect(again.options.zone == "Europe/Berlin")
    let tokyo = SessionOptions(zone: "Asia/Tokyo")
    let moved = try store.startSession(Fixture.user, token: Fixture.token, options: tokyo).session
    #expect(moved.options.zone == "Asia/Tokyo")
    try store.endSession()
    #expect(try store.startSession(Fixture.user, token: Fixture.token).session.options.zone == "Asia/Tokyo")
  }

  @Test("never show their token")
  func tokens() throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let credential = try #require(try store.credential())
    var dumped = ""
    dump(credential, to: &dumped)
    let texts = [dumped, "\(credential)", "\(Fixture.token)", String(reflecting: Fixture.token)]
    for text in texts { #expect(!text.contains("sesame")) }
  }

  @Test("are not ended by the refusal of an earlier token")
  func earlierToken() throws {
    _ = try store.startSession(Fixture.user, token: Fixture.token)
    let serial = try #require(try store.credential()).tokenSerial
    _ = try store.startSession(Fixture.user, token: AccessToken("new"))
    #expect(try store.endSession(refusedToken: serial) == nil)
    #expect(try store.currentSession().user == Fixture.user)
    let current = try #require(try store.credential()).tokenSerial
    #expect(try store.endSession(refusedToken: current)?.user == Fixture.user)
  }

  @Test("that have just started are not ended by what was left of an earlier end")
  func lateEnd() throws {
    let first = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1)])])
    let row = try store.transaction { db in
      try db.execute(sql: "UPDATE session SET generation = generation + 1, ending = 'session-1.json'")
      return try SessionRow.fetch(db)
    }
    #expect(try store.finishEnding()?.recoveryFile != nil)
    let second = try store.startSession(Fixture.user, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(second.generation, [Fixture.glucose(2)])])
    #expect(try store.transaction { db in try MeterStore.deleteSession(db, row) } == false)
    #expect(try store.currentSession().user == Fixture.user)
    #expect(try store.queueSnapshot().map(\.logID) == [Fixture.glucose(2).logID])
    // Nor does an end that has begun since belong to the one that is over.
    try store.transaction { db in try db.execute(sql: "UPDATE session SET ending = 'session-2.json'") }
    #expect(try store.transaction { db in try MeterStore.deleteSession(db, row) } == false)
    #expect(try store.finishEnding()?.entries().map(\.logID) == [Fixture.glucose(2).logID])
  }

  @Test("outlive the refusal of their earlier token, whenever that comes", .timeLimit(.minutes(60)))
  func refusalMeetsStart() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    for round in 0..<150 {
      _ = try store.startSession(Fixture.user, token: Fixture.token)
      let serial = try #require(try store.credential()).tokenSerial
      // Before the start it ends the session, which then begins anew; after it, it ends nothing.
      async let refusal = onOwnThread { try store.endSession(refusedToken: serial) }
      async let start = onOwnThread { try store.startSession(Fixture.user, token: AccessToken("new")) }
      _ = try await (refusal, start)
      #expect(try store.currentSession().user == Fixture.user, "round \(round)")
      #expect(try store.credential()?.token == AccessToken("new"), "round \(round)")
    }
  }

  @Test("leave every reading in the queue or in a file when they end from several sides", .timeLimit(.minutes(60)))
  func endsMeet() async throws {
    // Where syncing costs nothing.
    let folder = try TemporaryFolder(inMemory: true)
    let store = try MeterStore(folder: folder.state)
    let end = End()
    let names = (1...20).map { Fixture.glucose($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await onOwnThread { while !end.isOver.withLock({ $0 }) { try store.endSession() } }
        }
      }
      group.addTask {
        try await onOwnThread {
          defer { end.isOver.withLock { $0 = true } }
          for record in names {
            while try !Self.isCommitted(record, store) {}
          }
        }
      }
      try await group.waitForAll()
    }
    var kept = try Set(store.queueSnapshot().map(\.logID))
    let files = folder.state.appending(path: "recovery")
    for file in try FileManager.default.contentsOfDirectory(at: files, includingPropertiesForKeys: nil) {
      try RecoveryReader(file).forEachReading { kept.insert($0.record.logID) }
    }
    #expect(kept == Set(names.map(\.logID)))
  }

  private final class End: Sendable {
    let isOver = Mutex(false)
  }

  /// False when the session has ended before the commit.
  private static func isCommitted(_ record: MeterCore.Record, _ store: MeterStore) throws -> Bool {
    let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    do {
      _ = try store.commit([Fixture.unit(generation, [record])])
      return true
    } catch  where error.code == .staleGeneration {
      return false
    }
  }
}
