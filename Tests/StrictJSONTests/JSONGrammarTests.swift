import StrictJSON
import Testing

/// The bounds of the tests: what the registry reads by.
let strictRules = JSONRules(size: 16 << 20, depth: 24, allowsEscapedKeys: false)
/// What a server that judges the members itself reads by.
let openRules = JSONRules(depth: 32, allowsDuplicateKeys: true)

func parse(_ text: String, _ rules: JSONRules = strictRules) throws(JSONSyntaxError) -> JSONElement {
  try JSONDocument(Array(text.utf8), rules: rules).root
}

/// The error that a text is refused with; fails the test when it is accepted.
func refusal(
  _ bytes: [UInt8], _ rules: JSONRules = strictRules, sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSONSyntaxError {
  do throws(JSONSyntaxError) {
    _ = try JSONDocument(bytes, rules: rules)
  } catch {
    return error
  }
  Issue.record("accepted \(String(decoding: bytes, as: UTF8.self))", sourceLocation: sourceLocation)
  throw CancellationError()
}

/// What is JSON, what is not, and where it stops being it.
@Suite struct JSONGrammarTests {
  @Test(arguments: [
    (#""a\"b\\\/\b\f\n\r\tc""#, "a\"b\\/\u{8}\u{c}\n\r\tc"), (#""é\u00e9x""#, "ééx"),
    (#""\ud83d\ude00!\u0041""#, "😀!A"), ("\"😀\\n\"", "😀\n"), (#""""#, ""),
    (#""\u0000\uffff\uD800\uDC00\udbff\udfff""#, "\0\u{ffff}\u{10000}\u{10ffff}"),
  ])
  func readsStrings(_ text: String, _ expected: String) throws {
    #expect(try parse(text).asString == expected)
  }

  /// The parser looks at eight bytes at a time: what ends plain text is found at each place of each of them.
  @Test(arguments: UInt8.min...UInt8.max) func seesEveryByteAtEveryPlace(_ byte: UInt8) throws {
    for before in 0..<20 {
      for after in [0, 3, 20] {
        let content = Array(repeating: UInt8(ascii: "x"), count: before) + [byte]
        let text = [0x22] + content + Array(repeating: UInt8(ascii: "y"), count: after) + [0x22]
        switch byte {
        case 0x22: #expect(try refusal(text).code == .trailingText)
        case 0x5c: #expect(try refusal(text).code == (after == 0 ? .unexpectedEnd : .invalidEscape))
        case ..<0x20:
          let error = try refusal(text)
          #expect(error.code == .controlCharacter && error.offset == before + 1)
        case 0x80...: #expect(try refusal(text).code == .invalidUTF8)
        default:
          let element = try JSONDocument(text, rules: strictRules).root
          #expect(element.asString.map { Array($0.utf8) } == Array(text.dropFirst().dropLast()))
          #expect(element.isPlain == (byte != 0x7f))
        }
      }
    }
  }

  @Test(arguments: 0..<40) func skipsAnyIndent(_ spaces: Int) throws {
    let indent = String(repeating: " ", count: spaces)
    for line in ["\n", "\r\n", "\n\t", "\n\n", "\t \n", ""] {
      let root = try parse("[\(line)\(indent)1\(line)\(indent),\(indent)\(line)2\(indent)\(line)]\(indent)\(line)")
      #expect(root.elements.map(\.numeral) == ["1", "2"])
      #expect(try refusal(Array("[\(line)\(indent)\u{b}1]".utf8)).offset == line.utf8.count + spaces + 1)
    }
  }

  @Test(arguments: [
    ("-0", 0), ("1.5e2", 150), ("0.1", 0.1), ("1E+2", 100), ("100e-2", 1), ("9007199254740993", 9_007_199_254_740_992),
    ("1e999", .infinity), ("-1e999", -.infinity),
  ])
  func readsNumbers(_ text: String, _ expected: Double) throws {
    let number = try parse(text)
    #expect(number.asDouble == expected && number.numeral == text)
  }

  @Test func readsContainersInTheOrderOfTheText() throws {
    let root = try parse(" {\"b\" : [1, true, null, {}], \"a\":{\"c\":false},\"é\":[ ]}\r\n\t")
    #expect(root.kind == .object && root.count == 3)
    #expect(root.members.map(\.key.asString) == ["b", "a", "é"])
    #expect(root.members.map(\.key.isPlain) == [true, true, false])
    let elements = try #require(root.member("b")).elements
    #expect(elements.map(\.kind) == [.number, .true, .null, .object])
    #expect(elements.map(\.asBool) == [nil, true, nil, nil])
    #expect(root.member("a")?.member("c")?.asBool == false)
    #expect(root.member("é")?.elements.isEmpty == true)
  }

  @Test func valuesOfAnotherKindHaveNothing() throws {
    let root = try parse("[7]")
    #expect(root.members.isEmpty && root.member("a") == nil && root.asString == nil && root.asDouble == nil)
    let number = root.elements[0]
    #expect(number.elements.isEmpty && number.members.isEmpty && number.asString == nil && number.asBool == nil)
  }

  @Test(
    arguments: [
      ("", 0, .unexpectedEnd), (" ", 1, .unexpectedEnd), ("{", 1, .unexpectedEnd), ("[", 1, .unexpectedEnd),
      ("\"", 1, .unexpectedEnd), ("\"\\", 2, .unexpectedEnd), ("\"\\u00", 1, .invalidEscape),
      ("nul", 0, .unexpectedText), ("tru", 0, .unexpectedText), ("[1,]", 3, .unexpectedText),
      ("[1 2]", 3, .unexpectedText), ("{\"a\"}", 4, .unexpectedText), ("{\"a\":}", 5, .unexpectedText),
      ("{a:1}", 1, .unexpectedText), ("{\"a\":1,}", 7, .unexpectedText), ("{\"a\" 1}", 5, .unexpectedText),
      ("01", 1, .invalidNumber), ("-01", 2, .invalidNumber), ("1.", 2, .unexpectedEnd), ("1.x", 2, .invalidNumber),
      ("-", 1, .unexpectedEnd), ("+1", 0, .unexpectedText), (".5", 0, .unexpectedText), ("1e", 2, .unexpectedEnd),
      ("[1e+]", 4, .invalidNumber), ("\"a", 2, .unexpectedEnd), ("\"\u{1}\"", 1, .controlCharacter),
      ("\"a\n\"", 2, .controlCharacter), ("\"\\x\"", 1, .invalidEscape), ("\"\\ud800\"", 1, .invalidEscape),
      ("\"\\udc00\"", 1, .invalidEscape), ("\"\\u12g4\"", 1, .invalidEscape), ("\"\\ud800\\u0041\"", 1, .invalidEscape),
      ("\"\\ud800\\n\"", 1, .invalidEscape), ("\"\\ud800\\ud800\"", 1, .invalidEscape), ("[1] 2", 4, .trailingText),
      ("[1]x", 3, .trailingText), ("NaN", 0, .unexpectedText), ("Infinity", 0, .unexpectedText),
      ("'a'", 0, .unexpectedText), ("// x\n1", 0, .unexpectedText), ("\u{feff}1", 0, .unexpectedText),
      ("[\u{a0}1]", 1, .unexpectedText), ("{\"a\":1,\"a\":2}", 7, .duplicateKey),
      ("{\"\\u0061\":1}", 2, .escapedKey),
    ] as [(String, Int, JSONSyntaxError.Code)])
  func refusesWithThePlace(_ text: String, _ offset: Int, _ code: JSONSyntaxError.Code) throws {
    let error = try refusal(Array(text.utf8))
    #expect(error.offset == offset && error.code == code, "\(error)")
    #expect(!error.problem.isEmpty && !error.cure.isEmpty)
  }

  @Test(
    arguments: [
      [0x80], [0xc0, 0xaf], [0xc0, 0x80], [0xc3], [0xc3, 0x41], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
      [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xe2, 0x82],
    ] as [[UInt8]])
  func refusesWhatIsNoUTF8(_ bytes: [UInt8]) throws {
    for text in [[0x22] + bytes + [0x22], [0x22] + bytes] {
      let error = try refusal(text)
      #expect(error.code == .invalidUTF8 && error.offset == 1, "\(error)")
    }
    #expect(try refusal([0x7b, 0x22] + bytes + Array("\":1}".utf8)).code == .invalidUTF8)
  }

  @Test func everyTruncationIsRefused() throws {
    let text = Array(#"{"a":[1.5e-3,"é\u00e9\ud83d\ude00",{"b":[true,false,null]}],"c":""}"#.utf8)
    _ = try JSONDocument(text, rules: strictRules)
    for length in text.indices { _ = try refusal(Array(text[..<length])) }
  }
}
