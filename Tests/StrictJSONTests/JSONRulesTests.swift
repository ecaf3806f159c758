import StrictJSON
import Testing

/// What the rules add to the grammar.
@Suite struct JSONRulesTests {
  private func nested(_ depth: Int) -> [UInt8] {
    Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
  }

  @Test(arguments: [strictRules, openRules])
  func depthIsExact(_ rules: JSONRules) throws {
    _ = try JSONDocument(nested(rules.depth), rules: rules)
    let error = try refusal(nested(rules.depth + 1), rules)
    #expect(error.code == .tooDeep && error.offset == rules.depth)
    #expect(error.problem == "nested deeper than \(rules.depth) levels")
    #expect(try refusal(Array(repeating: 0x5b, count: 1_000_000), rules).code == .tooDeep)
    #expect(try refusal(Array(String(repeating: "{\"a\":", count: 1_000_000).utf8), rules).code == .tooDeep)
  }

  @Test func noCallerCanAskForMoreThanTheStackHas() throws {
    let rules = JSONRules(size: .max, depth: .max)
    #expect(rules.depth == JSONRules.greatestDepth && rules.size == JSONRules.greatestSize)
    _ = try JSONDocument(nested(rules.depth), rules: rules)
    #expect(try refusal(nested(rules.depth + 1), rules).code == .tooDeep)
    #expect(try refusal([0x5b], JSONRules(depth: -1)).code == .tooDeep)
    _ = try JSONDocument([0x31], rules: JSONRules(depth: 0))
  }

  @Test func sizeIsExact() throws {
    let rules = JSONRules(size: 4, depth: 2)
    _ = try JSONDocument(Array("1234".utf8), rules: rules)
    let error = try refusal(Array("12345".utf8), rules)
    #expect(error.code == .tooLarge && error.offset == 0)
  }

  @Test(arguments: [2, 3, 64, 65, 200])
  func duplicatesAreRefusedHoweverManyKeysThereAre(_ count: Int) throws {
    let keys = (1..<count).map { "\"k\($0)\": 0" }
    _ = try parse("{\(keys.joined(separator: ","))}")
    let text = "{\((keys + ["\"k1\": 1"]).joined(separator: ","))}"
    let error = try refusal(Array(text.utf8))
    #expect(error.code == .duplicateKey && error.problem.contains("\"k1\""))
    #expect(error.offset == text.utf8.count - "\"k1\": 1}".utf8.count)
  }

  @Test func duplicatesAreKeptWhereTheCallerJudges() throws {
    let root = try parse(#"{"a":1,"b":2,"a":3}"#, openRules)
    #expect(root.members.map(\.key.asString) == ["a", "b", "a"])
    #expect(root.members.map(\.value.numeral) == ["1", "2", "3"])
    #expect(root.member("a")?.numeral == "1")
  }

  @Test func oneKeyInTwoSpellingsIsOneKey() throws {
    let rules = JSONRules(depth: 4)
    let root = try parse(#"{"b":1,"\u0061\n":2}"#, rules)
    #expect(root.member("a\n")?.numeral == "2" && root.member("a") == nil)
    #expect(try refusal(Array(#"{"a":1,"\u0061":2}"#.utf8), rules).code == .duplicateKey)
    #expect(try refusal(Array(#"{"\u0061":1,"b":0,"a":2}"#.utf8), rules).code == .duplicateKey)
    _ = try parse(#"{"a":1,"\u0062":2,"\\u0061":3}"#, rules)
  }

  @Test func hostileKeysAreFitToBeShown() throws {
    let error = try refusal(Array("{\"a\u{202e}\u{1b}\":1,\"a\u{202e}\u{1b}\":1}".utf8.filter { $0 != 0x1b }))
    #expect(error.problem.contains(#"a\u{202e}"#))
    #expect(error.description.unicodeScalars.allSatisfy(isFitForPeople))
  }

  @Test(arguments: [
    ("9007199254740991", true, true), ("-9007199254740991", true, true), ("9007199254740992", false, true),
    ("-9007199254740993", false, true), ("1e308", false, true), ("1e309", false, false), ("-1e999", false, false),
    ("1e-999", true, true), ("0.1", true, true),
  ])
  func numbersFollowTheirRule(_ text: String, _ isExact: Bool, _ isFinite: Bool) throws {
    _ = try parse("[\(text)]", JSONRules(depth: 1, numbers: .any))
    for (rule, isFine) in [(JSONNumberRule.exact, isExact), (.finite, isFinite)] {
      let rules = JSONRules(depth: 1, numbers: rule)
      if isFine {
        _ = try parse("[\(text)]", rules)
      } else {
        let error = try refusal(Array("[\(text)]".utf8), rules)
        #expect(error.code == .numberOutOfRange && error.offset == 1)
      }
    }
  }
}
