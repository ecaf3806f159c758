/// A text from outside made fit for a message: shortened, and nothing in it that a terminal would act on.
public func shown(_ text: String, limit: Int = 60) -> String {
  var result = ""
  for (count, scalar) in text.unicodeScalars.enumerated() {
    if count == limit { return result + "..." }
    if isFitForPeople(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }
  return result
}

/// A JSON text in which what is not fit for people stands by its number, as in `\u202e`: to a program it means the same, and a
/// terminal that it is printed on neither obeys nor hides anything.
///
/// - Parameter json: One whole line: outside of its strings it is ASCII.
package func legible(json: String) -> String {
  var result = ""
  for scalar in json.unicodeScalars {
    if isHarmless(scalar) {
      result.unicodeScalars.append(scalar)
    } else {
      for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
  return result
}

/// A text with a mark in the place of each character that is not fit for people; line breaks and tabs stay.
package func marked(_ text: String) -> String {
  guard !text.unicodeScalars.allSatisfy({ isHarmless($0) || $0 == "\n" || $0 == "\t" }) else { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    result.append(isHarmless(scalar) || scalar == "\n" || scalar == "\t" ? scalar : "\u{FFFD}")
  }
  return String(result)
}

/// Fit for people, or the mark for what was not.
package func isHarmless(_ scalar: Unicode.Scalar) -> Bool { isFitForPeople(scalar) || scalar == "\u{FFFD}" }

/// False for control characters, line separators, invisible marks and everything that turns the direction of writing:
/// what a text shown to people may use to look like another one (Unicode Technical Report 36).
public func isFitForPeople(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0...0x1f, 0x7f...0x9f, 0xad, 0x61c, 0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
    0xfff9...0xfffd, 0xe0000...0xe0fff:
    false
  default:
    scalar.value & 0xfffe != 0xfffe && !(0xfdd0...0xfdef).contains(scalar.value)
  }
}
