/// How long a number may be written that is kept for others to read.
///
/// RFC 8259 section 6 sets no bound. An exponent of thousands is zero to one reader, infinity to the next, and to one that keeps every digit
/// a text that fills its memory; a negative number that vanishes passes for zero. Whoever takes a number takes none of these:
///
/// ```swift
/// JSONNumeral.isBounded("6.20")        // true
/// JSONNumeral.isBounded("0e999999999") // false
/// ```
public enum JSONNumeral {
  /// The longest text: what a 64-bit float needs at most, twice over.
  public static let greatestLength = 64
  /// The greatest exponent in either direction. With ``greatestLength`` no number but zero is too small for a 64-bit float.
  public static let greatestExponent = 99

  /// Whether a number of the grammar keeps to these bounds.
  public static func isBounded(_ numeral: String) -> Bool {
    guard numeral.utf8.count <= greatestLength else { return false }
    guard let mark = numeral.utf8.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return true }
    let exponent = numeral.utf8[numeral.utf8.index(after: mark)...]
    let digits = exponent.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "0") }
    return digits.count <= 2
  }

  /// The number without the sign that a zero may have: it is one number, whatever the sign.
  public static func withoutSignOfZero(_ numeral: String) -> String {
    guard numeral.utf8.first == UInt8(ascii: "-") else { return numeral }
    let size = numeral.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    let isZero = !size.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    return isZero ? String(numeral.dropFirst()) : numeral
  }
}
