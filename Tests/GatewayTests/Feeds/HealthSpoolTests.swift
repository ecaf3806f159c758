import Foundation
import MeterCore
import TestSupport
import Testing

@testable import GatewayEngine

@Suite("The spool of posted bodies", .timeLimit(.minutes(60))) struct HealthSpoolTests {
  private let folder: TemporaryFolder
  private let generation = SessionGeneration(rawValue: 3)

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    try FileManager.default.createDirectory(at: folder.state, withIntermediateDirectories: true)
  }

  private func spool(_ change: (inout HealthSpool.Limits) -> Void = { _ in }) -> HealthSpool {
    var limits = HealthSpool.Limits()
    change(&limits)
    return HealthSpool(stateFolder: folder.state, limits: limits)
  }

  private var path: String { folder.state.appending(path: "health/spool").path }
  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  private func post(_ text: String, to spool: HealthSpool, came: Int64 = 1) throws -> SpoolEntry {
    let writer = try spool.begin(from: "phone", of: generation, came: came)
    try append(text, writer)
    return try writer.finish()
  }

  private func append(_ text: String, _ writer: SpoolWriter) throws {
    try Array(text.utf8).withUnsafeBytes { try writer.append($0) }
  }

  @Test("a body is there when it is whole, for this user alone, and for the next process") func whole() throws {
    let spool = spool()
    #expect(spool.entries() == [])
    let entry = try post("{\"a\":1}", to: spool)
    #expect(try String(contentsOfFile: entry.path, encoding: .utf8) == "{\"a\":1}")
    #expect(entry.size == 7 && entry.name.source == "phone" && entry.name.generation == generation)
    #expect(try files() == [entry.name.file])
    for (file, mode) in [(entry.path, 0o600), (path, 0o700)] {
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == mode)
    }
    let next = self.spool()
    #expect(next.entries() == [entry] && next.holds(entry))
    next.remove(entry)
    #expect(next.entries() == [] && !next.holds(entry))
    next.remove(entry)
  }

  @Test("one that is given up leaves nothing") func givenUp() throws {
    let spool = spool { $0.files = 1 }
    do {
      let writer = try spool.begin(from: "phone", of: generation, came: 1)
      try append("half", writer)
      #expect(try files().count == 1 && spool.entries() == [])
      withExtendedLifetime(writer) {}
    }
    #expect(try files() == [])
    _ = try post("whole", to: spool)
  }

  @Test("what a killed process has left is no body, and is tidied away; a stranger's file is left alone") func killed()
    throws
  {
    let entry = try post("whole", to: spool())
    let half = "0123456789abcdef0123456789abcdef.part"
    for name in [half, "notes.txt", "1-2-3-phone.body"] {
      try Data("x".utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }
    let link = SpoolName(generation: generation, came: 5, id: String(repeating: "0", count: 32), source: "link").file
    try #require(symlink("/etc/passwd", "\(path)/\(link)") == 0)
    let next = spool()
    #expect(next.entries() == [entry])
    next.tidy()
    #expect(try Set(files()) == [entry.name.file, "notes.txt", "1-2-3-phone.body", link])
  }

  @Test("the oldest comes first") func order() throws {
    let spool = spool()
    let late = try post("b", to: spool, came: 20)
    let early = try post("a", to: spool, came: 3)
    #expect(spool.entries() == [early, late])
  }

  @Test("it holds so many bodies and bytes, those that are being written, too, and takes more when some are gone")
  func limits() throws {
    let spool = spool {
      $0.files = 2
      $0.bytes = 10
    }
    let first = try post("12345678", to: spool)
    do {
      let writer = try spool.begin(from: "phone", of: generation, came: 2)
      #expect(throws: SpoolError.full) { try spool.begin(from: "phone", of: generation, came: 3) }
      try append("90", writer)
      #expect(throws: SpoolError.full) { try append("1", writer) }
    }
    spool.remove(first)
    _ = try post("1234567890", to: spool)
    #expect(throws: SpoolError.full) { try spool.begin(from: "phone", of: generation, came: 4) }
  }

  @Test("it leaves room on the disk for what meters say, and nothing of what had none") func reserve() throws {
    var limits = HealthSpool.Limits()
    limits.reserve = .max / 4
    let spool = HealthSpool(stateFolder: folder.state, limits: limits)
    do {
      let writer = try spool.begin(from: "phone", of: generation, came: 1)
      #expect(throws: SpoolError.diskFull) { try append("{}", writer) }
    }
    #expect(try files() == [])
    limits.reserve = 0
    #expect(try post("{}", to: HealthSpool(stateFolder: folder.state, limits: limits)).size == 2)
  }

  @Test("where nothing can be written it says so") func broken() throws {
    try Data().write(to: folder.state.appending(path: "health"))
    #expect(throws: SpoolError.self) { try spool().begin(from: "phone", of: generation, came: 1) }
    #expect(spool().entries() == [])
  }
}
