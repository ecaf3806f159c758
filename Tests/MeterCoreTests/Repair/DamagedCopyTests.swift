import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// Copies of damaged databases: what is in one may be nowhere else, and they must not fill the disk.
@Suite("Copies of damaged databases")
struct DamagedCopyTests {
  private let folder: TemporaryFolder
  private let state: StateFolder
  private var path: String { folder.state.path }

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    state = try StateFolder(path: folder.state.path)
    try write(1)
  }

  /// A damaged database, another one for each number.
  private func write(_ number: UInt8) throws {
    try Data(repeating: number, count: 5_000).write(to: folder.state.appending(path: MeterStore.fileName))
    try Data(repeating: number, count: 300).write(to: folder.state.appending(path: "\(MeterStore.fileName)-wal"))
  }

  private func keep() throws(StoreError) -> String { try state.keepCopy(MeterStore.fileName) }

  @Test("the same files are kept once, others beside them, and behind the highest number")
  func once() throws {
    #expect(try keep() == "\(path)/damaged-1")
    #expect(try keep() == "\(path)/damaged-1")
    try write(2)
    #expect(try keep() == "\(path)/damaged-2")
    try FileManager.default.removeItem(atPath: "\(path)/damaged-1")
    try write(3)
    #expect(try keep() == "\(path)/damaged-3")
    // A journal more or less is another state.
    try FileManager.default.removeItem(atPath: "\(path)/\(MeterStore.fileName)-wal")
    #expect(try keep() == "\(path)/damaged-4")
    let copies = DamagedCopy.all(in: path)
    #expect(copies.map(\.folder) == [2, 3, 4].map { "\(path)/damaged-\($0)" })
    #expect(copies.map(\.bytes) == [5_300, 5_300, 5_000])
  }

  @Test("with as many as may be kept another one is refused with the cure, and none is removed")
  func bounded() throws {
    for number in 1...UInt8(DamagedCopy.limit) {
      try write(number)
      _ = try keep()
    }
    try write(99)
    let error = #expect(throws: StoreError.self) { try keep() }
    #expect(error?.code == .folder && error?.message.contains("(8, 0 MiB)") == true, "\(String(describing: error))")
    #expect(error?.message.contains("Move the folders damaged-* elsewhere") == true)
    #expect(DamagedCopy.all(in: path).count == DamagedCopy.limit)
    #expect(try Data(contentsOf: folder.state.appending(path: MeterStore.fileName)).first == 99)
    // One that is there already needs no room.
    try write(3)
    #expect(try keep() == "\(path)/damaged-3")
    try FileManager.default.removeItem(atPath: "\(path)/damaged-5")
    try write(99)
    #expect(try keep() == "\(path)/damaged-9")
  }

  @Test("a few large ones are as many as many small ones, and the first is kept however large it is")
  func bytes() throws {
    let database = "\(path)/\(MeterStore.fileName)"
    let other = "\(path)/damaged-7"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    try #require(FileManager.default.createFile(atPath: "\(other)/\(MeterStore.fileName)", contents: nil))
    try #require(truncate("\(other)/\(MeterStore.fileName)", Int(DamagedCopy.byteLimit)) == 0)
    let error = #expect(throws: StoreError.self) { try keep() }
    #expect(error?.code == .folder && error?.message.contains("(1, 2048 MiB)") == true)
    try FileManager.default.removeItem(atPath: other)
    #expect(try keep() == "\(path)/damaged-1")
    #expect(FileManager.default.contentsEqual(atPath: database, andPath: "\(path)/damaged-1/\(MeterStore.fileName)"))
  }

  @Test("what a crash has left of a copy is no copy, and goes with the next")
  func unfinished() throws {
    let part = "\(path)/damaged-4.part"
    try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: false)
    try #require(
      FileManager.default.createFile(atPath: "\(part)/\(MeterStore.fileName)", contents: Data(repeating: 1, count: 9)))
    #expect(DamagedCopy.all(in: path).isEmpty)
    #expect(try keep() == "\(path)/damaged-1")
    #expect(!FileManager.default.fileExists(atPath: part))
  }

  @Test("a start that may keep no further copy is refused, and changes nothing")
  func startIsRefused() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let (database, journal) = (MeterStore.fileName, "\(MeterStore.fileName)-wal")
    var files: [String: Data] = [:]
    do {
      let store = try MeterStore(folder: folder.state)
      let generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
      for number in UInt64(1)...6 { _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])]) }
      for name in [database, journal, CommitWitness.fileName] {
        files[name] = try Data(contentsOf: folder.state.appending(path: name))
      }
    }
    files[journal]?.removeLast(12_000)
    let state = folder.whenFree()
    for (name, bytes) in files { try bytes.write(to: state.appending(path: name)) }
    for number in 1...DamagedCopy.limit {
      try FileManager.default.createDirectory(
        at: state.appending(path: "damaged-\(number)"), withIntermediateDirectories: false)
    }
    let error = #expect(throws: StoreError.self) { try MeterStore(folder: state) }
    #expect(error?.code == .folder && error?.message.contains("damaged-*") == true, "\(String(describing: error))")
    for name in [database, journal] {
      #expect(try Data(contentsOf: state.appending(path: name)) == files[name], "\(name)")
    }
    try FileManager.default.removeItem(at: state.appending(path: "damaged-2"))
    let store = try MeterStore(folder: folder.whenFree())
    #expect(try store.losses().first?.keptFolder == "\(state.path)/damaged-9")
  }
}
