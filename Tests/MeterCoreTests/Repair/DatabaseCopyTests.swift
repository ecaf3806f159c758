import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// The copy by which a folder is looked at that is mounted read-only.
@Suite("A copy of a database to look at")
struct DatabaseCopyTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    _ = try MeterStore(folder: folder.state).startSession(Fixture.user, token: Fixture.token)
    waitUntilFree(stateFolder: folder.state)
  }

  private func image() throws -> DatabaseImage {
    try DatabaseImage(path: folder.state.appending(path: MeterStore.fileName).path)
  }

  private func place(_ name: String) throws -> String {
    let place = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    return place.path
  }

  private func names(_ place: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place)
  }

  @Test("is made in the next place where one is missing, and leaves no name")
  func next() throws {
    let place = try place("place")
    do {
      let copy = try DatabaseCopy(of: image(), in: ["\(folder.url.path)/nowhere", place])
      #expect(copy.path.hasPrefix("\(place)/meterhost-look-"))
      #expect(FileManager.default.fileExists(atPath: copy.path))
      copy.dropName()
    }
    #expect(try names(place).isEmpty)
    let error = #expect(throws: StoreError.self) {
      try DatabaseCopy(of: image(), in: ["\(folder.url.path)/nowhere"]).dropName()
    }
    #expect(error?.code == .folder && error?.message.contains("nowhere") == true)
  }

  @Test("what a killed process has left goes; what somebody is reading, and what is not ours, stays")
  func leftOver() throws {
    let place = try place("place")
    for name in ["meterhost-look-killed", "other-look-killed"] {
      try FileManager.default.createDirectory(atPath: "\(place)/\(name)", withIntermediateDirectories: false)
      try #require(
        FileManager.default.createFile(atPath: "\(place)/\(name)/\(MeterStore.fileName)", contents: Data([1])))
    }
    let copy = try DatabaseCopy(of: image(), in: [place])
    DatabaseCopy.removeLeftOver(in: [place])
    #expect(FileManager.default.fileExists(atPath: copy.path), "it is in use")
    #expect(try names(place).sorted().last == "other-look-killed")
    #expect(try !names(place).contains("meterhost-look-killed"))
    copy.dropName()
    #expect(try names(place) == ["other-look-killed"])
  }

  @Test("what a killed repair has left goes with the next start")
  func repairLeftOver() throws {
    let part = folder.state.appending(path: "\(MeterStore.fileName).part").path
    try #require(FileManager.default.createFile(atPath: part, contents: Data([1])))
    _ = try MeterStore(folder: folder.state)
    #expect(!FileManager.default.fileExists(atPath: part))
  }
}
