import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// What a session's end has left comes back for the same user, once, under its own name.
@Suite("Recovery files")
struct RecoveryTests {
  let folder: TemporaryFolder
  let store: MeterStore

  init() throws {
    folder = try TemporaryFolder()
    store = try MeterStore(folder: folder.state)
  }

  @discardableResult
  func start(_ user: SessionUser = Fixture.user) throws -> SessionGeneration {
    try store.startSession(user, token: Fixture.token).session.generation
  }

  func commit(
    _ records: [MeterCore.Record], _ disposition: Disposition = .pending, images: [CommitImage] = []
  ) throws -> CommitReceipt {
    let generation = try store.currentSession().generation
    let records = records.map { CommitRecord(record: $0, disposition: disposition) }
    return try store.commit([CommitUnit(generation: generation, records: records, images: images)])[0]
  }

  func end() throws -> URL { try #require(try store.endSession()?.recoveryFile) }

  func deliver(_ sink: String = MeterStore.defaultSink) throws -> [LogID] {
    let tickets = try store.claim(sink: sink, limit: 99)
    _ = try store.resolve(tickets.map { ($0, .delivered(receiverID: "r")) })
    return tickets.map(\.record.logID)
  }

  func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  @Test("bring every reading back in its state, and bring nothing when it is done again")
  func states() throws {
    try start()
    _ = try commit([Fixture.glucose(1), Fixture.glucose(2)])
    _ = try commit([Fixture.glucose(3)], .held(.implausibleValue))
    _ = try commit([Fixture.glucose(4)], .excluded(.controlSolution))
    let dead = try store.claim(sink: MeterStore.defaultSink, limit: 1)
    _ = try store.resolve(dead[0], .dead(reason: "http-400", error: "no"))
    let file = try end()
    try start()
    let summary = try store.recover(file)
    #expect(summary.pending == [1, 2].map { Fixture.glucose($0).logID }, "what was refused is sent again")
    #expect(summary.held == [3, 4].map { Fixture.glucose($0).logID } && summary.known.isEmpty)
    #expect(try store.tally() == [.pending: 2, .held: 1, .excluded: 1])
    let held = try #require(try store.queueSnapshot(states: [.held]).first)
    #expect(held.record == Fixture.glucose(3) && held.reason == "implausible_value")
    let again = try store.recover(file)
    #expect(again.pending.isEmpty && again.held.isEmpty && again.known.count == 4)
    #expect(try deliver().count == 2)
    #expect(try store.recover(file).known.count == 4, "nor after delivery")
    #expect(FileManager.default.fileExists(atPath: file.path), "the file stays")
    // The meter brings the same readings: nothing new.
    #expect(try commit((1...4).map { Fixture.glucose($0) }).duplicates.count == 4)
  }

  @Test("a damaged reading keeps no session from ending and no other from coming back")
  func damagedReading() throws {
    try start()
    _ = try commit((1...3).map { Fixture.glucose($0) })
    let (unreadable, changed) = (Fixture.glucose(1).logID.description, Fixture.glucose(2).logID.description)
    try store.database.write { db in
      try db.execute(sql: "UPDATE record SET content = X'6e6f6e65' WHERE log_id = ?", arguments: [unreadable])
      try db.execute(
        sql:
          "UPDATE record SET content = CAST(replace(content, '\"mantissa\":', '\"mantissa\":9') AS BLOB) WHERE log_id = ?",
        arguments: [changed])
    }
    #expect(try store.queueSnapshot().count == 3)
    let file = try end()
    try start()
    let summary = try store.recover(file)
    #expect(summary.pending == [Fixture.glucose(3).logID] && summary.damaged == [unreadable, changed])
  }

  @Test("a person reads names, units and words in them, and the event says how many are of which type")
  func readable() throws {
    try start()
    _ = try commit([Fixture.glucose(1, context: [Fixture.beforeMeal])])
    let file = try end()
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let line = try #require(
      try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: [String: Any]])
    let reading = try #require(line["record"]?["reading"] as? [String: Any])
    #expect(reading["type"] as? String == "diabetes" && reading["time"] as? String == "2026-03-01T08:00:00+01:00")
    let values = try #require(reading["values"] as? [[String: String]])
    #expect(values[0] == ["metric": "blood_glucose", "value": "112", "unit": "mg/dL"])
    #expect(values[1]["unit"] == nil && Int(values[1]["value"] ?? "") == nil, "a word, and no code: \(values[1])")
    let told = try store.events(after: 0).events.compactMap { logged -> HostEvent.SessionEnd? in
      if case .sessionEnded(let end) = logged.event { end } else { nil }
    }
    #expect(told.map(\.unsyncedTypes) == [["diabetes": 1]])
  }

  @Test("an end that fails leaves no images behind")
  func failedEnd() throws {
    try start()
    let name = Fixture.glucose(1).logID
    _ = try commit([Fixture.glucose(1)], images: [CommitImage(logID: name, image: Fixture.image(1))])
    try store.database.write { db in
      // The second line of the images cannot be written.
      try db.execute(sql: "INSERT INTO media_delivery (media, sink, state) VALUES (1, 'zz', 'pending')")
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
      try db.execute(sql: "UPDATE media_delivery SET state = 'unknown' WHERE sink = 'zz'")
      try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
    }
    #expect(code { try store.endSession() } == .corrupt)
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.state.appending(path: "recovery").path)
    #expect(kept.isEmpty, "\(kept)")
    #expect(try store.currentSession().user == Fixture.user)
  }

  @Test("belong to their user: nobody else gets them, and nobody without a session")
  func otherUser() throws {
    try start()
    _ = try commit([Fixture.glucose(1)])
    let file = try end()
    #expect(code { _ = try store.recover(file) } == .otherUser)
    try start(Fixture.otherUser)
    #expect(code { _ = try store.recover(file) } == .otherUser)
    try start(SessionUser(userID: Fixture.user.userID, organizationID: "hospital"))
    #expect(code { _ = try store.recover(file) } == .otherUser)
    #expect(try store.queueSnapshot().isEmpty)
    try start()
    #expect(try store.recover(file).pending.count == 1)
  }

  @Test("what the meter has brought again meanwhile is there once")
  func reread() throws {
    try start()
    _ = try commit([Fixture.glucose(1), Fixture.glucose(2)])
    let file = try end()
    try start()
    _ = try commit([Fixture.glucose(1)])
    #expect(try deliver().count == 1)
    let summary = try store.recover(file)
    #expect(summary.known == [Fixture.glucose(1).logID] && summary.pending == [Fixture.glucose(2).logID])
    #expect(try deliver() == [Fixture.glucose(2).logID])
  }

  @Test("keep the revision that a receiver may have seen")
  func revisions() throws {
    try start()
    _ = try commit([Fixture.glucose(1)])
    _ = try commit([Fixture.glucose(1, context: [Fixture.beforeMeal])])
    let file = try end()
    try start()
    _ = try store.recover(file)
    #expect(try store.queueSnapshot().map(\.revision) == [2])
    // Under an older file, a newer content stays.
    #expect(try store.recover(file).known.count == 1)
  }

  @Test("an older content does not replace a newer one")
  func older() throws {
    try start()
    _ = try commit([Fixture.glucose(1)])
    let file = try end()
    try start()
    _ = try commit([Fixture.glucose(1, context: [Fixture.beforeMeal])])
    let summary = try store.recover(file)
    #expect(summary.known == [Fixture.glucose(1).logID] && summary.pending.isEmpty)
    #expect(try store.queueSnapshot().compactMap(\.record?.values.count) == [2])
  }

  @Test("another reading under the name waits for a person")
  func collision() throws {
    try start()
    _ = try commit([Fixture.glucose(1)])
    _ = try commit([Fixture.glucose(1, context: [Fixture.beforeMeal])])
    let file = try end()
    try start()
    _ = try commit([Fixture.glucose(1, mantissa: 300)])
    let summary = try store.recover(file)
    #expect(summary.held == [Fixture.glucose(1).logID] && summary.pending.isEmpty)
    let entries = try store.queueSnapshot()
    #expect(entries.map(\.state).sorted { $0.rawValue < $1.rawValue } == [.held, .pending])
    #expect(entries.first { $0.state == .held }?.reason == "identity_collision")
  }

  @Test("go to the sinks that had not accepted them, as far as they are there")
  func sinks() throws {
    let generation = try start()
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1), Fixture.glucose(2)])])
    let first = try store.claim(sink: MeterStore.defaultSink, limit: 1)
    _ = try store.resolve(first[0], .delivered(receiverID: "r"))
    let file = try end()
    try start()
    // The first reading was for the second receiver only, which is not there any more.
    let summary = try store.recover(file)
    #expect(summary.known.isEmpty && summary.pending == [Fixture.glucose(2).logID])
    #expect(summary.unplaced == [1, 2].map { Fixture.glucose($0).logID } && summary.missingSinks == ["research"])
    try store.setSink("research", .unknown([1]), token: Fixture.token)
    #expect(try store.recover(file).pending == [Fixture.glucose(1).logID])
    #expect(try store.claim(sink: MeterStore.defaultSink, limit: 9).map(\.record.deviceSequence) == [2])
    #expect(try store.claim(sink: "research", limit: 9).map(\.record.deviceSequence) == [1])
  }

  @Test("images come back, too, and one that was changed does not")
  func images() throws {
    try start()
    let pictures = try (1...3).map { try Fixture.image($0) }
    let name = Fixture.glucose(1).logID
    _ = try commit([Fixture.glucose(1)], images: pictures.map { CommitImage(logID: name, image: $0) })
    let file = try end()
    try start()
    let kept = try Fixture.images(of: file)
    let folder = file.deletingLastPathComponent()
    try Data([0xFF, 0xD8, 0xFF, 9]).write(to: folder.appending(path: kept[0].file))
    try FileManager.default.removeItem(at: folder.appending(path: kept[1].file))
    let summary = try store.recover(file)
    #expect(summary.pending == [name] && summary.images == 1 && summary.imageProblems.count == 2)
    #expect(try store.imageSnapshot().map(\.checksum) == [pictures[2].checksum])
    #expect(try store.imageSnapshot().map(\.state) == [.waiting])
    #expect(try store.recover(file).images == 0)
  }

  @Test("a file that is none is refused with its place, and nothing of it is taken")
  func damage() throws {
    try start()
    _ = try commit((1...40).map { Fixture.glucose($0) })
    let file = try end()
    try start()
    let whole = try Data(contentsOf: file)
    let copy = folder.url.appending(path: "copy.json")
    #expect(code { _ = try store.recover(copy) } == .recoveryFile)
    var generator = SeededGenerator(seed: 7)
    for text in ["", "{}", "[]", "null", #"{"version":2,"user":{},"entries":[]}"#] {
      try Data(text.utf8).write(to: copy)
      #expect(code { _ = try store.recover(copy) } == .recoveryFile)
    }
    for _ in 0..<200 {
      var bytes = Array(whole)
      for _ in 0..<3 { bytes[.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator) }
      bytes.removeLast(.random(in: 0..<bytes.count / 2, using: &generator))
      try Data(bytes).write(to: copy)
      #expect(code { _ = try store.recover(copy) } == .recoveryFile)
    }
    #expect(try store.queueSnapshot().isEmpty)
    #expect(try store.recover(file).pending.count == 40)
  }

  @Test("the end of a session is told, whatever ended it")
  func told() async throws {
    let ends = store.endedSessions()
    try start()
    _ = try commit([Fixture.glucose(1)])
    try start(Fixture.otherUser)
    try store.endSession()
    var found: [EndedSession] = []
    for await ended in ends {
      found.append(ended)
      if found.count == 2 { break }
    }
    #expect(found.map(\.user) == [Fixture.user, Fixture.otherUser])
    #expect(found.map(\.unsynced) == [1, 0] && found[0].recoveryFile != nil)
  }
}
