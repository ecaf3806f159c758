import Foundation
import TestSupport
import Testing

@testable import MeterHealth

/// The archive that stands for a folder, read by Python's reader of zip archives.
@Suite struct FolderArchiveTests {
  private func python(_ script: String, _ arguments: String...) throws -> String {
    let done = try ChildProcess.run(tool: "python3", ["-c", script] + arguments)
    try #require(done.status == 0, "\(done.err)")
    return done.out.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: [1, 7, 4_096, 1 << 20]) func everyRangeIsTheSameArchive(step: Int) throws {
    let folder = try TemporaryFolder()
    let inside = folder.url.appending(path: "in/b")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try Data().write(to: inside.appending(path: "empty"))
    try Data((0..<10_000).map { UInt8($0 % 251) }).write(to: inside.appending(path: "\u{5BFC}\u{51FA}.csv"))
    try Data("a".utf8).write(to: folder.url.appending(path: "in/a.csv"))
    let export = try HealthExport(path: folder.url.appending(path: "in").path)
    var bytes: [UInt8] = []
    while UInt64(bytes.count) < export.size { bytes += try export.read(step, at: UInt64(bytes.count)) }
    #expect(try export.read(step, at: export.size).isEmpty && bytes.count == Int(export.size))
    let file = folder.url.appending(path: "archive.zip")
    try Data(bytes).write(to: file)
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      assert archive.read("b/\\u5bfc\\u51fa.csv") == bytes(i % 251 for i in range(10000))
      print([ascii(name) for name in archive.namelist()] == ["'a.csv'", "'b/empty'", "'b/\\\\u5bfc\\\\u51fa.csv'"])
      """
    #expect(try python(script, file.path) == "True")
  }

  @Test func sizesAndPlacesBeyond32BitsAreRead() throws {
    let large: UInt64 = 5 << 30
    var entries: [StoredEntry] = []
    for (name, size) in [("large", large), ("a", 1), ("b", 0)] {
      var status = stat()
      status.st_size = off_t(size)
      let file = FolderListing.File(path: Array(name.utf8), mark: ExportFile.Mark(status))
      entries.append(StoredEntry(file: file, checksum: 0, offset: entries.last?.end ?? 0))
    }
    let directory = StoredDirectory(entries)
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "sparse.zip")
    try Data().write(to: path)
    let handle = try FileHandle(forWritingTo: path)
    for entry in entries {
      try handle.seek(toOffset: entry.offset)
      try handle.write(contentsOf: Data(entry.localHeader))
    }
    try handle.seek(toOffset: directory.offset)
    try handle.write(contentsOf: Data(directory.bytes))
    try handle.close()
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      for entry in archive.infolist():
        archive.open(entry).close()
        print(entry.filename, entry.file_size, entry.compress_size, entry.header_offset, end=";")
      """
    let told = entries.map { entry in
      "\(String(decoding: entry.file.path, as: UTF8.self)) \(entry.size) \(entry.size) \(entry.offset);"
    }
    #expect(try python(script, path.path) == told.joined())
    #expect(entries[1].offset > large)
  }

  @Test func asManyFilesAs16BitsCannotCountAreRead() throws {
    var entries: [StoredEntry] = []
    for index in 0..<70_000 {
      let file = FolderListing.File(path: Array("\(index)".utf8), mark: ExportFile.Mark(stat()))
      entries.append(StoredEntry(file: file, checksum: 0, offset: entries.last?.end ?? 0))
    }
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "many.zip")
    try Data(entries.flatMap(\.localHeader) + StoredDirectory(entries).bytes).write(to: path)
    let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).infolist()))"
    #expect(try python(script, path.path) == "70000")
  }

  @Test(arguments: 0...17) func theCheckSumDoesNotDependOnThePieces(first: Int) {
    var checksum = Checksum()
    // The check value of CRC-32 is that of the nine digits.
    checksum.add(Array("123456789".utf8))
    #expect(checksum.value == 0xCBF4_3926)
    let bytes = (0..<40).map { UInt8($0 * 5) }
    var (whole, pieces) = (Checksum(), Checksum())
    whole.add(bytes)
    pieces.add(Array(bytes[..<first]))
    pieces.add(Array(bytes[first...]))
    #expect(whole.value == pieces.value && whole.value != Checksum().value)
  }
}
