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
    // 3.7 mmol/L of ketone are 112, too.
    #expect(either.flags == MH_REC_HELD)
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
    let flags = Dictionary(uniqueKeysWithValues: zip(read.values, read.records.map(\.flags)))
    #expect(flags == [36: MH_REC_HELD, 250: 0])
  }

  /// A meter of this build that has not shown a ketone: what would be a false low is doubted.
  @Test func withoutAKetoneOnlyTheLowOnesAreDoubted() throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets([112, 70, 69, 36], fills: true)))
    #expect(read.records.map(\.flags) == [0, 0, MH_REC_HELD, MH_REC_HELD] && read.values == [112, 70, 69, 36])
  }

  /// One ketone anywhere makes everything doubtful that ketone can be, what came before it, too.
  @Test(arguments: [[105, 90, 13], [13, 105, 90], [105, 13, 90], [240, 13, 300]] as [[UInt16]])
  func oneKetoneMakesAllDoubtful(values: [UInt16]) throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets(values, fills: true)))
    for record in read.records {
      #expect(record.flags == (record.values[0].value == 300 ? 0 : MH_REC_HELD), "\(record.values[0].value)")
    }
    #expect(read.records.count == values.count)
  }

  /// The maker is known: whatever offset, status, place or unit the packet has, what ketone can be is held.
  @Test(
    arguments: [
      [3, 60, 0, 36, 0xb0, 0x11], [3, 0xc4, 0xff, 90, 0xb0, 0x11], [0x0b, 0, 0, 36, 0xb0, 0x11, 0, 0],
      [3, 0, 0, 36, 0xb0, 0x1f], [3, 0, 0, 36, 0xb0, 0xf1], [3, 60, 0, 13, 0xb0, 0x11], [7, 0, 0, 12, 0xc0, 0x11],
      [7, 0, 0, 30, 0xc0, 0x11], [7, 0, 0, 80, 0xc0, 0x11],
    ] as [[UInt8]])
  func aKnownMakerIsDoubtedInEveryForm(tail: [UInt8]) throws {
    let packet = [tail[0], 0, 0, 0xe4, 7, 3, 14, 23, 23, 0] + tail.dropFirst()
    let read = try RawBench().read(RawMeter(packets: [packet]), [MH_PARAM_VENDOR + 1: 1])
    #expect(read.records.map(\.flags) == [MH_REC_HELD])
    // Without an offset field, too; and beyond what ketone can be it is glucose.
    let plain = [tail[0] & ~1, 0, 0, 0xe4, 7, 3, 14, 23, 23, 0] + tail.dropFirst(3)
    #expect(
      try RawBench().read(RawMeter(packets: [plain]), [MH_PARAM_VENDOR + 1: 1]).records.map(\.flags) == [MH_REC_HELD])
    var high = packet
    (high[12], high[13]) = (tail[0] & 4 != 0 ? 82 : 250, tail[4])
    #expect(try RawBench().read(RawMeter(packets: [high]), [MH_PARAM_VENDOR + 1: 1]).records.map(\.flags) == [0])
  }

  @Test func aMealDoesNotSayWhatWasMeasured() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open(TestOpening(parameters: [MH_PARAM_VENDOR + 1: 1]))
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    for token in [1, 2, 3] as [UInt64] { session.commit(.subscribed(token: token)) }
    let packet: [UInt8] = [3, 0, 0, 0xe4, 7, 3, 14, 23, 23, 0, 0, 0, 36, 0xb0, 0x11]
    #expect(session.commit(.notification(10, packet)).records.map(\.flags) == [MH_REC_HELD])
    #expect(session.commit(.notification(13, [2, 0, 0, 1])).records.isEmpty)
    let end = session.commit(.indication(16, [6, 0, 1, 1]))
    #expect(end.records.map(\.flags) == [MH_REC_HELD] && end.records[0].value(MH_METRIC_RELATIONSHIP_TO_MEAL) != nil)
  }

  /// 1 to 5 are meals; another code may be a maker's mark for ketone.
  @Test(arguments: zip([1, 5, 6, 7, 255] as [UInt8], [0, 0, MH_REC_HELD, MH_REC_HELD, MH_REC_HELD]))
  func aMealThatThereIsNotIsDoubted(meal: UInt8, flags: UInt32) throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open(TestOpening())
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    for token in [1, 2, 3] as [UInt64] { session.commit(.subscribed(token: token)) }
    session.commit(.notification(10, [0x12, 7, 0, 0xe4, 7, 3, 14, 23, 23, 0, 45, 0xb0, 0x11]))
    #expect(session.commit(.notification(13, [2, 7, 0, meal])).records.map(\.flags) == [flags])
  }

  @Test func aMeterWithoutSuchSignsIsReadAsTheProfileSays() throws {
    let read = try RawBench().read(RawMeter(packets: Self.packets([112, 36, 90], fills: false)))
    #expect(read.records.map(\.flags) == [0, 0, 0] && read.values == [112, 36, 90])
  }
}
