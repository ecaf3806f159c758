import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Ids that a person cannot tell apart and that differ in their bytes: the database and the receivers tell them apart.
@Suite("Users whose ids look the same")
struct ExactUserTests {
  struct Pair: Sendable, CustomTestStringConvertible {
    let first: SessionUser
    let second: SessionUser
    var testDescription: String { "\(Array(first.ownerKey.utf8).count) and \(Array(second.ownerKey.utf8).count) bytes" }

    static let all = [
      Pair(
        first: SessionUser(userID: "jos\u{E9}", organizationID: "clinic"),
        second: SessionUser(userID: "jose\u{301}", organizationID: "clinic")),
      Pair(
        first: SessionUser(userID: "ada", organizationID: "\u{212A}linik"),
        second: SessionUser(userID: "ada", organizationID: "Klinik")),
    ]
  }

  private let folder: TemporaryFolder
  private let store: MeterStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try MeterStore(folder: folder.state)
  }

  @Test("are two users, and so are their tokens", arguments: Pair.all)
  func two(_ pair: Pair) {
    #expect(pair.first != pair.second && Set([pair.first, pair.second, pair.first]).count == 2)
    #expect(AccessToken("jos\u{E9}") != AccessToken("jose\u{301}"))
    #expect(Set([AccessToken("jos\u{E9}"), AccessToken("jose\u{301}")]).count == 2)
  }

  @Test("one's session ends for the other's, and what waits goes into its recovery file", arguments: Pair.all)
  func ends(_ pair: Pair) throws {
    let first = try store.startSession(pair.first, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let (second, ended) = try store.startSession(pair.second, token: AccessToken("another one"))
    #expect(second.generation != first.generation)
    #expect(ended?.unsynced == 2 && ended?.recoveryFile != nil)
    #expect(ended.map { Array($0.user.ownerKey.utf8) } == Array(pair.first.ownerKey.utf8))
    #expect(try store.queueSnapshot().isEmpty && store.damage().isEmpty)
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).isEmpty)
  }

  @Test("one's readings do not come back in the other's session", arguments: Pair.all)
  func recovers(_ pair: Pair) throws {
    let first = try store.startSession(pair.first, token: Fixture.token).session
    _ = try store.commit([Fixture.unit(first.generation, [Fixture.glucose(1)])])
    let file = try #require(try store.endSession()?.recoveryFile)
    _ = try store.startSession(pair.second, token: Fixture.token)
    let error = #expect(throws: StoreError.self) { try store.recover(file) }
    #expect(error?.code == .otherUser)
    #expect(try store.queueSnapshot().isEmpty)
    _ = try store.startSession(pair.first, token: Fixture.token)
    #expect(try store.recover(file).pending == [Fixture.glucose(1).logID])
  }

  @Test("a meter of one is not the other's", arguments: Pair.all)
  func assigns(_ pair: Pair) throws {
    let first = try store.startSession(pair.first, token: Fixture.token).session
    _ = try store.assignment(
      of: Fixture.meter, generation: first.generation, AssignmentRequest(nowMicroseconds: Fixture.morning))
    let second = try store.startSession(pair.second, token: Fixture.token).session
    let later = Fixture.morning + 1_000_000
    let granted = try store.assignment(
      of: Fixture.meter, generation: second.generation, AssignmentRequest(nowMicroseconds: later))
    #expect(granted.assignment?.sinceMicroseconds == later)
    #expect(granted.assignment?.othersMicroseconds == [Fixture.morning..<later])
  }

  @Test("a folder in which an earlier version has mixed them is told as damaged, and repair leaves each their own")
  func mixed() throws {
    let pair = Pair.all[0]
    let generation = try store.startSession(pair.first, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
    try store.transaction { db in
      try db.execute(sql: "UPDATE session SET user_id = ?", arguments: [pair.second.userID])
    }
    #expect(try !store.damage().isEmpty)
  }
}
