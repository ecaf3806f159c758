import Foundation
import MeterDrivers
import Testing

@testable import MeterConformance

@Suite struct BundleFolderTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "mh-folder-\(UUID().uuidString.prefix(12))")

  private func write(_ path: String, _ text: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func fragment(_ id: String) -> String {
    #"{"registry_version": 1, "drivers": [{"id": "\#(id)", "library": "drivers/lib\#(id).so"}]}"#
  }

  @Test("what lies in a folder is told apart by content, and what is not the bundle's is passed over")
  func content() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("anything.json", fragment("one"))
    try write("build/copy.json", fragment("one"))
    try write("build/drivers/libone.so", "library")
    try write("other/two.json", fragment("two"))
    try write("thing.json", #"{"advertisement": {}, "behaviour": {"kind": "database"}}"#)
    try write("build/thing.json", #"{"advertisement": {}, "behaviour": {"kind": "database"}}"#)
    try write("values.json", #"[{"id": "a", "characteristic": "2A9D", "hex": "00"}]"#)
    try write("package.json", #"{"name": "no business of ours"}"#)
    try write("SDK/include/meterhost/driver.h", "")
    try write("SDK/templates/fragment.json", fragment("template"))
    try write("SDK/meters/meter.json", #"{"behaviour": {"kind": "stream"}}"#)
    try write(".build/debug/x.json", fragment("hidden"))
    // Exports may be of any form, also of one that something else here has.
    try write("exports/a.csv", "start,end")
    try write("exports/list.json", #"[{"id": "b", "characteristic": "2A9D", "hex": "00"}]"#)
    try write("exports/.hidden", "")
    try write("exports/deeper/b.csv", "")
    let found = try BundleFolder(folder.path)
    func names(_ files: [URL]) -> [String] {
      files.map { String($0.path.dropFirst(found.root.path.count + 1)) }.sorted()
    }
    #expect(names(found.fragments) == ["build/copy.json", "other/two.json"])
    #expect(found.meters.count == 1 && names(found.vectors) == ["values.json"])
    #expect(names(found.exports) == ["exports/a.csv", "exports/list.json"])
    let built = try #require(found.fragments.first { $0.lastPathComponent == "copy.json" })
    #expect(found.library("drivers/libone.so", of: built)?.lastPathComponent == "libone.so")
    // Built elsewhere than the fragment says.
    let other = try #require(found.fragments.first { $0.lastPathComponent == "two.json" })
    #expect(found.library("drivers/libtwo.so", of: other) == nil)
    #expect(found.library("drivers/libone.so", of: other)?.path.hasSuffix("build/drivers/libone.so") == true)
  }

  @Test("a driver is tried with the files that its fragment names")
  func assets() throws {
    let bundle = try FixtureBundle { name, text in
      guard name == "fragment.json" else { return text }
      return text.replacing(
        #""library": "libscale.so""#,
        with: #""library": "libscale.so", "assets": [{"name": "table", "file": "assets/t.bin"}]"#)
    }
    defer { bundle.remove() }
    let loader = SubjectLoader(target: bundle.target(bundle.folder.path))
    #expect { _ = try loader.load() } throws: { ($0 as? ConformanceError)?.code == .notBuilt }
    let file = bundle.folder.appending(path: "assets/t.bin")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("abc".utf8).write(to: file)
    let loaded = try loader.load()
    #expect(loaded.subjects.map(\.bundle.assets) == [["table": Array("abc".utf8)]])
    #expect(loaded.refusals.isEmpty)
  }

  @Test("a folder without a fragment is no bundle's")
  func nothing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write("values.json", "[]")
    #expect { try BundleFolder(folder.path) } throws: { ($0 as? ConformanceError)?.code == .unknownTarget }
  }
}
