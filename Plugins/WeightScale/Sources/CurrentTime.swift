import MeterDriver

/// What is written to a scale's Current Time (2A2B): ten bytes (Current Time Service 1.1, 3.1).
struct CurrentTime {
  let bytes: [UInt8]

  /// - Parameter civilMicroseconds: Local time since 1970-01-01T00:00.
  init(civilMicroseconds: Int64) {
    let seconds = CurrentTime.floor(civilMicroseconds, 1_000_000)
    let days = CurrentTime.floor(seconds, 86_400)
    let ofDay = seconds - days * 86_400
    // Dates from days, counted in years that begin in March (H. Hinnant, chrono-compatible date algorithms).
    let shifted = days + 719_468
    let era = CurrentTime.floor(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    // 1970-01-01 was a Thursday, the fourth day of the week.
    let day = days + 3 - CurrentTime.floor(days + 3, 7) * 7 + 1
    let fraction = (civilMicroseconds - seconds * 1_000_000) * 256 / 1_000_000
    bytes = [
      UInt8(truncatingIfNeeded: year), UInt8(truncatingIfNeeded: year >> 8), UInt8(truncatingIfNeeded: month),
      UInt8(truncatingIfNeeded: dayOfYear - (153 * marchMonth + 2) / 5 + 1), UInt8(truncatingIfNeeded: ofDay / 3600),
      UInt8(truncatingIfNeeded: ofDay / 60 % 60), UInt8(truncatingIfNeeded: ofDay % 60),
      UInt8(truncatingIfNeeded: day), UInt8(truncatingIfNeeded: fraction),
      // Adjusted by an external reference.
      0x02,
    ]
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}
