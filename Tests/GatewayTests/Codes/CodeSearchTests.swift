import GatewayAPI
import Testing

@testable import GatewayTools

@Suite("Codes that are scanned") struct CodeSearchTests {
  private static let key = ScannedCode(.qr, Array("00112233445566778899aabbccddeeff".utf8))
  private static let other = ScannedCode(.code128, Array("another".utf8))

  @Test("a photograph with one code is enough") func photograph() throws {
    var search = CodeSearch(patience: .seconds(60))
    #expect(try search.take([], moment: 0, isStill: true) == nil)
    #expect(try search.take([Self.key], moment: 1, isStill: true) == Self.key)
  }

  @Test("a photograph with two codes says so") func twoCodes() {
    var search = CodeSearch(patience: .seconds(60))
    let error = #expect(throws: GatewayError.self) {
      _ = try search.take([Self.key, Self.other], moment: 0, isStill: true)
    }
    #expect(error?.code == "several_codes")
  }

  @Test("a camera has to show the same code twice, one behind the other") func camera() throws {
    var search = CodeSearch(patience: .seconds(60))
    for codes in [[Self.key], [Self.other], [], [Self.key], [Self.key, Self.other], [Self.key]] {
      #expect(try search.take(codes, moment: 0, isStill: false) == nil)
    }
    #expect(try search.take([Self.key], moment: 0, isStill: false) == Self.key)
  }

  @Test(
    "a camera that shows none is given up when the time is over", arguments: [0, 5_000, UInt64.max - 60_000_000_001])
  func patience(begin: UInt64) throws {
    var search = CodeSearch(patience: .seconds(60))
    #expect(try search.take([], moment: begin, isStill: false) == nil)
    #expect(try search.take([], moment: begin + 60_000_000_000, isStill: false) == nil)
    let error = #expect(throws: GatewayError.self) {
      _ = try search.take([], moment: begin + 60_000_000_001, isStill: false)
    }
    #expect(error?.code == "no_code")
  }

  @Test(
    "what is shown of a code is too little to use it",
    arguments: [
      ("", "0 characters"), ("short", "5 characters"), ("0123456789abcde", "15 characters"),
      ("00112233445566778899aabbccddeeff", "32 characters, 00...ff"),
      ("\u{1B}[2Jxxxxxxxxxxxxxxxx", "20 characters, \\u{1b}[...xx"),
    ])
  func masked(text: String, shown: String) {
    #expect(ScannedCode(.qr, Array(text.utf8)).masked == shown)
  }
}
