import HostPrimitives
import TestSupport
import Testing

@Suite("Hexadecimal text")
struct HexadecimalTests {
  @Test("bytes are two lower-case digits each")
  func writes() {
    #expect([0x00, 0x0A, 0xFF, 0x6B].hexadecimal == "000aff6b")
    #expect([UInt8]().hexadecimal.isEmpty)
  }

  @Test("what was written reads as the same bytes, in either case")
  func roundTrip() {
    var generator = SeededGenerator(seed: 3)
    for count in 0..<64 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      #expect([UInt8](hexadecimal: bytes.hexadecimal.utf8) == bytes)
      #expect([UInt8](hexadecimal: bytes.hexadecimal.uppercased().utf8) == bytes)
    }
  }

  @Test(
    "anything but pairs of digits is no bytes", arguments: ["0", "0g", "0x00", " 00", "00 ", "+1", "ａa", "/:", "@G`"])
  func refuses(text: String) {
    #expect([UInt8](hexadecimal: text.utf8) == nil)
  }

  @Test("a number has at least so many digits")
  func numbers() {
    #expect(UInt16(0x2A).hexadecimal(digits: 4) == "002a")
    #expect(UInt16(0x2A).hexadecimal(digits: 4, uppercase: true) == "002A")
    #expect(UInt64.max.hexadecimal(digits: 2) == "ffffffffffffffff")
    #expect(UInt8(0).hexadecimal(digits: 0) == "0")
  }
}
