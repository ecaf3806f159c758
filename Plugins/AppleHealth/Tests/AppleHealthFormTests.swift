import Foundation
import TestSupport
import Testing

/// XML that is not quite XML, and archives of every kind.
@Suite struct AppleHealthFormTests {
  typealias Record = WrittenExport.Record

  @Test("a type definition is passed over, whatever is wrong with it") func definition() throws {
    let outcome = try AppleHost.outcome(WrittenExport.file(Record().text, dtd: WrittenExport.brokenDTD))
    #expect(outcome.samples == 1)
    #expect(outcome.exported == 1_774_987_200_000_000)
  }

  static let odd = [
    Record(first: "Withings Link=\"x\" ").text, Record(last: " note='it\"s > it'").text,
    "<!-- <Record/> -->" + Record().text + "<![CDATA[ x ]]>", "<a>" + Record().text + "</a>",
    Record().text.replacing(" ", with: "\n\t"), Record().text.replacing("=", with: " = "),
  ]

  @Test("odd writing is read", arguments: odd.indices) func oddWriting(index: Int) throws {
    let file = WrittenExport.file(Self.odd[index])
    let outcome = try AppleHost.outcome(file)
    #expect(outcome.count("StepCount") == 1)
    #expect(outcome.end == "done")
  }

  @Test("a quote that is missing costs its record and the next") func quote() throws {
    let broken = Record().text.replacing("value=\"1000\"", with: "value=\"1000")
    let outcome = try AppleHost.outcome(
      WrittenExport.file(broken + Record(value: "7").text + Record(start: "10:05:00").text))
    #expect(outcome.refused == ["form": 1])
    #expect(outcome.samples == 1)
  }

  @Test("an attribute or an element that is too long is refused, and the next is read") func tooLong() throws {
    let attribute = Record(last: " x=\"\(String(repeating: "a>b", count: 700_000))\"")
    let children = Record(children: String(repeating: WrittenExport.metadata("k", "v"), count: 30_000))
    for long in [attribute, children] {
      let outcome = try AppleHost.outcome(WrittenExport.file([Record(), long, Record()]))
      #expect(outcome.samples == 2)
      #expect(outcome.refused == ["too_long": 1])
    }
  }

  @Test("ten thousand elements in each other are ten thousand refusals") func nesting() throws {
    let open = "<Correlation type=\"HKCorrelationTypeIdentifierFood\">"
    let outcome = try AppleHost.outcome(WrittenExport.file(String(repeating: open, count: 10_000)))
    #expect(outcome.refused == ["form": 10_000])
  }

  @Test("of 10,000 sources those above a limit are one") func manySources() throws {
    let reading = try AppleHost.read(WrittenExport.file((0..<10_000).map { Record(source: "S\($0)") }))
    #expect(reading.samples.count == 10_000)
    #expect(reading.sources().count == 4_097)
    #expect(reading.samples.last?.source == "other")
  }

  static let kinds = ["bare", "deflated", "stored", "behind something", "descriptor", "odd name"]

  static func archive(_ kind: String) -> [UInt8] {
    let whole = WrittenExport.whole()
    var zip = WrittenZip(whole, method: kind == "stored" ? 0 : 8)
    if kind == "bare" { return whole }
    if kind == "behind something" { zip.before = Array("#!/bin/sh\n".utf8) }
    if kind == "descriptor" { zip.entries[0].hasDescriptor = true }
    if kind == "odd name" { zip.entries[0].name = "__MACOSX/../σ»╝σç║.xml" }
    return zip.bytes
  }

  @Test("the same export is the same in every archive and in every piece", arguments: kinds)
  func pieces(kind: String) throws {
    let bare = try AppleHost.outcome(WrittenExport.whole())
    let outcome = try AppleHost.outcome(Self.archive(kind))
    #expect(outcome.digest == bare.digest)
    #expect(outcome.partial == false)
    let sweep = try AppleHost.sweep(Self.archive(kind), ["--chunks", "1-300"])
    #expect(sweep.different == 0)
  }

  @Test("an export that is cut gives its whole records, and is partial", arguments: kinds) func cuts(kind: String)
    throws
  {
    let sweep = try AppleHost.sweep(Self.archive(kind), ["--cuts", kind == "bare" ? "1" : "3"])
    #expect(sweep.wrong == 0)
    #expect((sweep.partial ?? 0) > 0)
  }

