internal import CivilCalendar

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
  mutating func member(_ name: String, flag: Bool) {
    begin(name)
    text += flag ? "true" : "false"
  }
  /// A text as an element of an array.
  mutating func element(_ value: String) {
    begin(nil)
    appendString(value)
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
    let (seconds, fraction) = microseconds.dividedDown(by: 1_000_000)
    let (days, second) = seconds.dividedDown(by: 86_400)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.digits(2) }.joined(separator: ":")
    var text = "\(CivilDate(daysSince1970: days).text)T\(clock)"
    if fraction != 0 {
      var digits = fraction.digits(6)
      while digits.hasSuffix("0") { digits.removeLast() }
      text += ".\(digits)"
    }
    return text + "Z"
  }

  /// The same moment on a clock that is so many seconds ahead of UTC; nil for an offset that RFC 3339 cannot write.
  static func local(_ microseconds: Int64, offsetSeconds: Int) -> String? {
    guard let offset = self.offset(offsetSeconds) else { return nil }
    return "\(string(microseconds + Int64(offsetSeconds) * 1_000_000).dropLast())\(offset)"
  }

  /// `+02:00`; nil for an offset with seconds, as places had before they joined a zone, or beyond a day.
  static func offset(_ seconds: Int) -> String? {
    guard seconds % 60 == 0, (-86_399...86_399).contains(seconds) else { return nil }
    let minutes = Int64(seconds.magnitude / 60)
    return (seconds < 0 ? "-" : "+") + (minutes / 60).digits(2) + ":" + (minutes % 60).digits(2)
  }
}
