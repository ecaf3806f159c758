import Foundation
import HostErrors
import TestSupport
import Testing

@testable import MeterHealth

/// A folder that is given as an export, read by the real drivers in real workers.
@Suite("Import of a folder", .timeLimit(.minutes(60))) struct FolderExportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = folder.url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  private func append(_ name: String, _ bytes: [UInt8]) throws {
    let handle = try FileHandle(forWritingTo: folder.url.appending(path: name))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  private func error(_ path: String) throws -> HealthImportError {
    try #require(#expect(throws: HealthImportError.self) { try HealthExport(path: path) })
  }

  /// What is told of a result, but for the places in the export, which are others in another archive.
  private func report(_ found: HealthImporter.Outcome) throws -> String {
    var result = found.result
    result.refused = []
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return String(decoding: try encoder.encode(result), as: UTF8.self)
  }

  @Test("a folder of Samsung Health comes to what its zip comes to") func samsung() async throws {
    let script = CompiledBundle.root.appending(path: "Tests/Fixtures/ImportPlay/samsung.py").path
    let zip = folder.url.appending(path: "samsung.zip").path
    let unpacked = folder.url.appending(path: "unpacked").path
    let made = try ChildProcess.run(tool: "python3", [script, folder.path])
    try #require(made.status == 0, "\(made.err)")
    let done = try ChildProcess.run(tool: "python3", ["-m", "zipfile", "-e", zip, unpacked])
    try #require(done.status == 0, "\(done.err)")
    let stage = try ImportStage()
    let fromZip = try await stage.read(HealthExport(path: zip), ImportStage.options())
    let fromFolder = try await stage.read(HealthExport(path: unpacked), ImportStage.options())
    #expect(fromFolder.format == "samsung-health" && fromFolder.result.value("steps", on: "2025-03-01") == "8123")
    #expect(try report(fromFolder) == report(fromZip))
    #expect(fromFolder.result.refusedCount == fromZip.result.refusedCount)
  }

  @Test("an unpacked export of Apple Health is read") func apple() async throws {
    try write("apple_health_export/export.xml", AppleExport.file(AppleExport.small))
    try write("apple_health_export/export_cda.xml", Array("<ClinicalDocument/>".utf8))
    try write("apple_health_export/workout-routes/route_2026-03-01_6.35pm.gpx", Array("<gpx/>".utf8))
    let found = try await ImportStage().read(HealthExport(path: folder.path), ImportStage.options())
    #expect(found.format == "apple-health" && !found.result.isPartial)
    #expect(found.result.value("steps", on: "2026-03-01") == "1800" && found.result.sleep.count == 1)
  }

  @Test("a folder of something else is no export") func foreign() async throws {
    try write("diary.txt", Array("today I walked far\n".utf8))
    let stage = try ImportStage()
    let error = await #expect(throws: HealthImportError.self) {
      try await stage.read(HealthExport(path: folder.path), ImportStage.options())
    }
    #expect(error?.code == .notAnExport && error?.message.contains(folder.path) == true)
  }

  @Test("links and pipes in it are passed over") func special() throws {
    try write("a/one.csv", Array("1".utf8))
    let before = try HealthExport(path: folder.path)
    let bytes = try before.read(Int(before.size), at: 0)
    for (name, target) in [("link", "/etc/hostname"), ("around", folder.path), ("nowhere", "/nonexistent")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.url.appending(path: "a/\(name)").path, withDestinationPath: target)
    }
    #expect(mkfifo(folder.url.appending(path: "a/pipe").path, 0o600) == 0)
    let after = try HealthExport(path: folder.path)
    #expect(try after.read(Int(after.size), at: 0) == bytes)
    try before.check()
  }

  @Test("a file that grows is no longer the one that was listed") func grows() throws {
    try write("a.csv", [UInt8](repeating: 0x20, count: 1_000))
    let export = try HealthExport(path: folder.path)
    try export.check()
    try append("a.csv", [0x20])
    let errors = [
      #expect(throws: HealthImportError.self) { _ = try export.read(1_000, at: 0) },
      #expect(throws: HealthImportError.self) { try export.check() },
    ]
    for error in errors {
      #expect(error?.code == .changed && error?.message.contains("\(folder.path)/a.csv") == true)
    }
  }

  @Test("a link in the place of a file that was listed is not followed") func becameALink() throws {
    try write("a/b.csv", [1, 2, 3])
    try write("other/b.csv", [4, 5, 6])
    let export = try HealthExport(path: folder.path)
    try FileManager.default.removeItem(at: folder.url.appending(path: "a"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "a").path, withDestinationPath: "other")
    let error = #expect(throws: HealthImportError.self) { _ = try export.read(100, at: 0) }
    #expect(error?.code == .changed && error?.kind == .temporary)
  }

  @Test("a file that comes or goes meanwhile is told at the end", arguments: [false, true])
  func comesOrGoes(comes: Bool) throws {
    try write("a.csv", [1])
    try write("b.csv", [2])
    let export = try HealthExport(path: folder.path)
    if comes {
      try write("c.csv", [3])
    } else {
      try FileManager.default.removeItem(at: folder.url.appending(path: "b.csv"))
    }
    let error = #expect(throws: HealthImportError.self) { try export.check() }
    #expect(error?.code == .changed)
  }

  @Test("a driver that reads while a file grows gets no result") func growsMeanwhile() async throws {
    let line = AppleExport.record(
      "HKQuantityTypeIdentifierStepCount", "iPhone", "01 10:00", "01 10:10", "1", unit: "count")
    try write("export.xml", AppleExport.file(String(repeating: line, count: 10_000)))
    let export = try HealthExport(path: folder.path)
    let path = folder.url.appending(path: "export.xml").path
    let size = Int(export.size)
    let stage = try ImportStage()
    let error = await #expect(throws: HealthImportError.self) {
      try await stage.read(export, ImportStage.options()) { progress in
        if progress.samples > 0 { truncate(path, off_t(2 * size)) }
      }
    }
    #expect(error?.code == .changed)
  }

  @Test("a folder without a file is empty") func empty() throws {
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "jsons/a"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link").path, withDestinationPath: "/etc/hostname")
    let error = try error(folder.path)
    #expect(error.code == .empty && error.message.contains(folder.path) && error.hint != nil)
  }

  @Test("what may not be opened is told with its path", .enabled(if: geteuid() != 0, "root may open everything"))
  func denied() throws {
    try write("a/b.csv", [1])
    for name in ["", "/a", "/a/b.csv"] {
      let path = folder.path + name
      #expect(chmod(path, 0) == 0)
      let error = try error(folder.path)
      #expect(error.code == .file && error.message.contains(path) && error.cause != nil)
      #expect(chmod(path, 0o700) == 0)
    }
  }

  @Test(
    "a folder that is too deep, too large or behind a link is refused", arguments: ["deep", "large", "long", "link"])
  func limits(kind: String) throws {
    var path = folder.path
    switch kind {
    case "deep": try write("1/2/3/4/5/6/7/8/9.csv", [1])
    case "long": try write((0..<5).map { _ in String(repeating: "x", count: 250) }.joined(separator: "/"), [1])
    case "large":
      try write("a.csv", [1])
      #expect(truncate(folder.url.appending(path: "a.csv").path, 65 << 30) == 0)
    default:
      try write("a/b.csv", [1])
      path += "/link"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "a")
    }
    let error = try error(path)
    #expect(error.code == .file && error.message.contains(path) && error.hint != nil)
  }
}
