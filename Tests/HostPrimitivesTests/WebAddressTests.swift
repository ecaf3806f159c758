import HostPrimitives
import Testing

/// Addresses as people write them.
@Suite("Web addresses")
struct WebAddressTests {
  @Test(
    "are taken as they are written",
    arguments: [
      ("https://receiver.example", "https", "receiver.example", nil, ""),
      ("HTTPS://Receiver.Example.:8443/a/b%20c/", "https", "Receiver.Example.", 8443, "/a/b%20c/"),
      ("http://127.0.0.1:1", "http", "127.0.0.1", 1, ""), ("http://[::1]:65535/x", "http", "[::1]", 65_535, "/x"),
      ("http://[fe80::1%25eth0]/", "http", "[fe80::1%25eth0]", nil, "/"),
      ("http://my_host", "http", "my_host", nil, ""),
      ("https://xn--mnchen-3ya.example", "https", "xn--mnchen-3ya.example", nil, ""),
      ("https://1.example/..a", "https", "1.example", nil, "/..a"),
      ("https://face.example", "https", "face.example", nil, ""),
      ("https://4f66ad9a0b2e:8443", "https", "4f66ad9a0b2e", 8443, ""),
    ] as [(String, String, String, Int?, String)])
  func taken(text: String, scheme: String, host: String, port: Int?, path: String) throws {
    let address = try WebAddress(text)
    #expect(address.scheme == scheme && address.host == host && address.port == port && address.path == path)
  }

  @Test(
    "are refused with what is wrong",
    arguments: [
      ("https://h.example\r\n", "line break (character 18)"), ("https://h\nX", "line break"), ("https://h ", "space"),
      (" https://h", "space (character 1)"), ("https://h/\u{7F}", "control"), ("https://h/\u{0}", "control"),
      ("https://h/\u{85}", "control"), ("https://münchen.example", "outside ASCII"), ("https://h/ä", "outside ASCII"),
      ("https://h\\x", "character \\"), ("https://h/<", "character <"), ("h.example", "scheme"), ("", "scheme"),
      ("https:/h", "scheme"), ("://h", "scheme"), ("https://", "no host"), ("https://:1", "no host"),
      ("https:///x", "no host"), ("https://u:p@h", "user or password"), ("https://@h", "user or password"),
      ("https://h?x", "query"), ("https://h/#x", "fragment"), ("https://h:0", "port 0"),
      ("https://h:65536", "port 65536"),
      ("https://h:99999", "port 99999"), ("https://h:", "port"), ("https://h:+1", "port"), ("https://h:x", "port"),
      ("https://::1", "port"), ("https://[::1", "]"), ("https://[::1]x", "behind its host"),
      ("https://[1.2.3.4]", "IPv6"), ("https://[::g]", "IPv6"), ("https://[::1%25]", "IPv6"),
      ("https://a..b", "can be none"), ("https://-a.b", "can be none"), ("https://a%2Eb", "can be none"),
      ("https://.", "can be none"), ("https://a,b", "can be none"), ("https://127.1", "IPv4"),
      ("https://2130706433", "IPv4"), ("https://0x7f.0.0.1", "IPv4"), ("https://256.1.1.1", "IPv4"),
      ("https://1.1.1.01", "IPv4"), ("https://h/%", "%"), ("https://h/%2", "%"), ("https://h/%xx", "%"),
      ("https://h/a/../b", "elsewhere"), ("https://h/%2E%2e", "elsewhere"), ("https://h/.", "elsewhere"),
    ])
  func refused(text: String, problem: String) {
    let error = #expect(throws: WebAddress.Refusal.self) { try WebAddress(text) }
    #expect(error?.problem.contains(problem) == true, "\(error?.problem ?? "")")
    #expect(error?.cure.isEmpty == false)
  }

  @Test("are not quoted, and have a bound")
  func bounded() {
    let secret = #expect(throws: WebAddress.Refusal.self) { try WebAddress("https://ada:secret@h") }
    #expect(secret.map { !"\($0)".contains("secret") } == true)
    #expect(throws: WebAddress.Refusal.self) { try WebAddress("https://h/" + String(repeating: "a", count: 2_048)) }
  }
}
