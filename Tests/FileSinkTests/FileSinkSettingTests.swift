import Foundation
import HostErrors
import TestSupport
import Testing

@testable import FileSink

@Suite("Settings of files")
struct FileSinkSettingTests {
  private func read(_ text: String) throws -> FileSinkSetting { try FileSinkSetting(json: Array(text.utf8)) }

  @Test("what is left out has its default")
  func defaults() throws {
    let setting = try read(#"{"folder": "/srv/readings/"}"#)
    #expect(setting.folder == "/srv/readings" && setting.format == .jsonLines)
    #expect(setting.rotateBytes == 16 << 20 && setting.rotate == .never && setting.keep == nil)
  }

  @Test("a setting is what it was written as, by both ways of writing it")
  func roundTrip() throws {
    var setting = FileSinkSetting(folder: "/srv/é \"x\"", format: .csv)
    (setting.rotateBytes, setting.rotate, setting.keep) = (64 << 10, .month, 12)
    #expect(try FileSinkSetting(json: setting.json) == setting)
    #expect(try JSONDecoder().decode(FileSinkSetting.self, from: try JSONEncoder().encode(setting)) == setting)
    #expect(
      String(decoding: setting.json, as: UTF8.self)
        == #"{"folder":"/srv/é \"x\"","format":"csv","rotate_bytes":65536,"rotate":"month","keep":12}"#)
  }

  @Test(
    "what cannot be is refused by the member's name",
    arguments: [
      ("[]", .notJSON, nil), ("{", .notJSON, nil), ("{}", .missingMember, "folder"),
      (#"{"folder": "/a", "folder": "/b"}"#, .notJSON, nil),
      (#"{"folder": "/a", "roate": "day"}"#, .unknownMember, "roate"),
      (#"{"folder": 1}"#, .wrongMember, "folder"), (#"{"folder": null}"#, .wrongMember, "folder"),
      (#"{"folder": "a"}"#, .path, "folder"), (#"{"folder": ""}"#, .path, "folder"),
      (#"{"folder": "/"}"#, .path, "folder"), (#"{"folder": "/a/../b"}"#, .path, "folder"),
      (#"{"folder": "/a\u0000b"}"#, .path, "folder"),
      (#"{"folder": "/a", "format": "xml"}"#, .wrongMember, "format"),
      (#"{"folder": "/a", "format": "CSV"}"#, .wrongMember, "format"),
      (#"{"folder": "/a", "rotate": "hour"}"#, .wrongMember, "rotate"),
      (#"{"folder": "/a", "rotate": true}"#, .wrongMember, "rotate"),
      (#"{"folder": "/a", "rotate_bytes": 65535}"#, .outOfRange, "rotate_bytes"),
      (#"{"folder": "/a", "rotate_bytes": 1073741825}"#, .outOfRange, "rotate_bytes"),
      (#"{"folder": "/a", "rotate_bytes": "1"}"#, .wrongMember, "rotate_bytes"),
      (#"{"folder": "/a", "rotate_bytes": 70000.5}"#, .wrongMember, "rotate_bytes"),
      (#"{"folder": "/a", "keep": 0}"#, .outOfRange, "keep"), (#"{"folder": "/a", "keep": -1}"#, .outOfRange, "keep"),
    ] as [(String, FileSinkError.Code, String?)])
  func refused(text: String, code: FileSinkError.Code, member: String?) throws {
    let error = try #require(throws: FileSinkError.self) { try read(text) }
    #expect(error.code == code && error.member == member && error.kind == .usage)
    if let member { #expect(error.message.contains(member)) }
  }

  @Test("random members are a setting that can be, or a typed error", arguments: UInt64(1)...4)
  func fuzz(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let names = ["folder", "format", "rotate", "rotate_bytes", "keep", "x", "Folder"]
    let values = [
      "\"/a\"", "\"csv\"", "\"day\"", "65536", "1e9", "-3", "null", "true", "[]", "{}", "\"\"", "\"/..\"", "7.5",
      "9007199254740991", "\"\\ud83d\\ude00\"", "\"none\"",
    ]
    var taken = 0
    for _ in 0..<3_000 {
      let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
        let name = names[Int.random(in: 0..<names.count, using: &generator)]
        return "\"\(name)\":\(values[Int.random(in: 0..<values.count, using: &generator)])"
      }
      var bytes = Array("{\((["\"folder\":\"/srv/a\""] + members).joined(separator: ","))}".utf8)
      if Bool.random(using: &generator) { bytes[Int.random(in: 0..<bytes.count, using: &generator)] = 0x2C }
      do throws(FileSinkError) {
        let setting = try FileSinkSetting(json: bytes)
        taken += 1
        #expect(setting.folder.hasPrefix("/") && FileSinkSetting.rotateBytesRange.contains(setting.rotateBytes))
        #expect(setting.keep.map { FileSinkSetting.keepRange.contains($0) } ?? true)
        let again = try FileSinkSetting(json: setting.json)
        #expect(again == setting)
      } catch {
        #expect(error.kind == .usage && !error.message.isEmpty)
      }
    }
    #expect(taken > 0)
  }
}