  @Test("bytes that change by chance break nothing", arguments: kinds) func mutants(kind: String) throws {
    #expect(try AppleHost.sweep(Self.archive(kind), ["--mutate", "7", "300"]).mutants == 300)
  }

  @Test("without a directory an archive is read from the front, and is partial", arguments: [false, true])
  func noDirectory(hasDescriptor: Bool) throws {
    let route = Array(("<gpx>" + String(repeating: "x", count: 400_000)).utf8)
    var zip = WrittenZip([.init(name: "a.gpx", content: route), .init(content: WrittenExport.whole())])
    for index in zip.entries.indices { zip.entries[index].hasDescriptor = hasDescriptor }
    zip.hasDirectory = false
    let outcome = try AppleHost.outcome(zip.bytes)
    #expect(outcome.digest == (try AppleHost.outcome(WrittenExport.whole())).digest)
    #expect(outcome.partial)
    #expect(try AppleHost.sweep(zip.bytes, ["--chunks", "990-1000"]).different == 0)
    #expect(try AppleHost.outcome(zip.bytes, ["--unknown-size"]).digest == outcome.digest)
  }

  @Test("of two exports the larger one is read, and the other is told") func two() throws {
    let small = WrittenExport.file([Record()])
    for entries in [[small, WrittenExport.whole()], [WrittenExport.whole(), small]] {
      let outcome = try AppleHost.outcome(WrittenZip(entries.map { WrittenZip.Entry(content: $0) }).bytes)
      #expect(outcome.digest == (try AppleHost.outcome(WrittenExport.whole())).digest)
      #expect(outcome.refused == ["form": 1])
      #expect(outcome.partial == false)
    }
  }

  @Test("a check sum that is wrong makes it partial") func damaged() throws {
    var zip = WrittenZip(WrittenExport.whole())
    zip.crcError = 1
    let outcome = try AppleHost.outcome(zip.bytes)
    #expect(outcome.partial)
    #expect(outcome.refused == ["damaged": 1])
    #expect(outcome.samples > 0)
  }

  @Test("what holds no export fails, and says what to do") func nothing() throws {
    let document = Array(String(repeating: "<ClinicalDocument/>", count: 100).utf8)
    var encrypted = WrittenZip(WrittenExport.whole())
    encrypted.entries[0].isEncrypted = true
    let files: [([UInt8], String)] = [
      ([], "empty"), (WrittenZip([]).bytes, "no export"), (WrittenZip(document).bytes, "no export"),
      (document, "no export"), (encrypted.bytes, "encrypted"),
    ]
    for (file, words) in files {
      let outcome = try AppleHost.outcome(file)
      #expect(outcome.end == "failed")
      #expect(outcome.text.contains(words))
    }
  }

  @Test("what unfolds to very much is read in parts") func bomb() throws {
    let data = WrittenZip.bomb(Array("<HealthData>".utf8), runs: 400_000)
    let zip = WrittenZip([.init(content: Array("<HealthData>".utf8), data: data)])
    let outcome = try AppleHost.outcome(zip.bytes)
    #expect(outcome.end == "done")
    #expect(outcome.partial)
  }

  /// The folder of samples that are not part of the repository: exports of two phones.
  static let samples = ProcessInfo.processInfo.environment["METERHOST_SAMPLES"].map { URL(filePath: $0) }

  @Test(
    "exports of real phones are counted as they were by others",
    .enabled(if: samples != nil, "METERHOST_SAMPLES names no folder with apple-health/*.zip"),
    arguments: ["test-export.zip", "test-export3.zip"])
  func phones(name: String) throws {
    let folder = try #require(Self.samples)
    let outcome = try AppleHost.outcome(of: folder.appending(path: "apple-health/\(name)"))
    #expect(outcome.counts.values.reduce(0, +) == 8_038)
    #expect(outcome.counts.count == 28)
    #expect(outcome.count("RestingHeartRate") == 293)
    #expect(outcome.count("VO2Max") == 38)
    #expect(outcome.refused.isEmpty)
    #expect(outcome.partial == false)
  }
}
