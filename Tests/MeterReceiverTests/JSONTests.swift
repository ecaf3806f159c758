import Foundation
import StrictJSON
import Testing

@testable import MeterReceiver

@Suite struct JSONTests {
  @Test(arguments: [
    ("null", JSONValue.null), (" true\n", .bool(true)), ("-0", .number(0)), ("1.5e2", .number(150)),
    ("\"a\\u00e9\\ud83d\\ude00\\n\\/\"", .string("aé😀\n/")), ("[]", .array([])), ("{ }", .object([:])),
    ("[1, [2], {\"a\" : {}}]", .array([.number(1), .array([.number(2)]), .object(["a": .object([:])])])),
    ("1e999", .number(.infinity)),
    ("{\"a\":1,\"\\u0061\":2}", .object(["a": .number(1), "a": .number(2)])),
  ])
  func parses(text: String, value: JSONValue) throws {
    #expect(try JSONValue.parse(Array(text.utf8)) == value)
  }

  @Test func requestsNestNoDeeperThanTheirBound() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSONValue.parse(nested(32))
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(nested(33)) }
    #expect(error?.offset == 32 && error?.problem == "nested deeper than 32 levels")
  }

  /// The validator names these by record and field; the store never holds them.
  @Test(arguments: ["{\"a\":1,\"\\u0061\":2}", "[9007199254740992]", "[1e999]"])
  func requestsMayHoldWhatTheStoreMayNot(text: String) throws {
    _ = try JSONValue.parse(Array(text.utf8))
    #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Array(text.utf8), rules: .stored) }
  }

  @Test(arguments: [
    ("{\"b\":1.0,\"a\":[ 0.10, -0, 1E2 ]}", "{\"a\":[0.1,0,100],\"b\":1}"),
    ("{\"é\":1,\"z\":2,\"Z\":3}", "{\"Z\":3,\"z\":2,\"é\":1}"),
    ("\"\\u0001\\\"\\\\\\/é\"", "\"\\u0001\\\"\\\\/é\""),
    ("1234567890123", "1234567890123"),
  ])
  func canonicalTextIsOneTextForOneContent(text: String, canonical: String) throws {
    let value = try JSONValue.parse(Array(text.utf8))
    #expect(value.canonicalText == canonical)
    #expect(try JSONValue.parse(Array(canonical.utf8)).canonicalText == canonical)
  }

  @Test("a number is stored as it was written, and 6.20 is the same value as 6.2")
  func keepsTheResolution() throws {
    let value = try JSONValue.parse(Array("{\"b\":6.20,\"a\":[1E2,-0,7.0]}".utf8))
    #expect(value.storedText == "{\"a\":[1E2,0,7.0],\"b\":6.20}")
    #expect(value.text == "{\"b\":6.20,\"a\":[1E2,0,7.0]}")
    let other = try JSONValue.parse(Array("{\"b\":6.2,\"a\":[100,0,7]}".utf8))
    #expect(value == other)
    #expect(value.canonicalText == other.canonicalText)
    let long = try JSONValue.parse(Array("0.\(String(repeating: "0", count: 100))1".utf8))
    #expect(long.storedText == "1e-101", "a text of any length is not kept")
  }

  @Test(
    "a number that one reader takes for zero and another for nothing is refused wherever it stands",
    arguments: ["-1e-400", "0e999999999", "1e-400", "1e-100", "0.\(String(repeating: "0", count: 100))1"])
  func absurdNumbers(numeral: String) throws {
    for (text, path) in [("{\"a\":\(numeral)}", "a"), ("{\"x\":[{\"y\":\(numeral)}]}", "x[0].y")] {
      var errors = FieldErrors()
      RecordFields.checkTree(try JSONValue.parse(Array(text.utf8)), path: "", &errors)
      #expect(errors.reasons.map(\.field) == [path], "\(text)")
    }
    // What an earlier version has stored is given back as what it is.
    let stored = try JSONValue.parse(Array("[\(numeral)]".utf8), rules: .stored)
    #expect(stored.text.utf8.count < 16)
    var none = FieldErrors()
    RecordFields.checkTree(try JSONValue.parse(Array("[1e2,-0.00,6.20,1e-9]".utf8)), path: "", &none)
    #expect(none.reasons.isEmpty)
  }

  @Test func readsWhatFoundationWrites() throws {
    let body = measurement()
    let object = try JSONSerialization.jsonObject(with: Data(body.utf8))
    let rewritten = try JSONSerialization.data(withJSONObject: object, options: .prettyPrinted)
    #expect(try JSONValue.parse(Array(rewritten)).canonicalText == JSONValue.parse(Array(body.utf8)).canonicalText)
  }

  @Test func everyTruncationIsRefused() {
    let body = Array(measurement().utf8)
    for length in 0..<body.count {
      #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(Array(body[..<length])) }
    }
  }
}

@Suite struct UTCTimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2018-09-20T05:27:07Z", 1_537_421_227_000),
    ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
    ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00.123456789Z", 951_782_400_123),
  ])
  func readsAndWrites(text: String, milliseconds: Int64) throws {
    let timestamp = try #require(UTCTimestamp(text))
    #expect(timestamp.milliseconds == milliseconds)
    #expect(UTCTimestamp(timestamp.text) == timestamp)
  }

  @Test func agreesWithFoundationOnEveryDay() throws {
    let formatter = ISO8601DateFormatter()
    for day in stride(from: Int64(-25_000), to: 100_000, by: 37) {
      let timestamp = UTCTimestamp(milliseconds: day * UTCTimestamp.millisecondsPerDay + 1000)
      let date = Date(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000)
      #expect(timestamp.text == formatter.string(from: date).replacing("Z", with: ".000Z"))
      #expect(UTCTimestamp(timestamp.text) == timestamp)
    }
  }

  @Test(arguments: [
    "", "2018-09-20", "2018-09-20T05:27:07", "2018-09-20T05:27:07+00:00", "2018-09-20T05:27:07-07:00",
    "2018-09-20 05:27:07Z", "2018-09-20t05:27:07z", "2018-13-20T05:27:07Z", "2018-02-29T05:27:07Z",
    "2018-00-20T05:27:07Z", "2018-09-00T05:27:07Z", "2018-09-31T05:27:07Z", "2018-09-20T24:00:00Z",
    "2018-09-20T05:60:00Z", "2018-09-20T05:27:60Z", "2018-09-20T05:27:07.Z", "2018-09-20T05:27:07,5Z",
    "20180920T052707Z", "+018-09-20T05:27:07Z", "1899-09-20T05:27:07Z", "2018-09-20T05:27:07.12345678901234Z",
    "２018-09-20T05:27:07Z",
  ])
  func refusesEverythingElse(text: String) {
    #expect(UTCTimestamp(text) == nil)
  }
}
