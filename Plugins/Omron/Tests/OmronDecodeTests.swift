import CMeterDriver
import Testing

@testable import DriverTestBench

/// What the vectors cannot say: values that are not decoded, and what is in an identity.
@Suite struct OmronDecodeTests {
  private let record: [UInt8] = [0x65, 0x58, 0x54, 0x1A, 0x33, 0x1A, 0xDE, 0x18, 0, 0, 0x4C, 0, 0xBA, 0]

  private func decode(_ bytes: [UInt8], row: Int64 = 9, characteristic: UInt16 = 0x8000) throws -> TestOutcome {
    let opening = TestOpening(parameters: [OmronBench.layout: row])
    return try TestHost(bundle: "omron").decode([(characteristic, bytes)], opening)[0]
  }

  @Test func nothingIsDecodedWithoutAMapOrOfAnotherCharacteristic() throws {
    #expect(try decode(record).records.count == 1)
    for row in [0, -1, 18, .max] as [Int64] { #expect(try decode(record, row: row).status == MH_E_UNSUPPORTED) }
    for other in [0, 0x2A35, 0x8001] as [UInt16] {
      #expect(try decode(record, characteristic: other).status == MH_E_UNSUPPORTED)
    }
  }

  /// One value has to fit a sink of one record: several are read in a session.
  @Test func anAnswerWithSeveralRecordsIsNotDecoded() throws {
    let records = OmronBench.records(1).flatMap { $0 }
    let answer = SimulatedOmron.frame(0x81, 0, 0x02AC, records.count, records)
    #expect(try decode(answer, row: 1) == TestOutcome(status: MH_E_UNSUPPORTED, records: []))
    let one = SimulatedOmron.frame(0x81, 0, 0x0824, 14, Array(records.prefix(14)))
    #expect(try decode(one, row: 1).records.map(\.deviceUser) == [2])
  }

  /// A record whose sum does not fit is damaged; where no real one was seen, it waits for a person.
  @Test func aWrongSumIsRefusedOrHeld() throws {
    for index in 0..<13 {
      var damaged = record
      damaged[index] ^= 0x01
      #expect(try decode(damaged).records.isEmpty, "\(index)")
    }
    var long = record.dropLast(2) + [0, 0, 0xBA, 0]
    #expect(try decode(Array(long), row: 2).records.map { $0.flags & MH_REC_HELD } == [0])
    long[long.startIndex] ^= 0x02
    #expect(try decode(Array(long), row: 2).records.map { $0.flags & MH_REC_HELD } == [MH_REC_HELD])
  }

  /// Whose reading it is belongs to its name, its flags do not.
  @Test func theIdentityHoldsUserValuesAndTime() throws {
    let first = try #require(
      try decode(SimulatedOmron.frame(0x81, 0, 0x02AC, 14, OmronBench.records(1)[0]), row: 1).records.first)
    let second = try #require(
      try decode(SimulatedOmron.frame(0x81, 0, 0x0824, 14, OmronBench.records(1)[0]), row: 1).records.first)
    #expect(first.identity == [1, 1, 0x61, 0x4F, 0x42, 22, 9, 2, 10, 21, 28, 0, 0, 0])
    #expect(second.identity == [1, 2] + first.identity.dropFirst(2))
    var loose = record
    loose[7] &= 0xEF
    loose[12] = loose[..<12].reduce(0, &+)
    let (good, doubtful) = (try decode(record).records[0], try decode(loose).records[0])
    #expect(good.identity == doubtful.identity && good.identity[11...12] == [0x4C, 0])
    #expect(doubtful.values[0].qualifier == MH_QUAL_QUESTIONABLE && good.values[0].qualifier == MH_QUAL_EXACT)
    #expect(doubtful.value(MH_METRIC_BLOOD_PRESSURE_STATUS)?.raw == 2)
  }
}
