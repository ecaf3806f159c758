import Crypto
import Foundation
import GatewayEngine
import MeterCore
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayTools

/// The file of a backup: what is changed, cut, moved or made up by a stranger is found, and nothing of it is taken.
@Suite("The file of a backup") struct BackupFileTests {
  private let folder: TemporaryFolder
  private let file: String
  private static let key = SymmetricKey(data: [UInt8](repeating: 9, count: 32))

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    file = folder.url.appending(path: "x.mhbackup").path
  }

  private static func header() -> BackupHeader {
    var random = SystemRandomNumberGenerator()
    var header = BackupHeader(using: &random)
    header.log2Piece = 12
    return header
  }

  private static let start = BackupStart(
    format: 1, gateway: "g", microseconds: 1, program: "1.0.0", hasKey: false)

  private func writer() throws -> BackupWriter { try BackupWriter(file, Self.header(), Self.key) }

  private func source(_ path: String? = nil, key: SymmetricKey = Self.key) throws -> BackupSource {
    try BackupSource(path ?? file) { _ throws(GatewayError) in key }
  }

  /// A backup of three pieces.
  private func make() throws {
    let writer = try writer()
    try writer.begin(Self.start)
    try writer.add(.database, [UInt8](repeating: 1, count: 10_000))
    _ = try writer.finish()
  }

  private func code(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return GatewayError(describing: error)?.code ?? "\(error)" }
    return nil
  }

  private func drain(_ source: BackupSource) throws {
    while try !source.isAtEnd() { _ = try source.some(1 << 20) }
  }

  private func read() throws -> BackupReader.Contents {
    let target = try RestoredParts(folder: folder.url.appending(path: "state"))
    return try BackupReader(file, source()).read(into: target, takesFiles: true) { _, _ in }
  }

  @Test("reads back, and is this user's alone") func readsBack() throws {
    try make()
    #expect(try read().parts.map(\.part) == ["database"])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600 && !FileManager.default.fileExists(atPath: "\(file).part"))
  }

  @Test("is refused when any byte of it was changed") func everyByte() throws {
    try make()
    let whole = Array(try Data(contentsOf: URL(filePath: file)))
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= 1 << UInt8(place % 8)
      try Data(bytes).write(to: URL(filePath: file))
      #expect(code { try drain(try source()) } != nil, "byte \(place)")
    }
  }

  @Test("is refused when it was cut anywhere, or has more behind it") func everyLength() throws {
    try make()
    let whole = try Data(contentsOf: URL(filePath: file))
    for length in 0..<whole.count {
      try whole.prefix(length).write(to: URL(filePath: file))
      #expect(code { try drain(try source()) } != nil, "\(length) bytes")
    }
    try (whole + [0]).write(to: URL(filePath: file))
    #expect(code { try drain(try source()) } == "backup_damaged")
  }

  @Test("is refused when pieces changed places, or one comes from another backup") func order() throws {
    try make()
    let whole = Array(try Data(contentsOf: URL(filePath: file)))
    let (head, piece) = (BackupHeader.length, 4096 + BackupCipher.tagLength)
    let pieces = [
      whole[head..<(head + piece)], whole[(head + piece)..<(head + 2 * piece)], whole[(head + 2 * piece)...],
    ]
    for order in [[1, 0, 2], [0, 2], [0, 0, 2], [0, 1, 1, 2]] {
      try Data(whole[..<head] + order.flatMap { pieces[$0] }).write(to: URL(filePath: file))
      #expect(["backup_damaged", "backup_passphrase"].contains(code { try drain(try source()) }), "\(order)")
    }
  }

  @Test("is refused with another passphrase") func wrongKey() throws {
    try make()
    #expect(code { try drain(try source(key: SymmetricKey(size: .bits256))) } == "backup_passphrase")
  }

  @Test("that is none, or of a version or with numbers that nobody knows, is told apart") func headers() throws {
    try make()
    let whole = Array(try Data(contentsOf: URL(filePath: file)))
    let wrong: [(place: Int, byte: UInt8, code: String)] = [
      (0, 0, "backup_file"), (8, 2, "backup_version"), (9, 2, "backup_version"), (10, 2, "backup_version"),
      (11, 13, "backup_damaged"), (11, 30, "backup_damaged"), (12, 255, "backup_damaged"), (13, 0, "backup_damaged"),
      (13, 255, "backup_damaged"), (14, 30, "backup_damaged"), (15, 1, "backup_damaged"), (60, 1, "backup_damaged"),
    ]
    for (place, byte, expected) in wrong {
      var bytes = whole
      bytes[place] = byte
      try Data(bytes).write(to: URL(filePath: file))
      // Before any work or memory is spent on it.
      let found = code {
        _ = try BackupSource(file) { _ throws(GatewayError) in throw GatewayError(.failed, code: "asked", "") }
      }
      #expect(found == expected, "byte \(place)")
    }
  }

  struct Hostile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let write: @Sendable (BackupWriter) throws -> Void

    init(_ name: String, _ write: @escaping @Sendable (BackupWriter) throws -> Void) {
      (testDescription, self.write) = (name, write)
    }

    static func part(_ name: String, size: Int64? = 0) -> Hostile {
      Hostile("\(name) \(size ?? -1)") { try $0.text(BackupPartHead(part: name, size: size)) }
    }

    static let all = [
      part("state/../../etc/cron.d/x"), part("/etc/passwd"), part("state/state.sqlite"), part("state/vault/key"),
      part("state/restoring"), part("machine/../x"), part("unknown"), part("state/../\u{338}x"),
      part(""), part("database", size: -1),
      part("database", size: .max), part("database", size: nil), part("key", size: 33), part("state/x", size: 1 << 41),
      Hostile("a part twice") {
        for _ in 0..<2 { try $0.add(.file("recovery/x"), [1]) }
      },
      Hostile("a file in the place of a folder") {
        try $0.add(.file("recovery"), [1])
        try $0.add(.file("recovery/x"), [1])
      },
      Hostile("no database") { try $0.add(.file("recovery/x"), [1]) },
      Hostile("a part that the end does not name") {
        try $0.add(.database, [1])
        try $0.text(BackupPartHead(end: BackupEnd(parts: [])))
      },
      Hostile("more behind the end") {
        try $0.add(.database, [1])
        try $0.text(
          BackupPartHead(
            end: BackupEnd(parts: [
              BackupEnd.Part(
                part: "database", size: 1, sha256: "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a")
            ])))
        try $0.append([1])
      },
      Hostile("a key that the front does not name") {
        try $0.add(.database, [1])
        try $0.add(.key, [UInt8](repeating: 1, count: 32))
      },
      Hostile("a text that is too long") { try $0.append([0xFF, 0xFF, 0xFF, 0xFF]) },
      Hostile("a text that is none") { try $0.append([0, 0, 0, 1, 0x7B]) },
    ]
  }

  @Test("by somebody who knows the passphrase leads nowhere, and leaves nothing", arguments: Hostile.all)
  func hostile(_ hostile: Hostile) throws {
    let writer = try writer()
    try writer.begin(Self.start)
    try hostile.write(writer)
    _ = try writer.finish()
    #expect(code { _ = try read() } != nil)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "state").path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["x.mhbackup"])
  }

  @Test("has the deepest file of a package, and what links lead to; what it cannot name is told")
  func machine() throws {
    let registry = folder.url.appending(path: "registry.d")
    let asset = "packages/org.example.scale/1.0.0-0123456789ab/assets/a/b/c/d/picture.png"
    let unnamed = (1...15).map { "\($0)" }.joined(separator: "/") + "/x"
    for path in [asset, unnamed] {
      let place = registry.appending(path: path)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: place)
    }
    let (trust, kept) = (folder.url.appending(path: "trust.json"), folder.url.appending(path: "kept.json"))
    try Data("{}".utf8).write(to: kept)
    try FileManager.default.createSymbolicLink(at: trust, withDestinationURL: kept)
    var settings = GatewayLocations.Settings()
    (settings.fragments, settings.trust) = (registry.path, trust.path)
    let found = MachineFiles(
      GatewayLocations(settings: settings, environment: [:], executable: "/usr/bin/meterhost", isRoot: false))
    #expect(found.files.map(\.name) == ["registry.d/\(asset)", "trust.json"])
    #expect(found.left == [registry.appending(path: unnamed).path])

    let writer = try writer()
    try writer.begin(Self.start)
    try writer.add(.database, [1])
    for file in found.files { try writer.add(.machine(file.name), file: file.path) { _ in } }
    _ = try writer.finish()
    #expect(try read().parts.map(\.part) == ["database", "machine/registry.d/\(asset)", "machine/trust.json"])
  }

  @Test("has files apart whose names differ in how a letter is spelled") func spellings() throws {
    let writer = try writer()
    try writer.begin(Self.start)
    try writer.add(.database, [1])
    for name in ["recovery/\u{E9}", "recovery/e\u{301}"] { try writer.add(.file(name), [1]) }
    _ = try writer.finish()
    #expect(try read().parts.count == 3)
  }

  @Test("of another format is refused") func otherFormat() throws {
    let writer = try writer()
    var start = Self.start
    start.format = 2
    try writer.begin(start)
    _ = try writer.finish()
    #expect(code { _ = try read() } == "backup_version")
  }

  @Test("replaces an earlier one when it is whole, and nothing else") func target() throws {
    try make()
    let first = try Data(contentsOf: URL(filePath: file))
    do {
      let abandoned = try writer()
      try abandoned.begin(Self.start)
    }
    #expect(try Data(contentsOf: URL(filePath: file)) == first)
    #expect(!FileManager.default.fileExists(atPath: "\(file).part"))
    try Data("thesis".utf8).write(to: URL(filePath: file))
    let passphrase = try BackupPassphrase("correct horse battery")
    #expect(code { _ = try BackupWriter(file, passphrase) } == "backup_target")
    #expect(code { _ = try BackupWriter(folder.path, passphrase) } == "backup_target")
    #expect(code { _ = try BackupWriter("\(folder.path)/missing/x", Self.header(), Self.key) } == "backup_io")
  }

  @Test(
    "is not written over a file of another kind that has its unfinished name",
    arguments: [(Data("thesis".utf8), false), (Data("thesis, all of it".utf8), false), (Data(), true)])
  func unfinishedName(content: Data, isTaken: Bool) throws {
    let part = URL(filePath: "\(file).part")
    try content.write(to: part)
    let passphrase = try BackupPassphrase("correct horse battery")
    #expect(code { _ = try writer() } == (isTaken ? nil : "backup_target"))
    guard !isTaken else { return }
    #expect(code { _ = try BackupWriter(file, passphrase) } == "backup_target")
    #expect(try Data(contentsOf: part) == content)
  }

  @Test("takes the place of what an earlier one has left unfinished") func unfinished() throws {
    try make()
    try FileManager.default.moveItem(atPath: file, toPath: "\(file).part")
    try make()
    #expect(try read().parts.count == 1 && !FileManager.default.fileExists(atPath: "\(file).part"))
  }

  @Test("leaves a pipe that has its unfinished name") func pipe() throws {
    #expect(mkfifo("\(file).part", 0o600) == 0)
    #expect(code { _ = try writer() } == "backup_target")
    #expect(FileManager.default.fileExists(atPath: "\(file).part"))
  }

  @Test("beside a key that was sealed for systemd is told of it") func sealedKey() throws {
    let folders = ["etc", "run"].map { "\(folder.path)/\($0)" }
    #expect(SealedKey.path(in: folders) == nil)
    try FileManager.default.createDirectory(atPath: folders[1], withIntermediateDirectories: true)
    try Data([1]).write(to: URL(filePath: "\(folders[1])/meterhost.key"))
    #expect(SealedKey.path(in: folders) == "\(folders[1])/meterhost.key")
  }

  /// RFC 7914, section 12, as OpenSSL's other programs compute it with 64 bytes; the first 32 are the same.
  @Test("has its key from the passphrase by scrypt") func scrypt() throws {
    var header = Self.header()
    header.salt = Array("SodiumChloride".utf8)
    header.log2Cost = 14
    let key = try BackupPassphrase("pleaseletmein").key(header)
    let bytes = key.withUnsafeBytes { Array($0) }
    #expect(bytes.prefix(8) == [0x70, 0x23, 0xBD, 0xCB, 0x3A, 0xFD, 0x73, 0x48])
    // One letter, composed and in two parts.
    let salted = Self.header()
    #expect(
      try BackupPassphrase("caf\u{E9} au lait").key(salted) == BackupPassphrase("cafe\u{301} au lait").key(salted))
  }

  @Test("wants a passphrase that is not found by trying") func strength() throws {
    #expect(code { try BackupPassphrase("short").checkStrength() } == "backup_passphrase")
    #expect(code { _ = try BackupPassphrase("") } == "backup_passphrase")
    try BackupPassphrase("twelve chars").checkStrength()
  }
}
