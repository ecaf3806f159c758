package import MeterCore
import CurlHTTP
internal import Foundation
import HostPrimitives

/// Finds an access token in what a receiver says, in the spellings that programs give it: escaped for JSON, a URL or HTML, in base64
/// or hexadecimal, once or several times within each other; in other letters, backwards, with blanks and line breaks within.
///
/// No search finds every spelling: one that was made to hide it, such as letters moved in the alphabet, passes.
///
/// Texts are compared by their letters and digits alone: whatever else is in a token is what spellings differ in.
package struct TokenTrace {
  private let token: [UInt8]
  private let isThere: Bool

  package init(_ token: AccessToken) {
    self.token = Self.core(token.secret)
    isThere = !token.secret.isEmpty
  }

  /// What has more text than this is not looked through.
  static let limit = 16_384
  /// Spellings within spellings that are resolved, such as base64 within base64 within an escaped text.
  private static let rounds = 5
  /// The text that is looked through in all spellings together. An answer that takes more is made to.
  private static let effort = 64 * limit

  /// Whether the texts, one behind the other, hold the token; also when that cannot be told.
  ///
  /// - Parameter inPart: A part counts as well, as a receiver has it that cuts what it repeats.
  package func isIn(_ texts: [String], inPart: Bool = false) -> Bool {
    guard isThere else { return false }
    let text = texts.joined()
    guard !token.isEmpty, text.utf8.count <= Self.limit else { return !text.isEmpty }
    let parts = parts(inPart)
    let shortest = parts.first?.count ?? 0
    var (readings, left): (Set<String>, Int) = ([text], Self.effort)
    for _ in 0...Self.rounds where !readings.isEmpty {
      var next: Set<String> = []
      for reading in readings {
        left -= reading.utf8.count
        if left < 0 || Self.holds(Self.core(reading), parts) { return true }
        next.formUnion(Self.spellings(reading).filter { $0.utf8.count >= shortest && !readings.contains($0) })
      }
      readings = next
    }
    return false
  }

  /// What a text may stand for.
  private static func spellings(_ text: String) -> [String] {
    [percentDecoded(withoutEntities(withoutEscapes(text)))] + base64(text) + hexadecimal(text)
  }

  /// Every part of the token that is too long to be shown, forwards and backwards. Half of a short token is little, and half of a long
  /// one is more than anybody repeats by accident.
  private func parts(_ inPart: Bool) -> Set<ArraySlice<UInt8>> {
    let length = inPart ? min(token.count, max(8, min(16, token.count / 2))) : token.count
    let backwards = Array(
      String(String.UnicodeScalarView(String(decoding: token, as: UTF8.self).unicodeScalars.reversed())).utf8)
    return Set([token, backwards].flatMap { token in (0...token.count - length).map { token[$0..<$0 + length] } })
  }

  private static func holds(_ text: [UInt8], _ parts: Set<ArraySlice<UInt8>>) -> Bool {
    guard let length = parts.first?.count, text.count >= length else { return false }
    return (0...text.count - length).contains { parts.contains(text[$0..<$0 + length]) }
  }

  /// Letters and digits in one case and one form.
  private static func core(_ text: String) -> [UInt8] {
    let plain = text.precomposedStringWithCompatibilityMapping.lowercased()
    var core = String.UnicodeScalarView()
    for scalar in plain.unicodeScalars where scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      core.append(scalar)
    }
    return Array(String(core).utf8)
  }

  // MARK: Spellings

  /// `\u002b`, `\x2b` and `\/` as what they stand for; an escaped line break as nothing.
  private static func withoutEscapes(_ text: String) -> String {
    text.replacing(/\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))/) { match in
      if let digits = match.1 ?? match.2 ?? match.3 { return scalar(digits, radix: 16) }
      return match.4.map { "nrtbf".contains($0) ? "" : String($0) } ?? ""
    }
  }

  /// `&#43;`, `&#x2b;` and `&amp;` as what they stand for; other entities with a name are no letters, and go.
  private static func withoutEntities(_ text: String) -> String {
    text.replacing("&amp;", with: "&").replacing(
      /&(?:#[xX]([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|[A-Za-z][A-Za-z0-9]{1,31});?/
    ) { match in
      if let digits = match.1 { return scalar(digits, radix: 16) }
      return match.2.map { scalar($0, radix: 10) } ?? ""
    }
  }

  private static func scalar(_ digits: Substring, radix: Int) -> String {
    UInt32(digits, radix: radix).flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
  }

  /// A `%` without two digits stays what it is.
  private static func percentDecoded(_ text: String) -> String {
    var result: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      let digits = String(decoding: bytes.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        result.append(value)
        bytes = bytes.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// What the text is read as base64 or base64url from each of the four places in which a group may begin.
  private static func base64(_ text: String) -> [String] {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_".utf8
    let plain = text.utf8.filter { alphabet.contains($0) }.map { byte in
      byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
    }
    return (0..<4).map { start in
      let bytes = plain.dropFirst(start)
      let filled = Array(bytes) + Array(repeating: UInt8(ascii: "A"), count: (4 - bytes.count % 4) % 4)
      return readable(Data(base64Encoded: Data(filled)) ?? Data())
    }
  }

  /// What the text is read as hexadecimal digits from both places in which a pair may begin.
  private static func hexadecimal(_ text: String) -> [String] {
    let digits = text.utf8.compactMap { Int(String(Unicode.Scalar($0)), radix: 16) }
    return (0..<2).map { start in
      let pairs = stride(from: start, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
      return readable(pairs)
    }
  }

  /// What of bytes is text: most of them are none.
  private static func readable(_ bytes: some Collection<UInt8>) -> String {
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    return String(String.UnicodeScalarView(scalars.filter { $0 != "\u{FFFD}" && $0.value >= 0x20 }))
  }
}
