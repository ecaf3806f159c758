/// Builds a JSON text (RFC 8259) member by member. Foundation's encoder writes numbers through Double, which would make
/// 6.20 into 6.2000000000000002.
struct JSONText {
  private(set) var text = ""
  private var needsComma = false

  mutating func object(_ name: String? = nil, _ body: (inout JSONText) -> Void) { nest(name, "{", "}", body) }
  mutating func array(_ name: String, _ body: (inout JSONText) -> Void) { nest(name, "[", "]", body) }

  mutating func member(_ name: String, _ value: String) {
    begin(name)
    appendString(value)
  }
  mutating func member(_ name: String, integer: Int) {
    begin(name)
    text += String(integer)
  }
  mutating func member(_ name: String, number: ReportedNumber) {
    begin(name)
    text += number.description
  }
  mutating func null(_ name: String) {
    begin(name)
    text += "null"
  }

  private mutating func nest(_ name: String?, _ open: String, _ close: String, _ body: (inout JSONText) -> Void) {
    begin(name)
    text += open
    needsComma = false
    body(&self)
    text += close
    needsComma = true
  }

  private mutating func begin(_ name: String?) {
    if needsComma { text += "," }
    needsComma = true
    if let name {
      appendString(name)
      text += ":"
    }
  }

  private mutating func appendString(_ value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// UTC by RFC 3339, ending in Z; fractions of a second only where there are any.
enum UTCText {
  static func string(_ microseconds: Int64) -> String {
    let (seconds, fraction) = divided(microseconds, 1_000_000)
    let (days, secondOfDay) = divided(seconds, 86_400)
    let (year, month, day) = date(days)
    let clock = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0, 2) }
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(clock.joined(separator: ":"))"
    if fraction != 0 {
      var digits = padded(fraction, 6)
      while digits.hasSuffix("0") { digits.removeLast() }
      text += ".\(digits)"
    }
    return text + "Z"
  }

  /// The proleptic Gregorian date of a day since 1970-01-01, by Howard Hinnant's civil_from_days.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divided(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func divided(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
