import Foundation
import StrictJSON
import Testing

@Suite("The JSON writer")
struct JSONWriterTests {
  private func write(_ json: inout JSONWriter) {
    json.object { json in
      json.member("text", "a\"b\\c/d\u{1}\n\u{1F}é")
      json.member("literal", literal: "6.20")
      json.array("list") { json in
        json.member(nil, integer: .min)
        json.member(nil, unsigned: .max)
        json.member(nil, flag: true)
        json.null(nil)
        json.array { _ in }
        json.object { _ in }
      }
      json.object("empty") { _ in }
      json.member("last", flag: false)
    }
  }

  @Test("a compact text has no white space, and escapes what JSON demands")
  func compact() {
    var json = JSONWriter()
    write(&json)
    #expect(
      json.text == #"{"text":"a\"b\\c/d\u0001\u000a\u001fé","literal":6.20,"list":[-9223372036854775808,"#
        + #"18446744073709551615,true,null,[],{}],"empty":{},"last":false}"#)
  }

  @Test("an indented text has a line for each member")
  func indented() {
    var json = JSONWriter(.indented)
    json.object { json in
      json.member("a", integer: 0)
      json.array("b") { json in
        json.member(nil, "c")
        json.object { $0.null("d") }
      }
      json.array("e") { _ in }
    }
    #expect(
      json.text == """
        {
          "a": 0,
          "b": [
            "c",
            {
              "d": null
            }
          ],
          "e": []
        }
        """)
  }

  @Test("strings can be escaped as Foundation does it")
  func foundation() throws {
    let encoder = JSONEncoder()
    for scalar in (0...0x2FF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
      let text = "x\(scalar)/"
      var json = JSONWriter(escapes: .foundation)
      json.array { $0.member(nil, text) }
      #expect(json.bytes == Array(try encoder.encode([text])))
    }
  }

  @Test("what is written is read as the same, whatever the text is")
  func roundTrip() throws {
    let hostile = "a\"b\\c\u{1}\u{0}\n\u{2028}é😀"
    for escapes in [JSONWriter.Escapes.least, .foundation] {
      var json = JSONWriter(escapes: escapes)
      json.object { $0.member(hostile, hostile) }
      #expect(try JSONDecoder().decode([String: String].self, from: Data(json.bytes)) == [hostile: hostile])
    }
  }
}
