import Foundation
import HostPrimitives
import TestSupport
import Testing

@testable import FileSink

@Suite("Files that follow one another")
struct RotationTests {
  private let clock = StoppedClock()
  private static let day: Int64 = 86_400_000_000

  init() { clock.unixMicroseconds = 1_772_352_000_000_000 }

  @Test("a file has no more bytes than it may, and no reading is in two", arguments: FileSinkSetting.Format.allCases)
  func size(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    let sink = FileSink(files.setting { $0.rotateBytes = 64 << 10 }, clock: clock)
    for start in stride(from: 1, to: 1_000, by: 100) {
      #expect(await sink.deliver(start..<(start + 100)).allSatisfy(\.isDelivered))
    }
    let names = try files.names()
    #expect(names.count > 2)
    for name in names { #expect(try files.bytes(name).count <= 64 << 10) }
    for name in names.dropLast() { #expect(try files.bytes(name).count > 60 << 10) }
    #expect(try files.items() == DeliveredItem.first(1...1_000))
    #expect(names.first == "readings-2026-03-01T080000Z-001.\(format.rawValue)")
    #expect(names.dropFirst().first == "readings-2026-03-01T080000Z-002.\(format.rawValue)")
  }

  @Test("a reading that is larger than a file may be is one by itself")
  func large() async throws {
    let files = try SinkFiles()
    let sink = FileSink(files.setting { $0.rotateBytes = 64 << 10 }, clock: clock)
    let large = Fixture.reading(2, notes: [String(repeating: "x", count: 100_000)])
    let readings = [Fixture.reading(1), large, Fixture.reading(3)]
    #expect(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered))
    #expect(try files.names().count == 3 && files.items() == DeliveredItem.first(1...3))
  }

  @Test("the first reading of a day begins a file, and a clock that is set back does not")
  func days() async throws {
    let files = try SinkFiles()
    let sink = FileSink(files.setting { $0.rotate = .day }, clock: clock)
    #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
    clock.unixMicroseconds += Self.day
    #expect(await sink.deliver([1]).allSatisfy(\.isDelivered))
    #expect(try files.names().count == 1, "nothing new, so no new file")
    #expect(await sink.deliver([1, 2]).allSatisfy(\.isDelivered))
    clock.unixMicroseconds -= 3 * Self.day
    #expect(await sink.deliver([3]).allSatisfy(\.isDelivered))
    #expect(
      try files.names() == ["readings-2026-03-01T080000Z-001.jsonl", "readings-2026-03-02T080000Z-001.jsonl"])
    #expect(try files.items() == DeliveredItem.first(1...3))
  }

  @Test("a file of yesterday is finished by the next process, too")
  func dayOfNextProcess() async throws {
    let files = try SinkFiles()
    let setting = files.setting { $0.rotate = .month }
    #expect(await FileSink(setting, clock: clock).deliver([1]).allSatisfy(\.isDelivered))
    clock.unixMicroseconds += 31 * Self.day
    files.waitUntilFree()
    #expect(await FileSink(setting, clock: clock).deliver([2]).allSatisfy(\.isDelivered))
    #expect(try files.names().count == 2)
  }

  @Test("the newest finished files are kept, and nothing else is removed", arguments: [1, 3])
  func keep(count: Int) async throws {
    let files = try SinkFiles()
    let sink = FileSink(
      files.setting {
        $0.rotate = .day
        $0.keep = count
      }, clock: clock)
    let others = ["readings.jsonl", "readings-2020-01-01T000000Z-001.csv", "notes.txt"]
    for other in others { try Data("x".utf8).write(to: files.url.appending(path: other)) }
    for number in 1...6 {
      #expect(await sink.deliver([number]).allSatisfy(\.isDelivered))
      clock.unixMicroseconds += Self.day
    }
    let all = try FileManager.default.contentsOfDirectory(atPath: files.url.path)
    #expect(others.allSatisfy(all.contains))
    #expect(
      all.filter { FileName($0, .jsonLines) != nil }.sorted()
        == ((6 - count)...6).map { "readings-2026-03-0\($0)T080000Z-001.jsonl" })
  }
}
