import CMeterDriver
import DriverContract
import DriverRuntime
import Testing

@Suite("R14 decoding in this process") struct LocalDecoderTests {
  private func decoder(_ driver: String) throws -> LocalDecoder {
    try LocalDecoder(library: FixtureLibrary.shared.get(), driver: driver, opening: DriverOpening())
  }

  private func item(_ bytes: [UInt8], _ time: Int64 = 1) -> DecodeItem {
    DecodeItem(characteristic: 0x2a18, receivedMicroseconds: time, bytes: bytes)
  }

  @Test func eachItemHasItsOutcome() throws {
    let outcomes = try decoder("good").decode([item([62]), item([]), item([0xff]), item([70])])
    #expect(outcomes.map(\.status) == [0, -9, -3, 0])
    #expect(outcomes.map { $0.records.map { $0.values[0].raw } } == [[62], [], [], [70]])
  }

  @Test func moreItemsThanASinkHoldsComeInOrder() throws {
    let decoder = try decoder("good")
    for _ in 0..<2 {
      let outcomes = try decoder.decode((0..<10_000).map { item([UInt8($0 % 255)], Int64($0)) })
      #expect(outcomes.count == 10_000)
      #expect(outcomes.indices.allSatisfy { outcomes[$0].records.first?.values.first?.raw == Int64($0 % 255) })
    }
    #expect(try decoder.decode([]).isEmpty)
  }

  @Test(arguments: [(1, "R14"), (2, "R14"), (3, "R14"), (4, "R14"), (5, "R14"), (6, nil)] as [(UInt8, String?)])
  func liesAboutSlicesAreFaults(lie: UInt8, rule: String?) throws {
    let decoder = try decoder("garbage")
    let fault = try #require(throws: DriverFault.self) { try decoder.decode([item([lie]), item([9])]) }
    #expect(fault.rule == rule)
    #expect(fault.code == (rule == nil ? .refused : .brokeRule))
  }

  @Test func batchesAreLentWhereTheyLie() throws {
    var input = DecodeInput()
    for number in 0..<5000 {
      try input.append(characteristic: 1, receivedMicroseconds: Int64(number), bytes: [UInt8(number % 200)].span)
    }
    var sum: Int64 = 0
    var next = 0
    try decoder("good").withDecoded(&input) { batch in
      #expect(batch.firstIndex == next)
      next += batch.slices.count
      for index in 0..<batch.records.count { sum += batch.values[Int(batch.records[index].first_value)].raw }
    }
    #expect(next == 5000)
    #expect(sum == (0..<5000).reduce(0) { $0 + Int64($1 % 200) })
  }
}
