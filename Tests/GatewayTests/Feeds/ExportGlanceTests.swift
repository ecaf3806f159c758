import Testing

@testable import GatewayEngine

@Suite("A glance at a file") struct ExportGlanceTests {
  private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  @Test(
    "tells what an export may be by its first bytes",
    arguments: [
      ([0x50, 0x4b, 0x03, 0x04, 0x14], .archive), (Array("SQLite format 3".utf8) + [0, 16], .database),
      (Array("<?xml version".utf8), .markup), (Array("\r\n\t <HealthData>".utf8), .markup),
      (mark + Array("<a>".utf8), .markup), (Array("{\"data\"".utf8), .json), (Array(" [1".utf8), .json),
      (mark + Array("\n{".utf8), .json),
    ] as [([UInt8], ExportGlance)])
  func known(bytes: [UInt8], glance: ExportGlance) { #expect(ExportGlance(bytes) == glance) }

  @Test(
    "takes nothing else for one",
    arguments: [
      [], [0x50], [0x50, 0x4b, 0x05, 0x06], Array("SQLite format 3 ".utf8), Array("Dear diary".utf8), mark,
      [0x20, 0x20], [0xff, 0xd8, 0xff], [0, 0x7b], Array("%PDF-1.7 {".utf8), [0xef, 0xbb, 0x7b],
    ] as [[UInt8]])
  func unknown(bytes: [UInt8]) { #expect(ExportGlance(bytes) == nil) }
}

@Suite("The name of an entry of a watched folder") struct ExportNameTests {
  @Test(
    "says whether it may be an export",
    arguments: [
      ("export.zip", false, .file), ("導出.xml", false, .file), ("no ending", false, .file), ("a.part.zip", false, .file),
      ("export.zip.crdownload", false, .ignored), ("export.zip.PART", false, .ignored), ("a.partial", false, .ignored),
      ("x.tmp", false, .ignored), ("x.download", false, .ignored), ("export.zip~", false, .ignored),
      ("~$export.zip", false, .ignored), (".export.zip", false, .ignored), (".", true, .ignored),
      ("..", true, .ignored), ("", false, .ignored), ("folder", true, .ignored),
      ("samsunghealth_user_2026", true, .exportFolder), ("SamsungHealth_user", true, .exportFolder),
      (".samsunghealth_user", true, .ignored), ("samsunghealth_user", false, .file),
    ] as [(String, Bool, ExportName)])
  func judged(name: String, isFolder: Bool, judgement: ExportName) {
    #expect(ExportName(name, isFolder: isFolder) == judgement)
  }
}
