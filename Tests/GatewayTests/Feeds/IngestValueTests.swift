import HostPrimitives
import MeterCore
import Testing

@testable import GatewayEngine

@Suite("How often a source may post") struct IngestRateTests {
  private let start = HostInstant(sinceBoot: .seconds(1_000))

  @Test("a burst at once, then one in a while, and no more than a burst after a long time") func rate() {
    var rate = IngestRate()
    for _ in 0..<IngestRate.burst { #expect(rate.take(at: start) == nil) }
    #expect(rate.take(at: start) == 2)
    #expect(rate.take(at: start + .milliseconds(500)) == 2)
    #expect(rate.take(at: start + .milliseconds(1_500)) == 1)
    #expect(rate.take(at: start + .seconds(2)) == nil)
    #expect(rate.take(at: start + .seconds(2)) == 2)
    let later = start + .seconds(100_000)
    for _ in 0..<IngestRate.burst { #expect(rate.take(at: later) == nil) }
    #expect(rate.take(at: later) == 2)
  }

  @Test("what is refused costs nothing") func refused() {
    var rate = IngestRate()
    for _ in 0..<1_000 { _ = rate.take(at: start) }
    #expect(rate.take(at: start + .seconds(2)) == nil)
  }

  @Test("who waits as long as they are told may post") func waits() throws {
    var (rate, now) = (IngestRate(), start)
    for _ in 0..<500 {
      if let seconds = rate.take(at: now) {
        #expect(seconds >= 1)
        now = now + .seconds(seconds)
        #expect(rate.take(at: now) == nil)
      }
    }
  }
}

@Suite("A source that posts") struct IngestSourceTests {
  @Test("tokens are long, of the alphabet of URLs, and never the same") func tokens() {
    let tokens = (0..<200).map { _ in IngestSource.makeToken() }
    #expect(Set(tokens).count == 200)
    #expect(tokens.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil })
  }

  // FIPS 180-4, appendix B.1 of its first edition.
  @Test("what is kept of a token is SHA-256") func hash() {
    #expect(
      IngestSource.hash(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let source = IngestSource(token: "secret-token", made: 7)
    #expect(!source.text.contains("secret-token"))
    #expect(IngestSource(text: source.text) == source)
  }

  @Test("only the whole hash fits") func matches() {
    let source = IngestSource(token: "a", made: 0)
    let own = IngestSource.hash(of: "a")
    #expect(source.matches(own))
    for other in ["", String(own.dropLast()), own + "0", IngestSource.hash(of: "b"), own.uppercased()] {
      #expect(!source.matches(other))
    }
    var broken = source
    broken.hash = ""
    #expect(!broken.matches(""))
  }

  @Test("content of another version is no source", arguments: ["", "{}", "[]", "{\"hash\":1,\"made\":2}"])
  func foreign(text: String) { #expect(IngestSource(text: text) == nil) }

  @Test(
    "names are short and go into a file's name",
    arguments: [
      ("phone", true), ("Erika-s.iPhone_2", true), ("7", true), (String(repeating: "a", count: 64), true), ("", false),
      (".phone", false), ("-x", false), ("a/b", false), ("a b", false), ("ä", false), ("a\0", false),
      (String(repeating: "a", count: 65), false),
    ])
  func names(name: String, isOne: Bool) { #expect(IngestSource.isName(name) == isOne) }
}

@Suite("The name of a posted body") struct SpoolNameTests {
  private let id = String(repeating: "0a", count: 16)

  @Test("says whose it is, when it came and from where") func roundTrip() throws {
    let name = SpoolName(
      generation: SessionGeneration(rawValue: 12), came: 1_700_000_000_000_000, id: id, source: "a-b.c")
    #expect(name.file == "12-1700000000000000-\(id)-a-b.c.body")
    #expect(SpoolName(name.file) == name)
  }

  @Test(
    "nothing else is one",
    arguments: [
      "", "1-2-0a-phone.body", "x-2-ID-phone.body", "1-2-ID-.body", "1-2-ID-a/b.body", "1-2-ID-../x.body",
      "1-2-ID-phone", "1-2-ID-phone.body.part", "ID.part", "-1-2-ID-phone.body", "1-99999999999999999999-ID-phone.body",
      "9999999999999999999-2-ID-phone.body", "1-2-ID-ä.body",
    ])
  func others(text: String) { #expect(SpoolName(text.replacing("ID", with: id)) == nil) }
}
