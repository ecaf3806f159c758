import Foundation
import GatewayAPI
import HostPrimitives
import MeterCore
import TestSupport
import Testing

@testable import GatewayEngine

@Suite("Watched folders", .timeLimit(.minutes(60)), .jumpingTime) struct FolderFeedTests {
  private let taker = PlayedTaker()

  /// Few moments at which something is due: each jump of time waits until all tests beside this one stand still.
  private static let times: FeedTimes = {
    var times = FeedTimes()
    (times.poll, times.retry) = (.seconds(3_600), .seconds(60))
    return times
  }()

  private struct Place {
    let store: MeterStore
    let desk: HealthFeedDesk
    let generation: SessionGeneration
    let folder: String

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
  }

  private func with(_ body: (Place) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let folder = sandbox.path("exports")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let store = try MeterStore.feeds(sandbox)
      let generation = try store.begin()
      let desk = HealthFeedDesk(store: store, taker: taker, clock: .ofTest, times: Self.times)
      try await desk.addFolder(folder, of: generation)
      try await body(Place(store: store, desk: desk, generation: generation, folder: folder))
    }
  }

  /// Runs the desk while a body runs.
  private func running(_ desk: HealthFeedDesk, _ body: () async throws -> Void) async throws {
    let running = Task { await desk.run() }
    defer { running.cancel() }
    try await body()
    running.cancel()
    await running.value
  }

  /// Waits until the store has changed so: what came of a file is kept there.
  private func changed(_ store: MeterStore, _ isSo: () throws -> Bool) async throws {
    let changes = store.changes()
    if try isSo() { return }
    for await _ in changes { if try isSo() { return } }
  }

  @Test("what lies there and what comes is imported, the rest is passed by, and nothing is touched") func imports()
    async throws
  {
    try await with { place in
      try place.write("<HealthData>", "export.xml")
      for name in ["half.zip.crdownload", ".hidden", "~lock"] { try place.write("<HealthData>", name) }
      try place.write("Dear diary", "diary.txt")
      try place.write("", "empty.json")
      try #require(symlink("/etc/hostname", "\(place.folder)/link.xml") == 0)
      try FileManager.default.createDirectory(atPath: "\(place.folder)/folder", withIntermediateDirectories: false)
      let before = try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted()
      try await running(place.desk) {
        _ = await taker.offers(1)
        try place.write("{\"data\":{}}", "hae.json")
        let offers = await taker.offers(2)
        #expect(offers.map(\.path) == ["\(place.folder)/export.xml", "\(place.folder)/hae.json"])
        try await changed(place.store) { try place.desk.folderList().first?.taken == 2 }
      }
      let after = try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted()
      #expect(after == (before + ["hae.json"]).sorted())
      #expect(taker.offers.count == 2)
    }
  }

  @Test("a folder that Samsung Health has written is an export, and another one when a table is added") func folders()
    async throws
  {
    try await with { place in
      let folder = "\(place.folder)/samsunghealth_user_2026"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      try place.write("x", "samsunghealth_user_2026/weight.csv")
      try await running(place.desk) {
        _ = await taker.offers(1)
        try await changed(place.store) { try place.desk.folderList().first?.taken == 1 }
        try place.write("x", "samsunghealth_user_2026/height.csv")
        #expect(await taker.offers(2).map(\.path) == [folder, folder])
      }
    }
  }

  @Test("one that failed is told of, and imported when it has changed; a restart forgets neither") func failed()
    async throws
  {
    try await with { place in
      taker.fail(RefusedExport())
      try place.write("<bad>", "export.xml")
      try await running(place.desk) {
        _ = await taker.offers(1)
        try await changed(place.store) { try place.desk.folderList().first?.failed.isEmpty == false }
      }
      let failure = try #require(try place.desk.folderList().first?.failed.first)
      #expect(failure.file == "export.xml" && failure.error.code == "not_an_export")
      let next = HealthFeedDesk(store: place.store, taker: taker, clock: .ofTest, times: Self.times)
      #expect(try await next.fetchLatest(of: place.generation).first?.state.known == .failed)
      #expect(taker.offers.count == 1)
      try place.write("<HealthData>", "export.xml")
      try await running(next) {
        _ = await taker.offers(2)
        try await changed(place.store) { try next.folderList().first?.taken == 1 }
      }
      #expect(try next.folderList().first?.failed == [])
    }
  }

  @Test("a reason that may pass is tried again, and so is what is not wanted yet") func waits() async throws {
    try await with { place in
      taker.fail(
        RefusedExport(kind: .unavailable), GatewayError(.usage, code: "not_subscribed", "nothing is wanted"),
        StoreError(.diskFull, "full"))
      try place.write("<HealthData>", "export.xml")
      try await running(place.desk) {
        _ = await taker.offers(4)
        try await changed(place.store) { try place.desk.folderList().first?.taken == 1 }
      }
    }
  }

  @Test("the newest export is fetched at once, and once") func fetches() async throws {
    try await with { place in
      #expect(try await place.desk.fetchLatest(of: place.generation).map(\.state.known) == [.nothing])
      for (name, seconds) in [("old.xml", 1_000.0), ("new.xml", 2_000), ("newer.txt", 3_000)] {
        try place.write(name.hasSuffix("txt") ? "Dear diary" : "<HealthData/>", name)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 + seconds)],
          ofItemAtPath: "\(place.folder)/\(name)")
      }
      let first = try #require(try await place.desk.fetchLatest(of: place.generation).first)
      #expect(first.state.known == .imported && first.file == "new.xml" && first.accepted == 1)
      let second = try #require(try await place.desk.fetchLatest(of: place.generation).first)
      #expect(second.state.known == .known && second.file == "new.xml" && second.accepted == 0)
      #expect(taker.offers.count == 1)
    }
  }

  @Test("what is no folder is not watched, and only so many are") func refused() async throws {
    try await with { place in
      func code(_ folder: String) async -> String? {
        do {
          try await place.desk.addFolder(folder, of: place.generation)
          return nil
        } catch { return (error as? GatewayError)?.code ?? "\(error)" }
      }
      for folder in [
        "", "exports", "/nowhere/at/all", "\(place.folder)/", "\(place.folder)/../exports", "/etc/hostname",
      ] {
        #expect(await code(folder) == "watch_folder", "\(folder)")
      }
      #expect(await code(place.store.folder.path) == "watch_folder")
      for number in 1..<HealthFeedDesk.mostFolders {
        let folder = "\(place.folder)/\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(await code(folder) == nil)
      }
      // The same one again is no further one.
      #expect(await code(place.folder) == nil)
      try FileManager.default.createDirectory(atPath: "\(place.folder)/more", withIntermediateDirectories: false)
      #expect(await code("\(place.folder)/more") == "watch_limit")
      try place.desk.removeFolder(place.folder, of: place.generation)
      #expect(throws: GatewayError.self) { try place.desk.removeFolder(place.folder, of: place.generation) }
      #expect(await code("\(place.folder)/more") == nil)
    }
  }

  @Test("a folder that goes is told of, and looked at when it is back") func gone() async throws {
    try await with { place in
      try FileManager.default.removeItem(atPath: place.folder)
      try await running(place.desk) {
        while try place.desk.folderList().first?.problem == nil { await Task.yield() }
        try FileManager.default.createDirectory(atPath: place.folder, withIntermediateDirectories: false)
        try place.write("<HealthData/>", "export.xml")
        _ = await taker.offers(1)
        #expect(try place.desk.folderList().first?.problem == nil)
      }
    }
  }

  @Test("the folders of an ended session are left alone") func ended() async throws {
    try await with { place in
      try await running(place.desk) {
        _ = try place.store.endSession()
        try place.store.begin("patient-2")
        #expect(try place.desk.folderList() == [])
        try place.write("<HealthData/>", "export.xml")
        try await JumpingClock.ofTest.sleep(for: .seconds(120))
      }
      #expect(taker.offers == [])
    }
  }
}
