import Crypto
import Foundation
import MeterCore
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

/// Backups that several processes write at the same place: locks are of an open file, so that two writers of one process are as two
/// processes.
@Suite("Backups that are written at the same time") struct BackupWriterTests {
  private let folder: TemporaryFolder
  private let file: String
  private static let key = SymmetricKey(data: [UInt8](repeating: 9, count: 32))

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    file = folder.url.appending(path: "x.mhbackup").path
  }

  private var part: String { "\(file).part" }

  /// A writer that has begun.
  private func begun(_ path: String? = nil, key: SymmetricKey = Self.key) throws -> BackupWriter {
    var random = SystemRandomNumberGenerator()
    let writer = try BackupWriter(path ?? file, BackupHeader(using: &random), key)
    try writer.begin(BackupStart(format: 1, gateway: "g", microseconds: 1, program: "1.0.0", hasKey: false))
    return writer
  }

  private func end(_ writer: BackupWriter) throws {
    try writer.add(.database, [UInt8](repeating: 1, count: 10_000))
    _ = try writer.finish()
  }

  /// The parts of the backup that has the name.
  private func parts() throws -> [String] {
    let target = try RestoredParts(folder: folder.url.appending(path: "state"))
    let source = try BackupSource(file) { _ throws(GatewayError) in Self.key }
    return try BackupReader(file, source).read(into: target, takesFiles: true) { _, _ in }.parts.map(\.part)
  }

  private func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return GatewayError(describing: error)?.code ?? "\(error)" }
    return nil
  }

  @Test("a second one of the same file is told to wait, and takes nothing away") func oneWriter() throws {
    let first = try begun()
    #expect(code { _ = try begun() } == "backup_running")
    try end(first)
    #expect(try parts() == ["database"])
  }

  @Test("a second one does not take the unfinished name of the first one") func nameOfAnother() throws {
    let first = try begun()
    let passphrase = try BackupPassphrase("correct horse battery")
    #expect(code { _ = try BackupWriter(part, passphrase) } == "backup_running")
    // It had looked before the first one began.
    let second = try begun(part, key: SymmetricKey(size: .bits256))
    #expect(code { try end(second) } == "backup_running")
    try end(first)
    #expect(try parts() == ["database"])
  }

  @Test("what another process has put in its place is neither taken for it nor removed") func replaced() throws {
    let foreign = Data("a whole backup of another gateway".utf8)
    do {
      let first = try begun()
      try foreign.write(to: URL(filePath: part), options: .atomic)
      #expect(code { try end(first) } == "backup_running")
    }
    #expect(try Data(contentsOf: URL(filePath: part)) == foreign)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test("a file that has got the name meanwhile stays") func foreignMeanwhile() throws {
    do {
      let writer = try begun()
      try Data("thesis".utf8).write(to: URL(filePath: file))
      #expect(code { try end(writer) } == "backup_target")
    }
    #expect(try Data(contentsOf: URL(filePath: file)) == Data("thesis".utf8))
    #expect(!FileManager.default.fileExists(atPath: part))
  }
}
