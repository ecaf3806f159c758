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
