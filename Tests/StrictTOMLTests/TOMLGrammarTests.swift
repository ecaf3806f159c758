import StrictJSON
import StrictTOML
import Testing

@Suite struct TOMLGrammarTests {
  private func document(_ text: String) throws -> TOMLDocument { try TOMLDocument(Array(text.utf8)) }

  @Test func valuesStandUnderTheirTables() throws {
    let read = try document(
      """
      # a gateway
      state = "/srv/meter host"   # its folder
      "in quotes" = 'C:\\raw'

      [radio]
      adapters = [ "hci0", # one
        "hci1",
      ]
      [radio.deep . "er"]
      count = 1_000
      share = -0.5e1
      is-on = true

      """)
    #expect(
      read.entries.map(\.name) == [
        "state", "in quotes", "radio.adapters", "radio.deep.er.count", "radio.deep.er.share", "radio.deep.er.is-on",
      ])
    #expect(read.tables.map(\.name) == ["radio", "radio.deep.er"])
    #expect(read.entries[0].value.content == .string("/srv/meter host"))
    #expect(read.entries[0].position == TextPosition(line: 2, column: 1))
    #expect(read.entries[0].value.position == TextPosition(line: 2, column: 9))
    #expect(read.entries[1].value.content == .string("C:\\raw"))
    #expect(read.entries[3].value.content == .integer(1000))
    #expect(read.entries[4].value.content == .float(-5))
    #expect(read.entries[5].value.content == .boolean(true))
    guard case .array(let adapters) = read.entries[2].value.content else {
      Issue.record("no array")
      return
    }
    #expect(adapters.map(\.content) == [.string("hci0"), .string("hci1")])
    #expect(adapters[1].position == TextPosition(line: 7, column: 3))
  }

  @Test(arguments: [
    (#"a = "\t\"\\\u00e9\U0001F600""#, "\t\"\\é😀"), ("a = ''", ""), (#"a = "x # y""#, "x # y"), (#"a = 'é'"#, "é"),
  ])
  func stringsMeanWhatTheySay(text: String, meaning: String) throws {
    #expect(try document(text).entries[0].value.content == .string(meaning))
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("+7", .integer(7)), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("0.5", .float(0.5)), ("1e3", .float(1000)), ("0e0", .float(0)),
      ("6.02_2E+1", .float(60.22)),
    ] as [(String, TOMLValue.Content)])
  func numbersMeanWhatTheySay(text: String, meaning: TOMLValue.Content) throws {
    #expect(try document("a = \(text)").entries[0].value.content == meaning)
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "a=1", "a=1\r\n[b]\r\nc=2\r\n", "[a]", "[a.b]\n[a]\nc=1"])
  func theseAreDocuments(text: String) throws { _ = try document(text) }

  static let wrong: [(String, TOMLSyntaxError.Code, Int, Int)] = [
    ("a", .unexpectedEnd, 1, 2), ("a =", .unexpectedEnd, 1, 4), ("a = \nb = 1", .unexpectedText, 1, 5),
    ("a = hello", .unexpectedText, 1, 5), ("= 1", .unexpectedText, 1, 1), ("a = 1 b = 2", .unexpectedText, 1, 7),
    ("a = 1\na = 2", .duplicateKey, 2, 1), ("[a]\n[a]", .duplicateKey, 2, 1), ("a = 1\n[a.b]", .duplicateKey, 2, 1),
    ("[a.b]\n[a]\nb = 1", .duplicateKey, 3, 1), ("a = \"x", .unexpectedEnd, 1, 5), ("a = 'x\n'", .unexpectedEnd, 1, 5),
    (#"a = "\q""#, .invalidEscape, 1, 6), (#"a = "\ud800""#, .invalidEscape, 1, 6),
    (#"a = "\u00""#, .invalidEscape, 1, 6),
    ("a = \"\u{7}\"", .controlCharacter, 1, 6), ("# \u{1}", .controlCharacter, 1, 3), ("a = 01", .invalidNumber, 1, 5),
    ("a = 1.", .invalidNumber, 1, 5), ("a = 1__0", .invalidNumber, 1, 5), ("a = 1_", .invalidNumber, 1, 5),
    ("a = 1e400", .invalidNumber, 1, 5), ("a = 9223372036854775808", .invalidNumber, 1, 5),
    ("a = 1.e1", .invalidNumber, 1, 5),
    ("a = 0x1f", .notRead, 1, 5), ("a = nan", .notRead, 1, 5), ("a = 2026-03-01", .notRead, 1, 5),
    ("a = 08:00:00", .notRead, 1, 5), ("a = { b = 1 }", .notRead, 1, 5), ("[[a]]", .notRead, 1, 1),
    ("a.b = 1", .notRead, 1, 1), ("a = \"\"\"x\"\"\"", .notRead, 1, 5), ("a = [1, 2", .unexpectedEnd, 1, 10),
    ("a = [1 2]", .unexpectedText, 1, 8), ("a = [,]", .unexpectedText, 1, 6), ("[a", .unexpectedEnd, 1, 3),
    ("[]", .unexpectedText, 1, 2), ("[a] b = 1", .unexpectedText, 1, 5), ("a\r= 1", .unexpectedText, 1, 2),
    ("a = [[[[[[[[[1]]]]]]]]]", .tooDeep, 1, 13), ("[a.b.c.d.e.f.g.h.i]", .tooDeep, 1, 1),
  ]

  @Test(arguments: wrong)
  func aMistakeIsToldWithItsPlace(text: String, code: TOMLSyntaxError.Code, line: Int, column: Int) throws {
    let error = #expect(throws: TOMLSyntaxError.self) { try document(text) }
    #expect(
      error?.code == code && error?.position == TextPosition(line: line, column: column), "\(text): \(error as Any)")
    #expect(error?.cure.isEmpty == false)
  }

  @Test func whatIsNoTextIsRefused() throws {
    let invalid = #expect(throws: TOMLSyntaxError.self) { try TOMLDocument(Array("a = \"é".utf8) + [0xff, 0x22]) }
    #expect(invalid?.code == .invalidUTF8 && invalid?.position == TextPosition(line: 1, column: 8))
    let large = #expect(throws: TOMLSyntaxError.self) {
      try TOMLDocument(Array(repeating: 0x23, count: (256 << 10) + 1))
    }
    #expect(large?.code == .tooLarge)
  }

  /// A file of the largest size with as many mistakable pieces as fit ends, one way or the other, at once.
  @Test(arguments: ["[", "a=[", "\"", "'", "\\", "#\n", "a.", "1_", "[a]\n"])
  func repeatedPiecesAreRead(piece: String) {
    let bytes = Array(String(repeating: piece, count: (256 << 10) / piece.utf8.count).utf8)
    _ = try? TOMLDocument(bytes)
  }

  @Test func damagedDocumentsAreAnErrorOrADocument() {
    let seed = Array("a = \"x\\u00e9\"\n[b.c]\nd = [1, 2.5e3, true, ['y']]\r\n# z\n\"q\" = -0\n".utf8)
    for index in seed.indices {
      for byte in UInt8.min...UInt8.max {
        var bytes = seed
        bytes[index] = byte
        do {
          let read = try TOMLDocument(bytes)
          #expect(read.entries.allSatisfy { $0.position.line >= 1 && $0.value.position.column >= 1 })
        } catch {
          #expect(error.position.line >= 1 && error.position.line <= 7 && error.position.column >= 1)
        }
      }
      _ = try? TOMLDocument(Array(seed[..<index]))
    }
  }
}
