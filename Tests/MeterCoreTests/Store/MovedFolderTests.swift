import Foundation
import TestSupport
import Testing

@testable import MeterCore

/// SQLite goes on writing into a file that has no name any more: nothing of that may be acknowledged.
@Suite("A state folder or a file of it that is taken away under a running host")
struct MovedFolderTests {
  private static let files = [
    MeterStore.fileName, "\(MeterStore.fileName)-wal", "lock", CommitWitness.fileName,
  ]

  private let folder: TemporaryFolder
  private let store: MeterStore
  private let generation: SessionGeneration

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    store = try MeterStore(folder: folder.state)
    generation = try store.startSession(Fixture.user, token: Fixture.token).session.generation
    _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(1)])])
  }

  private func refusal(_ number: UInt64) -> StoreError? {
    do throws(StoreError) {
      _ = try store.commit([Fixture.unit(generation, [Fixture.glucose(number)])])
      return nil
    } catch { return error }
  }

  @Test(
    "a file that was removed ends the acknowledging at once, also of those who share transactions", arguments: files)
  func removed(_ name: String) async throws {
    let file = folder.state.appending(path: name)
    try FileManager.default.removeItem(at: file)
    let error = refusal(2)
    #expect(error?.code == .moved && error?.message.contains(file.path) == true, "\(String(describing: error))")
    let shared = await #expect(throws: StoreError.self) {
      try await store.submit([Fixture.unit(generation, [Fixture.glucose(3)])])
    }
    #expect(shared?.code == .moved)
    #expect(throws: StoreError.self) { try store.checkPlace() }
  }

  @Test("a file that was replaced by its copy is another file; put back, it is the old one", arguments: files)
  func replaced(_ name: String) throws {
    let (file, aside) = (folder.state.appending(path: name), folder.state.appending(path: "aside"))
    try FileManager.default.moveItem(at: file, to: aside)
    try FileManager.default.copyItem(at: aside, to: file)
    #expect(refusal(2)?.code == .moved)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(refusal(3) == nil)
    #expect(try store.queueSnapshot().compactMap { $0.record?.deviceSequence } == [1, 3])
  }

  @Test("a folder that was moved acknowledges nothing, and belongs to its owner wherever it is")
  func moved() throws {
    let place = folder.url.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: folder.state, to: place)
    let error = refusal(2)
    #expect(error?.code == .moved && error?.message.contains(folder.state.path) == true)
    let other = #expect(throws: StoreError.self) { try MeterStore(folder: place) }
    #expect(other?.code == .busy)
    // A new one in its place is none of this store's.
    try FileManager.default.createDirectory(at: folder.state, withIntermediateDirectories: false)
    #expect(refusal(3)?.code == .moved)
  }

  @Test("a lock file that was removed lets nobody else in")
  func lockRemoved() throws {
    try FileManager.default.removeItem(at: folder.state.appending(path: "lock"))
    let other = #expect(throws: StoreError.self) { try MeterStore(folder: folder.state) }
    #expect(other?.code == .busy)
  }
}
