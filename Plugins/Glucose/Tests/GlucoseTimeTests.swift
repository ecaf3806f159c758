import CMeterDriver
@testable import DriverTestBench
import Testing

/// Base time and offset are each what the profile allows, and their sum is no time that a record may hold.
@Suite struct GlucoseTimeTests {
  static let packets: [[UInt8]] = [
    // 9999-12-31T23:59:59 and an hour more.
    [0x03, 0x1e, 0, 0x0f, 0x27, 12, 31, 23, 59, 59, 60, 0, 0x6f, 0xb0, 0xf1],
    // 1582-01-01T00:00:00 and a minute less.
    [0x03, 0x1e, 0, 0x2e, 0x06, 1, 1, 0, 0, 0, 0xff, 0xff, 0x6f, 0xb0, 0xf1],
  ]

  @Test(arguments: packets)
  func aTimeBeyondTheYearsOfDateTimeIsNone(_ packet: [UInt8]) throws {
    let outcome = try TestHost(bundle: "glucose").decode([(0x2a18, packet)])[0]
    let record = try #require(outcome.records.first)
    #expect(outcome.status == MH_OK && record.timeKind == UInt16(MH_TIME_NONE) && record.time == 0)
    #expect(record.flags == MH_REC_CLOCK_SUSPECT && record.values.first?.value == 111)
    // The identity is what the meter sent all the same.
    #expect(record.identity == Array(packet[1..<10]) + [0x6f, 0xb0, 0])
  }
}
