import Testing

@testable import GatewayAPI

@Suite("An address at which exports are taken") struct IngestAddressTests {
  @Test(
    "is one of this machine or its network",
    arguments: [
      ("127.0.0.1:8099", "127.0.0.1", 8099, true), ("localhost:80", "127.0.0.1", 80, true),
      ("127.8.9.1:0", "127.8.9.1", 0, true), ("[::1]:8099", "::1", 8099, true),
      ("192.168.1.20:8099", "192.168.1.20", 8099, false), ("10.0.0.1:65535", "10.0.0.1", 65_535, false),
      ("172.16.0.1:1", "172.16.0.1", 1, false), ("172.31.255.255:1", "172.31.255.255", 1, false),
      ("169.254.3.4:1", "169.254.3.4", 1, false), ("0.0.0.0:8099", "0.0.0.0", 8099, false),
      ("[::]:8099", "::", 8099, false), ("[fd00::5]:8099", "fd00::5", 8099, false),
    ])
  func local(text: String, host: String, port: Int, isLoopback: Bool) throws {
    let address = try #require(IngestAddress(text))
    #expect(address.host == host && address.port == port && address.isLoopback == isLoopback)
    #expect(IngestAddress(address.description) == address)
  }

  @Test(
    "is nothing else",
    arguments: [
      "", ":", "8099", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:080800",
      "8.8.8.8:80", "172.15.0.1:80", "172.32.0.1:80", "192.169.0.1:80", "[2001:db8::1]:80", "[fe80::1]:80", "::1:80",
      "[127.0.0.1]:80", "phone.example:80", "256.0.0.1:80", "127.0.0.1 :80", "[::1:80", "off", "127.0.0.1:٨٠",
    ])
  func others(text: String) { #expect(IngestAddress(text) == nil) }

  @Test("a long text is refused") func long() {
    #expect(IngestAddress(String(repeating: "0", count: 100_000) + "127.0.0.1:1") == nil)
  }
}
