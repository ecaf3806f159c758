import Testing

@testable import HTTPServing

/// The names that a certificate is for.
@Suite struct CertificateNamesTests {
  @Test func namesAreThoseOfAnAddress() {
    let names = CertificateNames([
      "Gateway.Example", "", "evil/../x", "a b", "*.example", "*", "*x.example", "[fd00::1]",
    ])
    #expect(names.all == ["gateway.example", "*.example", "[fd00::1]"] && names.first == "gateway.example")
    #expect(CertificateNames(["*.example"]).first == nil)
  }

  @Test(arguments: [
    ("gateway.example", true), ("other.example", true), ("a.b.example", false), (".example", false), ("example", false),
    ("gateway.example.", false), ("[fd00::1]", true), ("fd00::1", false), ("", false),
  ])
  func aStarIsOnePart(name: String, isAdmitted: Bool) {
    #expect(CertificateNames(["gateway.example", "*.example", "[fd00::1]"]).admits(name) == isAdmitted)
  }

  @Test(
    arguments: [
      ([192, 168, 1, 5], "192.168.1.5"), ([0xFD] + [UInt8](repeating: 0, count: 14) + [1], "[fd00::1]"), ([], nil),
      ([1, 2, 3], nil),
    ] as [([UInt8], String?)])
  func addressesAreWrittenAsBrowsersDo(bytes: [UInt8], text: String?) {
    #expect(CertificateNames.text(ofAddress: bytes) == text)
  }
}
