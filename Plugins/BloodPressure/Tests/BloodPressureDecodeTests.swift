import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

@Suite struct BloodPressureDecodeTests {
  let vectors = Vector.load("BloodPressure")

  func decode(_ bytes: [UInt8], _ parameters: [UInt32: Int64] = [:]) throws -> TestRecord {
    let host = try TestHost(bundle: "blood-pressure")
    return try #require(host.decode([(0x2a35, bytes)], TestOpening(parameters: parameters))[0].records.first)
  }

  func bytes(_ id: String) throws -> [UInt8] { try #require(vectors.first { $0.id == id }).bytes }

  @Test func identityIsTimePressuresAndUnit() throws {
    let record = try decode(bytes("bls-omron-124"))
    #expect(record.identityClass == UInt16(MH_IDENT_STORED) && record.flags == 0)
    #expect(record.identity == [0xe8, 7, 6, 15, 17, 17, 27, 124, 0, 86, 0, 0])
    // Pulse, status and user do not make it another reading.
    var other = try bytes("bls-omron-124")
    (other[14], other[16]) = (90, 4)
    #expect(try decode(other).identity == record.identity)
    other[0] |= 1
    #expect(try decode(other).identity == record.identity.dropLast() + [1])
  }

  @Test func aReadingWithoutATimeIsLive() throws {
    let timeless = try decode(bytes("bls-pureswift"))
    #expect(timeless.identityClass == UInt16(MH_IDENT_LIVE) && timeless.identity.isEmpty && timeless.flags == 0)
    for id in ["bls-nordic-full", "bls-spec-unset-clock", "bls-spec-impossible-date"] {
      let unset = try decode(bytes(id))
      #expect(unset.identityClass == UInt16(MH_IDENT_LIVE) && unset.identity.isEmpty)
      #expect(unset.flags == MH_REC_CLOCK_SUSPECT && unset.timeKind == UInt16(MH_TIME_NONE))
    }
    let clockless = try decode(bytes("bls-omron-124"), [MH_PARAM_NO_CLOCK: 1])
    #expect(clockless.identityClass == UInt16(MH_IDENT_LIVE) && clockless.flags == 0)
    #expect(clockless.timeKind == UInt16(MH_TIME_NONE))
  }

  @Test func digitsAreTheMonitors() throws {
    let kilopascal = try decode(bytes("bls-spec-kpa"))
    #expect(kilopascal.values.map(\.raw) == [165, 114, 129] && kilopascal.values.map(\.exponent) == [-1, -1, -1])
    let tenths = try decode(bytes("bls-so-127"))
    #expect(tenths.value(MH_METRIC_SYSTOLIC)?.raw == 1270 && tenths.value(MH_METRIC_SYSTOLIC)?.exponent == -1)
    #expect(tenths.deviceUser == 1)
  }

  /// With its quirk or by its bytes: a BM85 that says a name of its own gives the same.
  @Test(arguments: [[:], [0x8000: 1, 0x8001: 1]] as [[UInt32: Int64]])
  func aBM85IsKnownByItsBytes(parameters: [UInt32: Int64]) throws {
    let second = try decode(bytes("bls-bm85-b"), parameters)
    #expect(second.value(MH_METRIC_PULSE)?.value == 65 && second.flags == 0)
    let users = try ["bls-bm85-a", "bls-bm85-b"].map { try decode(bytes($0), parameters).deviceUser }
    #expect(users == [0, 1])
    #expect(try decode(bytes("bls-bm85-d"), parameters).value(MH_METRIC_BLOOD_PRESSURE_STATUS)?.raw == 4)
  }

  /// A pressure stands without its pulse, whoever made the monitor.
  @Test(arguments: [[:], [0x8000: 1, 0x8001: 1], [0x8002: 1]] as [[UInt32: Int64]])
  func aPressureNeedsNoPulse(parameters: [UInt32: Int64]) throws {
    let pressures: [UInt8] = [0x79, 0, 0x51, 0, 0xff, 7, 0xea, 7, 11, 0x1a, 6, 1, 0]
    for packet in [[0x02] + pressures, [0x06] + pressures + [0, 0], [0x06] + pressures + [0xff, 0]] as [[UInt8]] {
      let record = try decode(packet, parameters)
      #expect(record.value(MH_METRIC_SYSTOLIC)?.value == 121 && record.value(MH_METRIC_DIASTOLIC)?.value == 81)
      #expect(record.value(MH_METRIC_PULSE) == nil && record.flags == 0)
    }
    // A status that may lie elsewhere is a person's to decide about, and the pressure is not lost with it.
    let doubted = try decode([0x12] + pressures + [4, 0], parameters)
    #expect(doubted.value(MH_METRIC_SYSTOLIC)?.value == 121)
  }

  /// A pulse of one is none, and no proof of another order.
  @Test(arguments: [1, 2, 9] as [UInt8]) func aPulseOfNobodyIsLeftOut(pulse: UInt8) throws {
    let record = try decode([0x04, 0x78, 0, 0x50, 0, 0x5d, 0, pulse, 0])
    #expect(record.value(MH_METRIC_PULSE) == nil && record.value(MH_METRIC_SYSTOLIC)?.value == 120)
  }

  /// 00F2 is 51.2 in the profile's order and 242 in the other one.
  @Test(
    arguments: [
      ([:], false, 0, 51.2), ([0x8002: 1], false, MH_REC_HELD, 51.2), ([:], true, MH_REC_HELD, 51.2),
      ([0x8000: 1, 0x8001: 1], true, 0, 242),
    ] as [([UInt32: Int64], Bool, UInt32, Double)])
  func aPulseInBothOrdersIsHeldWhereSomethingHints(
    parameters: [UInt32: Int64], hasOneMore: Bool, flags: UInt32, pulse: Double
  ) throws {
    var packet = try Array(bytes("bls-bm85-b").prefix(14)) + [0x00, 0xf2] + (hasOneMore ? [1] : []) + [0, 0]
    let record = try decode(packet, parameters)
    #expect(record.flags == flags && record.value(MH_METRIC_PULSE)?.value == pulse)
    // A pulse that is none in the other order is the profile's, whoever made the monitor.
    packet.replaceSubrange(14..<16, with: [0x48, 0x00])
    let conforming = try decode(packet, parameters)
    #expect(conforming.flags == 0 && conforming.value(MH_METRIC_PULSE)?.value == 72)
  }

  /// Whatever the bytes: what is delivered is a pair of pressures above zero in their order, with a mean between them.
  @Test(arguments: [[:], [0x8000: 1, 0x8001: 1]] as [[UInt32: Int64]])
  func deliveredPressuresAreInOrder(parameters: [UInt32: Int64]) throws {
    let host = try TestHost(bundle: "blood-pressure")
    var generator = SeededGenerator(seed: 1810)
    var delivered = 0
    for _ in 0..<300 {
      let batch = (0..<64).map { _ in
        var bytes = (0..<Int.random(in: 0...22, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        // Exponents of 0 and -1 often, so that there are readings among them.
        for index in stride(from: 2, to: min(bytes.count, 7), by: 2) where Bool.random(using: &generator) {
          bytes[index] = [0, 0xf0, 0x07, 0xf3].randomElement(using: &generator) ?? 0
        }
        return (UInt16(0x2a35), bytes)
      }
      for record in host.decode(batch, TestOpening(parameters: parameters)).flatMap(\.records) {
        let systolic = try #require(record.value(MH_METRIC_SYSTOLIC)).value
        let diastolic = try #require(record.value(MH_METRIC_DIASTOLIC)).value
        #expect(systolic > diastolic && diastolic > 0)
        if let mean = record.value(MH_METRIC_MEAN_ARTERIAL_PRESSURE) {
          #expect((diastolic...systolic).contains(mean.value))
        }
        if let pulse = record.value(MH_METRIC_PULSE) { #expect((10..<1000).contains(pulse.value)) }
        delivered += 1
      }
    }
    #expect(delivered > 100)
  }
}
