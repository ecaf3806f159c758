import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Damage must end in an error, never in the process, and never in an answer that looks like "nothing is there".
@Suite("Damage that hides", .timeLimit(.minutes(60)))
struct HidingDamageTests {
  /// What a host asks its folder, and whether the answer of the whole folder has something in it.
  private static let questions: [(name: String, isAnswered: @Sendable (MeterStore) throws -> Bool)] = [
    ("session", { try $0.currentSession().user != nil }),
    ("queue", { try !$0.queueSnapshot().isEmpty }),
    ("held", { try !$0.queueSnapshot(states: [.held]).isEmpty }),
    ("entry", { try !$0.queueEntry(DamagedFolder.readings[0].logID).isEmpty }),
    ("tally", { try !$0.tally().isEmpty }),
    ("usage", { try $0.usage().records > 0 }),
    ("claim", { try !$0.claim(sink: MeterStore.defaultSink, limit: 3).isEmpty }),
  ]

  /// What is asked for its crash alone: whole, it may have nothing in it.
  private func askTheRest(_ store: MeterStore) throws {
    _ = try store.meters()
    _ = try store.offences()
    _ = try store.credentials()
    _ = try store.events(after: 0)
    _ = try store.sinks()
    _ = try store.imageSnapshot()
    _ = try store.sinkWaits()
    _ = try store.clockSkews()
    _ = try store.awaitingWord()
    _ = try store.isPaused()
    _ = try store.correctTimes()
    _ = try store.storage(
      generation: store.currentSession().generation, family: "glucose", meter: Fixture.meter)
  }

  @Test("no bit of any page ends the process or empties an answer without a word")
  func everyPage() async throws {
    let whole = try DamagedFolder.whole.get()
    let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
    var generator = SeededGenerator(seed: 17)
    for page in 1...whole.pageCount {
      for trial in 0..<(isNightly ? 64 : 3) {
        let place = (page - 1) * DamagedFolder.pageSize + Int.random(in: 0..<DamagedFolder.pageSize, using: &generator)
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
        let damaged = try DamagedFolder(whole) { $0[place] ^= bit }
        try ask(damaged, "page \(page), trial \(trial), byte \(place), bit \(bit)")
        // Other tests need the threads that tests share.
        await Task.yield()
      }
    }
  }

  private func ask(_ damaged: DamagedFolder, _ place: String) throws {
    let store: MeterStore
    do throws(StoreError) { store = try MeterStore(folder: damaged.folder.whenFree()) } catch {
      return expectClean(error, place)
    }
    var silent: [String] = []
    for question in Self.questions {
      do {
        if try !question.isAnswered(store) { silent.append(question.name) }
      } catch { expectClean(error, place) }
    }
    do { try askTheRest(store) } catch { expectClean(error, place) }
    guard !silent.isEmpty else { return }
    // What is found by nobody who asks for it is found by who looks for damage.
    let found = (try? store.damage()).map { !$0.isEmpty } ?? true
    #expect(found, "\(place): \(silent) is empty")
  }

  /// An error is one of the store's, and says nothing of a person.
  private func expectClean(_ error: any Error, _ place: String) {
    let error = error as? StoreError
    #expect(error != nil, "\(place)")
    let text = "\(error.map { "\($0)" } ?? "")"
    #expect(!text.contains(Fixture.user.userID + ":") && !text.contains("user:"), "\(place): \(text)")
  }

  @Test(
    "a letter in the text of the tables is damage, and repair keeps every reading",
    arguments: [
      ("session", "user_id"), ("session", "token_serial"), ("record", "log_id"), ("delivery", "state"),
      ("delivery", "sink"), ("credential", "scope"), ("storage", "value"), ("setting", "name"), ("session", "TABLE"),
    ])
  func letter(_ table: String, _ word: String) throws {
    let whole = try DamagedFolder.whole.get()
    let damaged = try DamagedFolder(whole) { bytes in
      var start = bytes.startIndex
      // An earlier place of the text may be left in a page.
      while let text = bytes.range(of: Data("CREATE TABLE \(table) (".utf8), in: start..<bytes.endIndex),
        let letters = bytes.range(of: Data(word.utf8), in: text.lowerBound..<bytes.endIndex)
      {
        bytes[letters.lowerBound + 1] ^= 1
        start = text.upperBound
      }
    }
    try #require(try Data(contentsOf: damaged.database) != whole.database)
    let error = #expect(throws: StoreError.self) { try MeterStore(folder: damaged.folder.whenFree()) }
    #expect([.corrupt, .newerVersion].contains(error?.code), "\(String(describing: error))")
    let repair = try MeterStore.repair(folder: damaged.folder.whenFree())
    #expect(repair.lost.isEmpty && !repair.lostSession, "\(repair)")
    let store = try MeterStore(folder: damaged.folder.whenFree())
    #expect(try store.queueSnapshot().count == whole.records.count)
    #expect(try store.currentSession().user == Fixture.user)
  }

  @Test("a value of another type is an error that names its column and nothing of its row")
  func types() throws {
    let row = try DatabaseQueue().read { db in
      try Row.fetchOne(db, sql: "SELECT 'user:6:clinic:ada' AS number, NULL AS text, 300 AS small")
    }
    let found = try #require(row)
    let errors = [
      #expect(throws: StoreError.self) { _ = try found.stored("number") as Int64 },
      #expect(throws: StoreError.self) { _ = try found.stored("text") as String },
      #expect(throws: StoreError.self) { _ = try found.stored("small") as UInt8 },
      #expect(throws: StoreError.self) { _ = try found.stored("absent") as Data },
    ]
    for (error, column) in zip(errors, ["number", "text", "small", "absent"]) {
      #expect(error?.code == .corrupt && error?.cause?.contains(column) == true)
      #expect("\(String(describing: error))".contains("ada") == false)
    }
    let scalar = #expect(throws: (any Error).self) {
      try DatabaseQueue().read { db in try UUID.fetchOne(db, sql: "SELECT 'user:6:clinic:ada'") }
    }
    let mapped = try StoreError.mapping(#require(scalar))
    #expect(mapped.code == .corrupt && !"\(mapped)".contains("ada"))
  }

  @Test("a reading under a name that nobody has is not an empty queue, nor one of a lost count")
  func hidden() throws {
    for damage in ["UPDATE record SET owner = 'usdr'", "UPDATE tally SET entries = entries + 1"] {
      let folder = try TemporaryFolder(inMemory: true)
      let store = try MeterStore(folder: folder.state)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
      try store.database.write { db in try db.execute(sql: damage) }
      if damage.contains("owner") {
        #expect(throws: StoreError.self) { try store.queueSnapshot() }
        #expect(throws: StoreError.self) { try store.claim(sink: MeterStore.defaultSink, limit: 1) }
      }
      #expect(try !store.damage().isEmpty)
    }
  }
}
