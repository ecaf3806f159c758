import StrictJSON
import Testing

/// Where things stand.
@Suite struct JSONPlaceTests {
  @Test func valuesNameTheirPath() throws {
    let root = try parse(#"{"a": [1, {"b": {"c": true}}], "d": 2}"#)
    let inner = try #require(root.member("a")?.elements[1].member("b")?.member("c"))
    #expect(inner.path == "$.a[1].b.c" && inner.kind == .true)
    #expect(root.path == "$" && root.member("d")?.path == "$.d")
    #expect(root.members[1].key.path == "$.d")
  }

  @Test func valuesNameLineAndColumn() throws {
    let root = try parse("{\n  \"a\": \"x\",\r\n\t\"é\": [1,\n2]\n}")
    #expect(root.position == TextPosition(line: 1, column: 1) && root.offset == 0)
    #expect(root.members[0].key.position == TextPosition(line: 2, column: 3))
    #expect(root.members[0].value.position == TextPosition(line: 2, column: 8))
    #expect(root.members[1].value.position == TextPosition(line: 3, column: 8))
    #expect(root.members[1].value.elements[1].position == TextPosition(line: 4, column: 1))
  }

  @Test func errorsNameLineAndColumn() throws {
    let error = try refusal(Array("{\n  \"a\": 1,\n  \"b\": maybe\n}".utf8))
    #expect(error.position == TextPosition(line: 3, column: 8))
    #expect(error.description.hasPrefix("3:8: "))
  }

  @Test func keysAreFoundInAnyOrder() throws {
    let root = try parse(#"{"a":1,"b":{"x":[1,2,{"a":9}]},"c":3,"":4}"#)
    for order in [["a", "b", "c", ""], ["", "c", "b", "a"], ["c", "c", "a", "b"], ["x", "b", "y", "a"]] {
      var members = JSONMemberReader(root)
      for key in order {
        let expected = root.members.first { $0.key.asString == key }?.value.path
        #expect(members.member(key)?.path == expected, "\(key)")
      }
    }
    var none = JSONMemberReader(root.members[0].value)
    #expect(none.member("a") == nil)
  }
}
