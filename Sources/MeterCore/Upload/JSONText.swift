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
