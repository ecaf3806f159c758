/// A date and a time of day without a zone, in the proleptic Gregorian calendar.
package struct CivilMoment: Sendable, Hashable {
  /// How a fraction of a second is written.
  package enum Fraction: Sendable {
    /// Not at all.
    case none
    /// In milliseconds.
    case thousandths
    /// In microseconds where there is one.
    case millionths
    /// In as many digits as it takes.
    case shortest
  }

  /// Seconds since 1970-01-01T00:00.
  private let seconds: Int64
  /// What is left of a second, in microseconds.
  private let fraction: Int64

  /// The moment that is so many microseconds after 1970-01-01T00:00.
  package init(microseconds: Int64) { (seconds, fraction) = microseconds.dividedDown(by: 1_000_000) }

  /// The moment that is so many milliseconds after 1970-01-01T00:00.
  package init(milliseconds: Int64) {
    let (seconds, rest) = milliseconds.dividedDown(by: 1000)
    (self.seconds, fraction) = (seconds, rest * 1000)
  }

  /// `2018-09-19T22:27:07` with its fraction, as ISO 8601 and RFC 3339 write it.
  package func text(_ form: Fraction) -> String {
    let (days, second) = seconds.dividedDown(by: 86_400)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.digits(2) }.joined(separator: ":")
    let date = "\(CivilDate(daysSince1970: days).text)T\(clock)"
    switch form {
    case .thousandths: return "\(date).\((fraction / 1000).digits(3))"
    case .none: return date
    case .millionths, .shortest: break
    }
    guard fraction != 0 else { return date }
    var digits = fraction.digits(6)
    while form == .shortest, digits.hasSuffix("0") { digits.removeLast() }
    return "\(date).\(digits)"
  }

  /// `2018-09-19T22:27:07Z`, for people and logs. The fraction is cut off: a time that was rounded up would lie behind what it is
  /// the time of.
  package static func utcSeconds(microseconds: Int64) -> String {
    CivilMoment(microseconds: microseconds).text(.none) + "Z"
  }

  /// `+05:30`: how far a clock is ahead of UTC, in whole minutes.
  package static func offset(_ seconds: Int) -> String {
    let minutes = Int64(seconds.magnitude / 60)
    return (seconds < 0 ? "-" : "+") + (minutes / 60).digits(2) + ":" + (minutes % 60).digits(2)
  }
}
