import Foundation
import TestSupport
import Testing

/// Exports that end too early, or are larger in one direction than any phone's.
@Suite struct AppleHealthLimitTests {
  /// A line of the host: from so many bytes on so many records come out.
  struct Step: Decodable, Hashable {
    let at: Int
    let records: Int
  }

  /// About 20 kB of records, and behind which byte each of them ends.
  static func records() -> (file: [UInt8], ends: [Int]) {
    var (body, ends) = ("", [Int]())
    let start = WrittenExport.file("").count - "</HealthData>\n".utf8.count
    for index in 0..<85 {
      body +=
        WrittenExport.Record(
          source: "Kim\u{2019}s\u{a0}Watch", value: "\(index + 1)",
          children: index % 3 == 0 ? WrittenExport.metadata("HKTimeZone", "Europe/Berlin") : ""
        ).text
      // The line's end is no part of the record.
      ends.append(start + body.utf8.count - 1)
    }
    return (WrittenExport.file(body), ends)
  }

  @Test(
    "a cut behind any byte leaves the records that are whole before it, and no other one",
    arguments: ["bare", "stored", "deflated"])
  func cuts(kind: String) throws {
    let (file, ends) = Self.records()
    let zip = WrittenZip(file, method: kind == "stored" ? 0 : 8)
    // The local header with the entry's name, and the head of the only block.
    let header = 30 + zip.entries[0].name.utf8.count + (kind == "deflated" ? 5 : 0)
    let before = kind == "bare" ? 0 : header
    let lines = try AppleHost.lines(kind == "bare" ? file : zip.bytes, ["--cuts", "1"])
    let steps = try lines.filter { $0.hasPrefix("{\"at\"") }.map {
      try JSONDecoder().decode(Step.self, from: Data($0.utf8))
    }
    #expect(file.count > 18_000 && steps.count == 85)
    #expect(steps == ends.enumerated().map { Step(at: before + $0.element, records: $0.offset + 1) })
    #expect(lines.last?.contains("\"wrong\":0") == true)
  }

  /// What a file comes to that a test writes piece by piece, and the most memory that reading it took, in KiB.
  static func read(_ write: (FileHandle) throws -> Void) throws -> (outcome: AppleHost.Outcome, memory: Double) {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "export.xml")
    try Data(WrittenExport.file("").dropLast("</HealthData>\n".utf8.count)).write(to: path)
    let file = try FileHandle(forWritingTo: path)
    try file.seekToEnd()
    try write(file)
    try file.write(contentsOf: Data("</HealthData>\n".utf8))
    try file.close()
    let lines = try AppleHost.lines(of: path, ["--fast"]).suffix(2).map { Data($0.utf8) }
    try #require(lines.count == 2)
    let usage = try JSONDecoder().decode([String: Double].self, from: lines[1])
    return (try JSONDecoder().decode(AppleHost.Outcome.self, from: lines[0]), try #require(usage["maxrss_kib"]))
  }

  @Test("an export that is sixteen times as large needs no more memory") func memory() throws {
    let block = Data((0..<4_000).map { WrittenExport.Record(value: "\($0)").text }.joined().utf8)
    func read(_ count: Int) throws -> Double {
      let (outcome, memory) = try Self.read { file in for _ in 0..<count { try file.write(contentsOf: block) } }
      #expect(outcome.end == "done" && outcome.count("StepCount") == 4_000 * count)
      return memory
    }
    #expect(try read(64) <= read(4) + 2_048)
  }

  @Test("of 100,000 names of sources no sample is lost, and memory has a limit") func manyNames() throws {
    let record = Array(WrittenExport.Record(source: "S######").text.utf8)
    let (outcome, memory) = try Self.read { file in
      try file.write(contentsOf: Data(Self.numbered(record, 0..<100_000)))
    }
    #expect(outcome.end == "done" && !outcome.partial && outcome.refused.isEmpty)
    #expect(outcome.count("StepCount") == 100_000)
    #expect(memory < 20_480)
  }

  @Test("a million keys of metadata cost no sample, and memory has a limit") func manyKeys() throws {
    let open = Data(WrittenExport.Record(children: " ").text.replacing(" </Record>\n", with: "").utf8)
    let entry = Array(WrittenExport.metadata("K######", "v").utf8)
    let (outcome, memory) = try Self.read { file in
      // The thousands are put into a block of entries that has all lower digits already.
      var block = Self.numbered(entry, 0..<1_000)
      let digits = try #require(entry.firstIndex(of: UInt8(ascii: "#")))
      for thousand in 0..<1_000 {
        let number = [thousand / 100, thousand / 10 % 10, thousand % 10].map { UInt8(48 + $0) }
        for start in stride(from: digits, to: block.count, by: entry.count) {
          block.replaceSubrange(start..<start + 3, with: number)
        }
        try file.write(contentsOf: open + block + Data(" </Record>\n".utf8))
      }
    }
    #expect(outcome.end == "done" && !outcome.partial && outcome.refused.isEmpty)
    #expect(outcome.count("StepCount") == 1_000)
    #expect(memory < 20_480)
  }

  /// A text for each number, with its digits where the text has `#`.
  static func numbered(_ text: [UInt8], _ numbers: Range<Int>) -> [UInt8] {
    let places = text.indices.filter { text[$0] == UInt8(ascii: "#") }
    var out: [UInt8] = []
    out.reserveCapacity(numbers.count * text.count)
    for number in numbers {
      let start = out.count
      out += text
      var rest = number
      for place in places.reversed() {
        out[start + place] = UInt8(48 + rest % 10)
        rest /= 10
      }
    }
    return out
  }
}
