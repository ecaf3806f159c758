import Foundation
import HostPrimitives
import TestSupport
import Testing

@Suite("Civil date")
struct CivilDateTests {
  @Test(
    "days that people know",
    arguments: [
      (0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (-25_509, "1900-02-28"),
      (-25_508, "1900-03-01"), (2_932_896, "9999-12-31"), (-719_528, "0000-01-01"), (-719_529, "-0001-12-31"),
    ])
  func known(days: Int64, text: String) {
    #expect(CivilDate(daysSince1970: days).text == text)
    #expect(CivilDate(daysSince1970: days).daysSince1970 == days)
  }

  @Test("agrees with the system's calendar on any day", arguments: 0..<4)
  func agrees(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for _ in 0..<500 {
      // From 1900 on: before 1582 the system's calendar is the Julian one.
      let days = Int64.random(in: -25_567...2_932_896, using: &generator)
      let date = CivilDate(daysSince1970: days)
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: TimeInterval(days * 86_400)))
      #expect([date.year, date.month, date.day] == [parts.year, parts.month, parts.day].map { Int64($0 ?? 0) })
      #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
    }
  }

  @Test(
    "a day that the calendar does not have is none",
    arguments: [
      (2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0), (2024, 1, 32),
      (10_000, 1, 1), (.max, 1, 1), (2024, .min, 1),
    ] as [(Int64, Int64, Int64)])
  func impossible(year: Int64, month: Int64, day: Int64) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }
}
