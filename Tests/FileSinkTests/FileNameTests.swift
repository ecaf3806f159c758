import TestSupport
import Testing

@testable import FileSink

@Suite("Names of files")
struct FileNameTests {
  private static let morning: Int64 = 1_772_352_000_000_000

  @Test("a name is the moment at which the file was begun")
  func first() {
    let name = FileName(after: nil, at: Self.morning + 999_999, .jsonLines)
    #expect(name.text == "readings-2026-03-01T080000Z-001.jsonl")
    #expect(FileName(name.text, .jsonLines) == name && FileName(name.text, .csv) == nil)
  }

  @Test("a later file has a greater name, whatever the clock does", arguments: UInt64(1)...3)
  func order(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var last: FileName?
    for _ in 0..<3_000 {
      let step = Int64.random(in: -2_000_000...2_000_000, using: &generator)
      let name = FileName(after: last, at: Self.morning + step, .csv)
      if let last { #expect(last < name && last.text < name.text) }
      #expect(FileName(name.text, .csv) == name)
      last = name
    }
  }

  @Test("a clock that was never set, or is far ahead, still gives a name", arguments: [Int64.min, -1, 0, .max])
  func oddClocks(microseconds: Int64) {
    let name = FileName(after: nil, at: microseconds, .jsonLines)
    #expect(FileName(name.text, .jsonLines) == name)
    #expect(FileName(after: name, at: microseconds, .jsonLines) > name)
  }

  @Test(
    "no other name is one",
    arguments: [
      "", "readings", "readings-2026-03-01T080000Z-001.csv", "readings-2026-03-01T080000Z-000.jsonl",
      "readings-2026-02-30T080000Z-001.jsonl", "readings-2026-03-01T240000Z-001.jsonl",
      "readings-2026-03-01T080060Z-001.jsonl", "readings-2026-03-01T080000Z-001.jsonl.part",
      "Readings-2026-03-01T080000Z-001.jsonl", "readings-2026-03-01T08:00:00Z-001.jsonl",
      "readings-2026-03-01T+80000Z-001.jsonl", "readings-1969-12-31T235959Z-001.jsonl",
    ])
  func foreign(text: String) { #expect(FileName(text, .jsonLines) == nil) }

  @Test(
    "a file is over when a later day or month begins, and never because the clock was set back",
    arguments: [
      (.never, 400, false), (.day, 0, false), (.day, 1, true), (.day, -1, false), (.month, 1, false),
      (.month, 30, false), (.month, 31, true), (.month, -2, false),
    ] as [(FileSinkSetting.Rotation, Int64, Bool)])
  func over(rotation: FileSinkSetting.Rotation, days: Int64, isOver: Bool) {
    let name = FileName(after: nil, at: Self.morning, .jsonLines)
    #expect(name.isOver(rotation, at: Self.morning + days * 86_400_000_000) == isOver)
  }
}
