import Foundation
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import MeterHealth

/// Archives that were refused, read short, or read at the wrong entry.
@Suite("Archives that could not be read elsewhere", .timeLimit(.minutes(60))) struct ArchiveFailureTests {
  private static let day = "2026-03-01"

  private static let file: AppleDocument = {
    var file = AppleDocument()
    for minute in 10..<60 {
      file.record("StepCount", "iPhone", "01 10:\(minute)", "01 10:\(minute):59", "10", unit: "count")
    }
    file.record("BodyMass", "Scale", "01 08:00", nil, "80", unit: "kg")
    return file
  }()

  private static func read(_ entries: [StoredZip.Entry]) async throws -> HealthResult {
    try await ImportStage.shared.get().read(StoredZip(entries).bytes).result
  }

  private static func expectWhole(_ result: HealthResult, refused: Int = 0) {
    #expect(result.value("steps", on: day) == "500" && result.measured("body_weight") == ["80"])
    #expect(!result.isPartial && result.refusedCount == refused)
  }

  @Test(
    "an export is found whatever its entry is called",
    arguments: [
      "apple_health_export/export.xml", "Export.xml", "a/b/c/Exportieren.xml",
      "apple_health_export/\u{5BFC}\u{51FA}.xml",
      "__MACOSX/._export.xml", "../../etc/passwd", "/etc/passwd", "export", "",
    ])
  func names(name: String) async throws {
    Self.expectWhole(try await Self.read([.init(name: name, content: Self.file.bytes)]))
  }

  @Test("an entry whose name is in no encoding that anybody declares is read") func mojibake() async throws {
    let name: [UInt8] = Array("apple_health_export/".utf8) + [0xB5, 0xBC, 0xB3, 0xF6] + Array(".xml".utf8)
    Self.expectWhole(try await Self.read([.init(name: "", content: Self.file.bytes, nameBytes: name)]))
  }

  @Test("what stands beside the export is not read: a larger clinical document, an archiver's files, routes, curves")
  func others() async throws {
    let document = "<ClinicalDocument>" + String(repeating: "<observation value=\"9999\"/>", count: 20_000)
    let point = "<trkpt lat=\"52\" lon=\"13\"><time>2026-03-01T10:00:00Z</time></trkpt>"
    Self.expectWhole(
      try await Self.read([
        .init(name: "apple_health_export/export_cda.xml", content: Array(document.utf8)),
        .init(
          name: "__MACOSX/apple_health_export/._export.xml",
          content: [0, 5, 22, 7, 0, 2, 0, 0] + Array("Mac OS X".utf8)),
        .init(
          name: "apple_health_export/workout-routes/route_1.gpx",
          content: Array(("<gpx>" + String(repeating: point, count: 5_000) + "</gpx>").utf8)),
        .init(name: "apple_health_export/export.xml", content: Self.file.bytes),
        // Two electrocardiograms, in the writings of two languages.
        .init(
          name: "apple_health_export/electrocardiograms/ecg_2026-03-01.csv",
          content: Array("Name,Kim\nDevice,\"Watch7,11\"\nSample Rate,512 hertz\n\n-265.868\n12.5\n".utf8)),
        .init(
          name: "apple_health_export/electrocardiograms/ecg_2026-03-02.csv",
          content: Array("Nome,Kim\nDispositivo,\"Watch7,11\"\nFrequ\u{EA}ncia,512 hertz\n\n-265,868\n12,5\n".utf8)),
      ]))
  }

  @Test("a link to another file is not followed, and is no export") func links() async throws {
    Self.expectWhole(
      try await Self.read([
        .init(name: "apple_health_export/export.xml", content: Array("../../../../etc/passwd".utf8), mode: 0o120777),
        .init(name: "apple_health_export/Export.xml", content: Self.file.bytes, mode: 0o100644),
      ]))
  }

  @Test(
    "of two exports in one archive the larger one is read, and the other one is reported", arguments: [false, true])
  func two(isSmallFirst: Bool) async throws {
    var small = AppleDocument()
    small.record("StepCount", "iPhone", "01 10:00", "01 10:10", "9999", unit: "count")
    let files = isSmallFirst ? [small, Self.file] : [Self.file, small]
    let result = try await Self.read(
      files.enumerated().map { .init(name: "\($0.offset).xml", content: $0.element.bytes) })
    Self.expectWhole(result, refused: 1)
    #expect(result.refused(.form) == 1)
  }

  @Test("an archive that ends too early is read as far as it goes, and no sum of it is sent", arguments: [3, 6, 8])
  func cut(tenths: Int) async throws {
    let archive = Self.file.archive
    let result = try await ImportStage.shared.get().read(Array(archive.prefix(archive.count * tenths / 10))).result
    let count = result.samples.values.reduce(0, +)
    #expect(result.isPartial && count > 5 * tenths - 5 && count < 5 * tenths + 5)
    #expect(!result.drafts(of: .apple, driver: "d", version: "1").contains { $0.draft.type == .routine })
  }

  @Test("bits that turn over are told as damage; what can be read is kept, and no sum of it is sent", arguments: 0..<12)
  func flipped(round: Int) async throws {
    var archive = Self.file.archive
    var generator = SeededGenerator(seed: UInt64(round))
    // Within the records: all but the last few.
    archive[.random(in: 500..<10_000, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    let result = try await ImportStage.shared.get().read(archive).result
    // A quote that is gone costs its record and the next one.
    #expect(result.isPartial && result.refused(.damaged) == 1 && result.samples.values.reduce(0, +) >= 49)
    let drafts = result.drafts(of: .apple, driver: "d", version: "1")
    #expect(!drafts.isEmpty && !drafts.contains { $0.draft.type == .routine })
  }

  @Test("a size that is wrong by four GiB, as writers without zip64 have it, is not believed") func wrongSize()
    async throws
  {
    let bytes = Self.file.bytes
    Self.expectWhole(
      try await Self.read([
        .init(name: "export.xml", content: bytes, excess: 1 << 32, deflated: StoredZip.deflated(bytes))
      ]))
  }

  @Test("an archive of more than four GiB, whose directory counts modulo that, is read") func largeArchive()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "export.zip")
    try Data().write(to: path)
    let file = try FileHandle(forWritingTo: path)
    // What lies before is a hole of the file system: the entries' places are written without the four GiB.
    try file.seek(toOffset: 1 << 32)
    try file.write(contentsOf: Data(Self.file.archive))
    try file.close()
    let found = try await ImportStage.shared.get().read(HealthExport(path: path.path), ImportStage.options())
    #expect(found.size > 1 << 32)
    Self.expectWhole(found.result)
  }

  @Test("an export of 128 MB is read by a worker whose memory is half of that") func large() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "export.xml")
    let bytes = Self.file.bytes
    let end = Array("</HealthData>\n".utf8)
    try Data(bytes.dropLast(end.count)).write(to: path)
    let file = try FileHandle(forWritingTo: path)
    try file.seek(toOffset: 128 << 20)
    try file.write(contentsOf: Data(end))
    try file.close()
    let found = try await ImportStage(.worker).read(HealthExport(path: path.path), ImportStage.options())
    Self.expectWhole(found.result)
  }

  /// Writes an archive of an entry with so many MiB of blanks in its middle, its sizes modulo four GiB and without zip64, as macOS does.
  private static let writer = """
    import struct, sys, zlib
    path, head, tail = sys.argv[1], open(sys.argv[2], 'rb').read(), open(sys.argv[3], 'rb').read()
    name, pack, blank = b'export.xml', zlib.compressobj(1, zlib.DEFLATED, -15), b' ' * (1 << 20)
    packed = crc = size = 0
    with open(path, 'wb') as out:
        out.write(bytes(30) + name)
        for part in [head] + [blank] * int(sys.argv[4]) + [tail, None]:
            data = pack.flush() if part is None else pack.compress(part)
            crc, size = zlib.crc32(part or b'', crc), size + len(part or b'')
            packed += out.write(data)
        fields = struct.pack('<HHHIIIIHH', 20, 0, 8, 0, crc, packed, size % 2**32, len(name), 0)
        directory = b'PK\\1\\2' + struct.pack('<H', 20) + fields + bytes(14) + name
        out.write(directory + b'PK\\5\\6' + struct.pack('<HHHHIIH', 0, 0, 1, 1, len(directory), 30 + len(name) + packed, 0))
        out.seek(0)
        out.write(b'PK\\3\\4' + fields)
    """

  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"

  @Test(
    "an entry that unfolds to a thousand times its size is read to its end in a worker, by night beyond four GiB",
    arguments: isNightly ? [200, 4_200] : [200])
  func unfolding(mebibytes: Int) async throws {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> URL { folder.url.appending(path: name) }
    let bytes = Self.file.bytes
    // The last record stands behind the blanks.
    let border = try #require(bytes.indices.last { bytes[$0...].starts(with: Array(" <Record".utf8)) })
    try Data(bytes[..<border]).write(to: path("head"))
    try Data(bytes[border...]).write(to: path("tail"))
    let done = try ChildProcess.run(
      tool: "python3",
      ["-c", Self.writer, path("export.zip").path, path("head").path, path("tail").path, "\(mebibytes)"])
    try #require(done.status == 0, "\(done.err)")
    let found = try await ImportStage(.worker).read(HealthExport(path: path("export.zip").path), ImportStage.options())
    Self.expectWhole(found.result)
  }
}
