import Foundation
import StrictJSON
import Testing

@Suite("A text from outside") struct ShownTextTests {
  private static let hostile: [UInt32] = [
    0x00, 0x07, 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xAD, 0x61C, 0x180E, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029,
    0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF, 0xFFF9, 0xE0001, 0xE0041,
  ]

  @Test(arguments: hostile) func isMarkedWhereItWouldBeObeyedOrUnseen(number: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(number))
    #expect(marked("a\(Character(scalar))b\n\tc") == "a\u{FFFD}b\n\tc")
  }

  @Test(arguments: hostile) func isTheSameToAProgramThatReadsJSON(number: UInt32) throws {
    let text = "Zähler \(Character(try #require(Unicode.Scalar(number))))🩸 \u{FFFD}"
    let plain = String(decoding: try JSONEncoder().encode(["name": text]), as: UTF8.self)
    let json = legible(json: plain)
    #expect(json.unicodeScalars.allSatisfy(isHarmless), "\(json)")
    #expect(json.contains("Zähler") && json.contains("🩸"))
    #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["name": text])
  }
}
