import HostPrimitives
import TestSupport
import Testing

@testable import MeterConsole

@Suite struct AccessTests {
  @Test func theLinkOpensOnceAndLeadsToACleanAddress() async throws {
    try await withConsole { console in
      let first = try await console.send(console.linkPath)
      #expect(first.status == 303)
      #expect(first.headers["location"] == "/")
      let cookie = try #require(first.headers["set-cookie"])
      #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict") && cookie.contains("; Path=/"))
      #expect(!cookie.contains(console.linkPath.dropFirst(6)))
      let second = try await console.send(console.linkPath)
      #expect(second.status == 401)
      #expect(second.headers["set-cookie"] == nil)
      let pair = try #require(cookie.split(separator: ";").first.map(String.init))
      #expect(try await console.send("/", headers: [("Cookie", pair)]).status == 200)
    }
  }

  @Test(arguments: ["/open/", "/open/0", "/open/" + String(repeating: "0", count: 64), "/open/%00", "/open/a/b"])
  func aWrongTokenOpensNothingAndUsesNothingUp(path: String) async throws {
    try await withConsole { console in
      let reply = try await console.send(path)
      #expect(reply.status == 401)
      #expect(reply.headers["set-cookie"] == nil)
      _ = try await console.visit()
    }
  }

  @Test func aPostDoesNotOpenTheLink() async throws {
    try await withConsole { console in
      #expect(try await console.send("POST", console.linkPath).status == 401)
      _ = try await console.visit()
    }
  }

  @Test(arguments: [
    "/", "/view.js", "/result.js", "/view.css", "/icon.svg", "/api/meters", "/api/meters/1/overlay", "/nothing",
  ])
  func everythingNeedsTheCookie(path: String) async throws {
    try await withConsole { console in
      let name = ConsoleAccess.cookieName(console.port)
      #expect(try await console.send(path).status == 401)
      for cookie in ["\(name)=", "\(name)=\(RandomSecret.make())", "\(name)", "=", "; ;", "x\(name)=1"] {
        #expect(try await console.send(path, headers: [("Cookie", cookie)]).status == 401)
      }
      let visitor = try await console.visit()
      let value = visitor.cookie.split(separator: "=")[1]
      for cookie in ["other=\(value)", "meterhost-view-1=\(value)", "\(name)=\(value)0", "\(name)=\(value.dropLast())"]
      {
        #expect(try await console.send(path, headers: [("Cookie", cookie)]).status == 401)
      }
      // Another server of this machine may set cookies too, even of this name.
      for cookie in ["a=b; \(visitor.cookie)", "\(name)=x; \(visitor.cookie); c=d"] {
        #expect(try await console.send(path, headers: [("Cookie", cookie)]).status == (path == "/nothing" ? 404 : 200))
      }
    }
  }

  @Test func everySecretIsItsOwn() {
    let access = ConsoleAccess()
    let secrets = Set([RandomSecret.make(), RandomSecret.make(), access.pageToken, access.linkToken ?? ""])
    #expect(secrets.count == 4)
    #expect(secrets.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil })
    #expect(RandomSecret.equal("abc", "abc"))
    for other in ["", "ab", "abd", "abcd", "ABC"] { #expect(!RandomSecret.equal("abc", other)) }
  }

  @Test func thePageTokenIsNotTheCookie() async throws {
    try await withConsole { console in
      let visitor = try await console.visit()
      #expect(!visitor.cookie.contains(visitor.pageToken))
      #expect(!console.link.contains(visitor.pageToken))
    }
  }

  @Test func servesIPv6sOwnAddressToo() async throws {
    try await withConsole(address: .v6) { console in
      #expect(console.link.hasPrefix("http://[::1]:\(console.port)/open/"))
    }
  }
}
