import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

/// Multi-meters that send glucose and ketone alike: a public capture of one, with its empty records, and relatives.
@Suite struct GlucoseMultiMeterTests {
  static let captured: [[UInt8]] = [
    [3, 0, 0, 0xe4, 7, 3, 14, 23, 23, 0, 0, 0, 112, 0xb0, 0x11],
    [3, 1, 0, 0xe4, 7, 3, 14, 23, 23, 0, 0, 0, 0xff, 0xff, 0x11],
    [3, 2, 0, 0xe4, 7, 3, 10, 13, 49, 0, 0, 0, 13, 0xb0, 0x11],
    [3, 3, 0, 0xe4, 7, 3, 10, 13, 49, 0, 0, 0, 0xff, 0xff, 0x11],
  ]

  /// - Parameter fills: The meter puts an empty record behind each.
  static func packets(_ values: [UInt16], fills: Bool) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for (index, value) in values.enumerated() {
      let time: [UInt8] = [0xe4, 7, 3, 14, UInt8(index), 23, 0, 0, 0]
      packets.append([3, UInt8(packets.count), 0] + time + [UInt8(value & 0xff), 0xb0 | UInt8(value >> 8), 0x11])
      if fills { packets.append([3, UInt8(packets.count), 0] + time + [0xff, 0xff, 0x11]) }
    }
    return packets
  }

  @Test(arguments: [false, true])
  func theCapturedMeterGivesNoGlucoseOfItsKetone(newestFirst: Bool) throws {
    let bench = try RawBench()
    let read = try bench.read(RawMeter(packets: newestFirst ? Self.captured.reversed() : Self.captured))
    #expect(read.records.count == 2)
    let ketone = try #require(read.records.first { $0.values[0].metric == UInt16(MH_METRIC_BLOOD_KETONE) })
    #expect(ketone.values[0].value == 0.4 && ketone.values[0].raw == 4 && ketone.flags == MH_REC_HELD)
    let either = try #require(read.records.first { $0.values[0].value == 112 })
    // 3.7 mmol/L of ketone are 112, too; but nobody knows of ketone before the first.
    #expect(either.flags == (newestFirst ? MH_REC_HELD : 0))
    let later = Self.packets([90, 36], fills: true).map { packet in
      var packet = packet
      packet[1] += 4
      return packet
    }
    #expect(try bench.read(RawMeter(packets: later)).records.map(\.flags) == [MH_REC_HELD, MH_REC_HELD])
    #expect(read.records.allSatisfy { $0.values[0].value != 13 })
  }

  /// Where the model is known to send ketone so, what no glucose meter shows is ketone and needs nobody's word.
  @Test(arguments: zip([1, 13, 19, 20, 36, 240, 241, 300] as [UInt16], [0, 0.4, 0.6, 20, 36, 240, 241, 300]))
  func aKnownModel(field: UInt16, value: Double) throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets([field], fills: false)), [MH_PARAM_VENDOR: 1])
    let record = try #require(read.records.first)
    #expect(record.values[0].value == value)
    #expect(record.values[0].metric == UInt16(field < 20 ? MH_METRIC_BLOOD_KETONE : MH_METRIC_BLOOD_GLUCOSE))
    #expect(record.flags == ((20...240).contains(field) ? MH_REC_HELD : 0))
  }

  /// The empty records tell the meter, and so does its maker; what is learned stays for the next session.
  @Test(arguments: ["fillers", "maker", "learned"])
  func whatTellsTheMeter(sign: String) throws {
    let bench = try RawBench()
    if sign == "learned" { _ = try bench.read(RawMeter(packets: Self.captured)) }
    let parameters: [UInt32: Int64] = sign == "maker" ? [MH_PARAM_VENDOR + 1: 1] : [:]
    let packets = Self.packets([36, 250], fills: sign == "fillers").map { packet in
      var packet = packet
      packet[1] += 4
      return packet
    }
    let read = try bench.read(RawMeter(packets: packets), parameters)
    #expect(read.records.map(\.flags) == [MH_REC_HELD, 0] && read.values == [36, 250])
  }

  /// A meter of this build that has not shown a ketone: what would be a false low is doubted.
  @Test func withoutAKetoneOnlyTheLowOnesAreDoubted() throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets([112, 70, 69, 36], fills: true)))
    #expect(read.records.map(\.flags) == [0, 0, MH_REC_HELD, MH_REC_HELD] && read.values == [112, 70, 69, 36])
  }

  @Test func aMeterWithoutSuchSignsIsReadAsTheProfileSays() throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets([112, 36, 90], fills: false)))
    #expect(read.records.map(\.flags) == [0, 0, 0] && read.values == [112, 36, 90])
  }
}
