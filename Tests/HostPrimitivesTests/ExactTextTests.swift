import HostPrimitives
import Testing

@Suite("Texts that are what their bytes are")
struct ExactTextTests {
  @Test(
    "two that only look the same are two",
    arguments: [("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}"), ("\u{212B}", "\u{C5}"), (";", "\u{37E}")])
  func look(_ one: String, _ other: String) {
    // What Swift says of them is why this type is there.
    #expect(one == other)
    #expect(!one.isExactly(other) && one.isExactly(one) && !one.dropFirst(0).isExactly(other))
    #expect(ExactText(one) != ExactText(other) && ExactText(one) == ExactText(one))
    #expect(Set([one, other, one].map(ExactText.init)).count == 2)
    #expect((ExactText(one) < ExactText(other)) != (ExactText(other) < ExactText(one)))
  }

  @Test("one begins with what its bytes begin with")
  func beginning() {
    // A mark makes another letter of the last one.
    #expect("user/\u{301}x".beginsExactly(with: "user/") && !"user/\u{301}x".hasPrefix("user/"))
    #expect("jose\u{301}".beginsExactly(with: "jose") && !"jos\u{E9}".beginsExactly(with: "jose"))
    #expect(!"\u{212A}elvin".beginsExactly(with: "K") && "x".beginsExactly(with: "") && !"".beginsExactly(with: "x"))
  }

  @Test("one that is empty, or the begin of another, is another")
  func parts() {
    #expect(!"".isExactly("a") && !"ab".isExactly("a") && "".isExactly(""))
    #expect(Set(["", "a", "ab"].map(ExactText.init)).count == 3)
  }
}
