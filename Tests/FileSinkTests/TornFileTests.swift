import Foundation
import MeterCore
import Testing

@testable import FileSink

/// What a killed process or a power cut leaves behind the last line that was acknowledged.
@Suite("Torn files")
struct TornFileTests {
  private let readings = (1...4).map { number in
    Fixture.reading(number, values: [Fixture.value, Fixture.beforeMeal, Fixture.value], notes: ["a, \"b\""])
  }

  /// The file as the first two readings have left it, and with all four.
  private func written(_ files: SinkFiles) async throws -> (acknowledged: Int, whole: [UInt8], name: String) {
    let sink = files.sink()
    #expect(await sink.deliver(Array(readings[..<2]), with: Fixture.credential).allSatisfy(\.isDelivered))
    let name = try #require(try files.names().first)
    let acknowledged = try files.bytes(name).count
    #expect(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered))
    return (acknowledged, try files.bytes(name), name)
  }

  @Test(
    "cut at any byte behind what was acknowledged, every reading is there once after the next delivery",
    arguments: FileSinkSetting.Format.allCases)
  func everyByte(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    let (acknowledged, whole, name) = try await written(files)
    for length in acknowledged...whole.count {
      try files.replace(name, with: Array(whole[..<length]))
      let sink = files.sink()
      try #require(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered), "cut at \(length)")
      try #require(try files.bytes(name) == whole, "cut at \(length)")
    }
  }

  @Test("holes that a power cut has left are cut off, too", arguments: FileSinkSetting.Format.allCases)
  func holes(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    let (acknowledged, whole, name) = try await written(files)
    for length in stride(from: acknowledged, to: whole.count, by: 37) {
      var bytes = whole
      for index in length..<min(whole.count, length + 4_096) { bytes[index] = 0 }
      try files.replace(name, with: bytes)
      let sink = files.sink()
      try #require(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered))
      try #require(try files.bytes(name) == whole, "a hole from \(length)")
    }
  }

  @Test("a file that ends within its heading is begun again")
  func heading() async throws {
    let files = try SinkFiles(.csv)
    let (_, whole, name) = try await written(files)
    for length in 0...CSVRows().heading.count {
      try files.replace(name, with: Array(whole[..<length]))
      let sink = files.sink()
      try #require(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered))
      try #require(try files.bytes(name) == whole, "cut at \(length)")
    }
  }

  @Test("a file with other columns is left as it is, and the next one is begun")
  func otherColumns() async throws {
    let files = try SinkFiles(.csv)
    let (_, _, name) = try await written(files)
    let other = Array("log_id,more\r\n".utf8)
    try files.replace(name, with: other)
    #expect(await files.sink().deliver([1]).allSatisfy(\.isDelivered))
    #expect(try files.names().count == 2 && files.bytes(name) == other)
  }

  @Test("what is known reaches over many small files", arguments: FileSinkSetting.Format.allCases)
  func manyFiles(format: FileSinkSetting.Format) async throws {
    let files = try SinkFiles(format)
    #expect(await files.sink { $0.rotateBytes = 64 << 10 }.deliver(1...2_000).allSatisfy(\.isDelivered))
    #expect(try files.names().count > 4)
    #expect(await files.sink { $0.rotateBytes = 64 << 10 }.deliver(1...2_001).allSatisfy(\.isDelivered))
    #expect(try files.items() == DeliveredItem.first(1...2_001))
  }

  @Test("lines that are longer than a piece that is read at once are found")
  func longLines() async throws {
    let files = try SinkFiles()
    let points = (0..<20_000).map { index in
      RecordSeries.Point(
        timeMicroseconds: Fixture.morning + Int64(index) * 1_000_000, number: ReportedNumber(mantissa: 70, exponent: -1)
      )
    }
    let details = RecordDetails(
      series: RecordSeries(granularity: nil, channels: [RecordSeries.Channel(metric: 1, unit: 3, points: points)]))
    let readings = (1...2).map { Fixture.reading($0, values: [], type: .cgm, details: details) } + [Fixture.reading(3)]
    for _ in 1...2 {
      let sink = files.sink()
      #expect(await sink.deliver(readings, with: Fixture.credential).allSatisfy(\.isDelivered))
    }
    #expect(try files.items() == DeliveredItem.first(1...3))
    let name = try #require(try files.names().first)
    #expect(try files.bytes(name).count > 2 << 20)
  }
}
