import Foundation
import HostErrors
import TestSupport
import Testing

@testable import MeterHealth

/// What is no export, or no whole one: a typed error that says what to do, or a result that says that something is missing.
@Suite("Import of a wrong file", .timeLimit(.minutes(60))) struct WrongFileTests {
  static let foreign: [(name: String, bytes: [UInt8], code: HealthImportError.Code)] = [
    ("a text", Array("Dear diary, today I walked far.\n".utf8), .notAnExport),
    ("a page", Array("<html><body>Sign in</body></html>".utf8), .notAnExport),
    ("a table", Array("date,steps\n2026-03-01,8000\n".utf8), .notAnExport),
    ("zeros", [UInt8](repeating: 0, count: 100_000), .notAnExport),
    ("an archive", StoredZip([.init(name: "a.txt", content: Array("a".utf8))]).bytes, .notAnExport),
    (
      "only the clinical document",
      StoredZip([.init(name: "export_cda.xml", content: Array("<ClinicalDocument/>".utf8))]).bytes, .notAnExport
    ),
    ("a document of something else", Array(#"{"temperature": 21.5}"#.utf8), .empty),
    (
      "an archive with a password",
      StoredZip([
        .init(name: "export/", content: []),
        .init(name: "export/export.xml", content: AppleExport.file(AppleExport.small), hasPassword: true),
      ]).bytes, .encrypted
    ),
    (
      "the first bytes of an archive",
      Array(StoredZip([.init(name: "export.xml", content: AppleExport.file(""))]).bytes.prefix(35)), .truncated
    ),
  ]

  @Test("is told from an export by its content", arguments: foreign.indices) func told(index: Int) async throws {
    let (name, bytes, code) = Self.foreign[index]
    let error = try await ImportStage().error(bytes)
    #expect(error.code == code, "\(name): \(error)")
    #expect(error.hint != nil && error.cause?.contains("org.meterhost.apple-health") == true, "\(error)")
  }

  @Test("what ends in the middle is read as far as it goes, as a part", arguments: [false, true])
  func cut(isZip: Bool) async throws {
    let file = AppleExport.file(AppleExport.small)
    let whole = isZip ? StoredZip([.init(name: "export.xml", content: file)]).bytes : file
    let found = try await ImportStage().read(Array(whole.prefix(file.count * 6 / 10)))
    #expect(found.result.isPartial && found.result.samples.values.reduce(0, +) > 3)
  }

  @Test("a file that becomes shorter while it is read is told as such") func shorter() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "export.xml").path
    let line = AppleExport.record(
      "HKQuantityTypeIdentifierStepCount", "iPhone", "01 10:00", "01 10:10", "1", unit: "count")
    let body = String(repeating: line, count: 10_000)
    try Data(AppleExport.file(body)).write(to: URL(filePath: path))
    let export = try HealthExport(path: path)
    let stage = try ImportStage()
    let error = await #expect(throws: HealthImportError.self) {
      try await stage.read(export, ImportStage.options()) { progress in
        if progress.samples > 0 { truncate(path, 400_000) }
      }
    }
    #expect(error?.code == .truncated && error?.kind == .failed)
  }

  @Test("only what has something in it is opened", arguments: ["link", "folder", "pipe", "nothing", "empty"])
  func places(kind: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: kind).path
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
    case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    case "empty": try Data().write(to: URL(filePath: path))
    default: break
    }
    let error = #expect(throws: HealthImportError.self) { try HealthExport(path: path) }
    #expect(error?.code == (["empty", "folder"].contains(kind) ? .empty : .file) && error?.kind == .usage)
    #expect(error?.message.contains(path) == true && error?.hint != nil)
  }

  @Test("without a driver nothing is read, and the reason is told") func noDriver() async throws {
    let error = try await ImportStage(drivers: []).error(AppleExport.file(AppleExport.small))
    #expect(error.code == .noDriver && error.kind == .unavailable)
  }

  @Test("a caller that gives up gets no result") func cancelled() async throws {
    let stage = try ImportStage()
    let bytes = AppleExport.file(AppleExport.small)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.read(bytes)
    }
    let error = await #expect(throws: HealthImportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }
}
