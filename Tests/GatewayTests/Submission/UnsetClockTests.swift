import Foundation
import MeterCore
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// A wrong clock of this machine must not lose what a person submits: it is refused before it is stored.
@Suite("What is submitted while this machine's clock is wrong")
struct UnsetClockTests {
  private func document(_ time: String) throws -> RecordDocument {
    try RecordDocument(
      Array(
        """
        {"type": "weight", "time": "\(time)", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
        """.utf8), name: "records.json", zone: .gmt)
  }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return (error as? GatewayError)?.code ?? "\(error)" }
  }

  @Test(
    "is refused by a clock that shows no date, whatever its own time",
    arguments: [Int64.min, -2_240_524_800_000_000, -1, 0, 946_684_799_999_999, .max])
  func unsetClock(now: Int64) throws {
    for time in ["1970-01-01T00:00:00Z", "2026-07-01T08:00:00Z"] {
      let read = try document(time)
      #expect(
        code { try read.checkTimes(HostClockReading(utcMicroseconds: now, isSynchronized: true)) } == "clock_unknown")
    }
  }

  @Test("is taken by one that was set, and refused ahead of it")
  func setClock() throws {
    let now: Int64 = 1_782_892_800_000_000
    #expect(
      code {
        try document("2026-07-01T08:00:00Z").checkTimes(HostClockReading(utcMicroseconds: now, isSynchronized: true))
      } == nil)
    #expect(
      code {
        try document("2026-07-01T08:11:00Z").checkTimes(HostClockReading(utcMicroseconds: now, isSynchronized: true))
      } == "future_time")
  }

  @Test(
    "is refused with a time that no receiver takes",
    arguments: ["1899-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1850-06-01"])
  func tooOld(time: String) {
    #expect(code { _ = try document(time).entries.first?.record() } == "record_document")
  }

  @Test("is taken from 1900 on")
  func oldest() throws {
    #expect(
      try document("1900-01-01T00:00:00Z").entries.first?.record().time.startMicroseconds == -2_208_988_800_000_000)
  }
}
