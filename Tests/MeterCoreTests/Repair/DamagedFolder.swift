import Foundation
import GRDB
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A state folder with readings in every state, to be damaged.
struct DamagedFolder {
  /// What stood in it when it was whole.
  struct Content {
    let database: Data
    /// The key of the secrets, which lies beside it.
    let key: Data
    /// The file that counts commits.
    let count: Data
    let records: [LogID: MeterCore.Record]
    let states: [LogID: [String]]
    /// The pages on which a reading's row stands, or begins.
    let pages: [LogID: Int]
    let pageCount: Int
  }

  static let pageSize = 4096
  static let whole = Result { try make() }

  /// Ninety readings, some with a text that needs pages of its own.
  static var readings: [MeterCore.Record] {
    (UInt64(1)...90).map { number in
      let time = Fixture.glucose(number)
      let note = number % 15 == 0 ? [RecordNote(field: 1, text: String(repeating: "note \(number) ", count: 900))] : []
      return MeterCore.Record(
        logID: time.logID, identityClass: .stored, type: .diabetes, time: time.time, deviceSequence: number,
        values: time.values, notes: note, source: Fixture.source)
    }
  }

  private static func make() throws -> Content {
    let folder = try TemporaryFolder(inMemory: true)
    do {
      let store = try MeterStore(folder: folder.state)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      for record in readings {
        let number = record.deviceSequence ?? 0
        let disposition: Disposition =
          number % 10 == 3 ? .held(.implausibleValue) : number % 10 == 7 ? .excluded(.controlSolution) : .pending
        _ = try store.commit([
          Fixture.unit(
            generation, [record], disposition: disposition,
            writes: [
              StorageWrite(key: "user/cursor", value: [UInt8(number)]), StorageWrite(key: "meter/key", value: [1, 2]),
              StorageWrite(key: "user/secret/pin", value: [9]),
            ])
        ])
      }
      try store.setCached([1, 2], "gatt", address: "A")
      try store.setPaused(true)
      _ = try store.discard([readings[4].logID], includingPending: true)
      try store.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    let file = folder.state.appendingPathComponent(MeterStore.fileName)
    let key = try Data(contentsOf: folder.state.appendingPathComponent("vault/key"))
    let count = try Data(contentsOf: folder.state.appendingPathComponent(CommitWitness.fileName))
    return try describe(Data(contentsOf: file), key, count, file.path)
  }

  private static func describe(_ database: Data, _ key: Data, _ count: Data, _ path: String) throws -> Content {
    let image = try DatabaseImage(path: path)
    let queue = try DatabaseQueue(path: path)
    return try queue.read { db in
      var records: [LogID: MeterCore.Record] = [:]
      var states: [LogID: [String]] = [:]
      var names: [Int64: LogID] = [:]
      for row in try Row.fetchAll(db, sql: "SELECT * FROM record JOIN delivery ON delivery.record = record.id") {
        let record = try RecordCoding.decode(row["content"])
        records[record.logID] = record
        states[record.logID] = [row["state"], row["reason"] ?? ""]
        names[row["id"]] = record.logID
      }
      let shape = try TableShape.all(db).first { $0.name == "record" }
      var pages: [LogID: Int] = [:]
      for number in 2...image.pageCount {
        for row in TreePage(number, in: image)?.rows ?? [] where shape?.fits(row) == true {
          if let name = row.rowid.flatMap({ names[$0] }) { pages[name] = number }
        }
      }
      return Content(
        database: database, key: key, count: count, records: records, states: states, pages: pages,
        pageCount: image.pageCount)
    }
  }

  let folder: TemporaryFolder
  var state: URL { folder.state }
  var database: URL { state.appendingPathComponent(MeterStore.fileName) }

  /// A copy of the whole folder's database with a change of its bytes.
  init(_ content: Content, _ damage: (inout Data) -> Void) throws {
    folder = try TemporaryFolder(inMemory: true)
    try FileManager.default.createDirectory(at: folder.state, withIntermediateDirectories: false)
    var bytes = content.database
    damage(&bytes)
    try bytes.write(to: database)
    try content.count.write(to: folder.state.appendingPathComponent(CommitWitness.fileName))
    let vault = folder.state.appendingPathComponent("vault")
    try FileManager.default.createDirectory(at: vault, withIntermediateDirectories: false)
    let key = vault.appendingPathComponent("key").path
    try #require(
      FileManager.default.createFile(atPath: key, contents: content.key, attributes: [.posixPermissions: 0o600]))
  }
}

extension TemporaryFolder {
  /// The state folder, once nobody holds it.
  func whenFree() -> URL {
    waitUntilFree(stateFolder: state)
    return state
  }
}

extension Data {
  /// Changes a page of a database.
  mutating func damagePage(_ number: Int, _ change: (inout [UInt8]) -> Void) {
    let range = ((number - 1) * DamagedFolder.pageSize)..<(number * DamagedFolder.pageSize)
    var page = Array(self[range])
    change(&page)
    replaceSubrange(range, with: page)
  }
}
