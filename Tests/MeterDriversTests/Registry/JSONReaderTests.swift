import Testing

@testable import MeterDrivers

/// The strict JSON reader alone.
@Suite struct JSONReaderTests {
  private func parse(_ bytes: [UInt8]) throws(RegistryError) -> JSONDocument {
    try JSONDocument(bytes, file: "test.json")
  }

  @Test(arguments: [
    (#""a\"b\\\/\b\f\n\r\tc""#, "a\"b\\/\u{8}\u{c}\n\r\tc"), (#""é\u00e9x""#, "ééx"),
    (#""\ud83d\ude00!\u0041""#, "😀!A"), ("\"😀\\n\"", "😀\n"), (#""""#, ""),
  ])
  func readsStrings(_ text: String, _ expected: String) throws {
    #expect(try parse(Array(text.utf8)).root.string(limit: 100) == expected)
  }

  @Test(arguments: [
    "", " ", "{", "[", "\"", "\"\\", "\"\\u00", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "{a:1}", "01",
    "1.",
    ".5", "+1", "-", "1e", "nul", "tru", "NaN", "'a'", "[1]x", "{\"a\":1,\"a\":2}", "\"\\ud800\"", "\"\\udc00\"",
    "\"\\ud800\\u0041\"", "\"\\x\"", "\"\u{1}\"", "{\"\\u0061\":1}", "// x\n1", "\u{feff}1",
  ])
  func refuses(_ text: String) throws {
    do throws(RegistryError) {
      _ = try parse(Array(text.utf8))
      Issue.record("accepted \(text)")
    } catch {
      #expect(error.code == .invalidJSON && error.position != nil)
    }
  }

  @Test(
    arguments: [
      [0x80], [0xc0, 0xaf], [0xc3], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xff], [0xe2, 0x82],
    ] as [[UInt8]])
  func refusesWhatIsNoUTF8(_ bytes: [UInt8]) {
    #expect(throws: RegistryError.self) { try parse([0x22] + bytes + [0x22]) }
  }

  @Test func refusesDeepNesting() throws {
    let depth = JSONLimits.depth
    _ = try parse(Array(String(repeating: "[", count: depth).utf8) + Array(String(repeating: "]", count: depth).utf8))
    #expect(throws: RegistryError.self) { try parse(Array(repeating: 0x5b, count: depth + 1)) }
    #expect(throws: RegistryError.self) { try parse(Array(repeating: 0x5b, count: 1_000_000)) }
    #expect(throws: RegistryError.self) { try parse(Array(String(repeating: "{\"a\":", count: 1_000_000).utf8)) }
  }

  @Test func refusesDuplicatesAmongManyKeys() {
    let keys = (0..<200).map { "\"k\($0)\": 0" }
    #expect(throws: Never.self) { try parse(Array("{\(keys.joined(separator: ","))}".utf8)) }
    #expect(throws: RegistryError.self) { try parse(Array("{\((keys + ["\"k7\": 1"]).joined(separator: ","))}".utf8)) }
  }

  @Test func namesThePathOfANode() throws {
    let document = try parse(Array(#"{"a": [1, {"b": {"c": true}}], "d": 2}"#.utf8))
    let index = try #require(document.nodes.firstIndex { $0.kind == .true })
    #expect(document.path(of: index) == "$.a[1].b.c")
    #expect(document.path(of: 0) == "$")
    #expect(document.path(of: document.nodes.count - 1) == "$.d")
  }
}
