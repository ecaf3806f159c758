import HTTPServing
import TestSupport
import Testing

@testable import GatewayConsole

/// Who is let in, as values.
@Suite("Access to the console") struct ConsoleAccessTests {
  @Test func aLinkOpensOnceAndForAShortWhile() {
    let clock = StoppedClock()
    let links = LinkBook(clock: clock)
    let first = links.make()
    #expect(links.use(first))
    #expect(!links.use(first))
    let second = links.make()
    clock.advance(by: LinkBook.life)
    #expect(!links.use(second))
    #expect(!links.use("") && !links.use(String(repeating: "0", count: 64)))
  }

  @Test func onlySoManyLinksAreOut() {
    let links = LinkBook(clock: StoppedClock())
    let all = (0..<LinkBook.most + 1).map { _ in links.make() }
    #expect(!links.use(all[0]))
    #expect(all.dropFirst().allSatisfy { links.use($0) })
  }

  @Test func aSessionEndsWhenItIsIdleAndInAnyCase() {
    let clock = StoppedClock()
    let book = SessionBook(clock: clock)
    let session = book.begin()
    let cookie = session.cookie[...]
    clock.advance(by: SessionBook.idle - .seconds(1))
    #expect(book.session(presenting: ["x", cookie]) == session)
    clock.advance(by: SessionBook.idle)
    #expect(book.session(presenting: [cookie]) == nil)
    let other = book.begin()
    for _ in 0..<30 {
      clock.advance(by: .seconds(3600))
      _ = book.session(presenting: [other.cookie[...]])
    }
    #expect(book.session(presenting: [other.cookie[...]]) == nil)
    let third = book.begin()
    book.end(third)
    #expect(book.session(presenting: [third.cookie[...]]) == nil)
    let more = [book.begin(), book.begin()]
    let before = book.closings
    book.endAll()
    // Who was looked at before is let in no more.
    #expect(book.begin(since: before) == nil && book.begin(since: book.closings) != nil)
    #expect(more.allSatisfy { book.session(presenting: [$0.cookie[...]]) == nil })
  }

  @Test func onlySoManyPasswordsAreTried() {
    let clock = StoppedClock()
    let tries = PasswordTries(clock: clock)
    for _ in 0..<PasswordTries.most { #expect(tries.begin() == nil) }
    #expect(tries.begin().map { (1...301).contains($0) } == true)
    clock.advance(by: PasswordTries.window)
    #expect(tries.begin() == nil)
    tries.succeeded()
    for _ in 0..<PasswordTries.most { #expect(tries.begin() == nil) }
  }

  @Test func onlyOwnNamesAreAnswered() {
    let loopback = OriginRule.loopback(port: 8090)
    for host in ["127.0.0.1:8090", "localhost:8090", "LOCALHOST:8090", "[::1]:8090"] {
      #expect(loopback.admits(host: host))
    }
    for host in ["evil.example:8090", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:8090.", "", "localhost.:8090"] {
      #expect(!loopback.admits(host: host))
    }
    let proxy = OriginRule.proxy(origin: "https://gateway.example")
    #expect(proxy.admits(host: "gateway.example") && !proxy.admits(host: "gateway.example:8443") && proxy.isSecure)
    // The port of https is the one that is meant without one.
    #expect(proxy.admits(host: "gateway.example:443"))
    #expect(proxy.admits(origin: "https://gateway.example", host: "gateway.example:443"))
    #expect(!proxy.admits(origin: "https://gateway.example:444", host: "gateway.example:443"))
    #expect(proxy.admits(origin: "https://gateway.example", host: "gateway.example"))
    #expect(!proxy.admits(origin: "http://gateway.example", host: "gateway.example"))
    #expect(OriginRule.socket.admits(host: "localhost:9999") && OriginRule.socket.admits(host: "localhost"))
    #expect(!OriginRule.socket.admits(host: "localhost:x") && !OriginRule.socket.admits(host: "evil.example"))
  }

  @Test func aCertificateSaysUnderWhichNamesThereAreAnswers() {
    let names = CertificateNames(["Gateway.example", "*.house.example", "192.168.1.5", "[fd00::1]"])
    let rule = OriginRule.certificate(port: 8443, names: names)
    for host in ["gateway.example:8443", "a.house.example:8443", "192.168.1.5:8443", "[fd00::1]:8443"] {
      #expect(rule.admits(host: host) && rule.admits(origin: "https://\(host)", host: host), "\(host)")
      #expect(!rule.admits(origin: "http://\(host)", host: host) && rule.isSecure)
    }
    for host in [
      "gateway.example", "gateway.example:443", "house.example:8443", "a.b.house.example:8443", "evil.example:8443",
      "127.0.0.1:8443", "", ":8443", ".house.example:8443",
    ] { #expect(!rule.admits(host: host), "\(host)") }
    let usual = OriginRule.certificate(port: 443, names: names)
    #expect(usual.admits(host: "gateway.example") && usual.admits(host: "gateway.example:443"))
    #expect(usual.admits(origin: "https://gateway.example", host: "gateway.example:443"))
  }

  @Test func otherPagesMayChangeNothing() {
    let rule = OriginRule.loopback(port: 8090)
    let host = "127.0.0.1:8090"
    #expect(rule.admits(origin: "http://127.0.0.1:8090", host: host))
    for origin in [nil, "null", "http://evil.example", "https://127.0.0.1:8090", "http://localhost:8090"] {
      #expect(!rule.admits(origin: origin, host: host))
    }
    #expect(
      rule.admits(fetchSite: "cross-site", isEntry: true) && !rule.admits(fetchSite: "cross-site", isEntry: false))
    #expect(!rule.admits(fetchSite: "same-site", isEntry: false) && rule.admits(fetchSite: nil, isEntry: false))
  }
}
