import Foundation
import TestSupport
import Testing

/// The way to the console of a running host.
@Suite("The command console", .timeLimit(.minutes(60))) struct ConsoleCommandTests {
  private func withHost(_ options: [String], _ body: (Sandbox) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let host = try Program(["run", "--json"] + options, in: sandbox)
      try await host.line(with: #""event":"running""#)
      try await body(sandbox)
      host.interrupt()
      let ended = await host.outcome()
      #expect(ended.status == 0 && !ended.isSignalled, "\(ended.err)")
      // Neither a link nor a path stands in a log.
      #expect(!ended.err.contains("/open/"), "\(ended.err)")
    }
  }

  @Test func aLinkOpensThePagesOnce() async throws {
    try await withHost(["--console"]) { sandbox in
      let shown = try await Program.run(["console"], in: sandbox)
      #expect(shown.status == 0, "\(shown.err)")
      let match = try #require(shown.out.firstMatch(of: /http:\/\/(127\.0\.0\.1:([0-9]+))(\/open\/[0-9a-f]{64})/))
      let port = try #require(Int(match.2))
      let first = try await RawHTTP.send(
        port: port, method: "GET", path: String(match.3), host: String(match.1))
      #expect(first.status == 303)
      let cookie = try #require(first.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
      let page = try await RawHTTP.send(
        port: port, method: "GET", path: "/", host: String(match.1), headers: [("Cookie", cookie)])
      #expect(page.status == 200 && page.body.contains("What needs attention"))
      let second = try await RawHTTP.send(
        port: port, method: "GET", path: String(match.3), host: String(match.1))
      #expect(second.status == 401)
    }
  }

  /// A certificate for this machine that has signed itself.
  private func certificate(in sandbox: Sandbox) async throws -> (file: String, key: String) {
    let files = try await ReceiverProgram(sandbox).certificate("console")
    return (files.certificate, files.key)
  }

  @Test func aCertificateOfItsOwnIsShownAndNeedsAPassword() async throws {
    try await Sandbox.with { sandbox in
      let (file, key) = try await certificate(in: sandbox)
      let options = ["--console", "127.0.0.1:0", "--console-certificate", file, "--console-key", key]
      let early = try await Program.run(["run", "--json"] + options, in: sandbox)
      #expect(early.status == 64)
      #expect(try early.jsonError()["code"] as? String == "console_password")
      let set = try await Program.run(
        ["console", "password"], in: sandbox, input: Array("several words of mine\n".utf8))
      try #require(set.status == 0, "\(set.err)")
      let host = try Program(["run", "--json"] + options, in: sandbox)
      try await host.line(with: #""event":"running""#)
      let shown = try await Program.run(["console"], in: sandbox)
      let link = try #require(shown.out.firstMatch(of: /https:\/\/localhost:[0-9]+\/open\/[0-9a-f]{64}/)).0
      let receiver = ReceiverProgram(sandbox)
      let stranger = try await receiver.curl(String(link))
      #expect(stranger.status == 60, "curl(1): nobody has signed the certificate: \(stranger)")
      let opened = try await receiver.curl("--cacert", file, "--include", String(link))
      #expect(opened.out.contains("303") && opened.out.contains("__Host-meterhost-console"), "\(opened)")
      #expect(opened.out.contains("; Secure"))
      // Another name of the same machine is none that the certificate has.
      let other = String(link).replacing("localhost", with: "elsewhere.example")
      let misled = try await receiver.curl(
        "--cacert", file, "--insecure", "--include", "--connect-to", "::127.0.0.1:", other)
      #expect(misled.out.contains("421"), "\(misled)")
      host.interrupt()
      let ended = await host.outcome()
      #expect(ended.status == 0 && !ended.err.contains("/open/"), "\(ended.err)")
    }
  }

  @Test func filesThatAreNoCertificateAreNamed() async throws {
    try await Sandbox.with { sandbox in
      let (file, key) = try await certificate(in: sandbox)
      let refused: [(options: [String], code: String)] = [
        (["--console-certificate", file], "console_certificate"),
        (["--console-certificate", key, "--console-key", key], "tls_certificate"),
        (["--console-certificate", file, "--console-key", "/nowhere"], "tls_key"),
      ]
      for (options, code) in refused {
        let done = try await Program.run(["run", "--json", "--console", "127.0.0.1:0"] + options, in: sandbox)
        #expect(done.status == 64, "\(done.err)")
        #expect(try done.jsonError()["code"] as? String == code)
      }
    }
  }

  @Test func aHostWithoutPagesHasNoLink() async throws {
    try await withHost([]) { sandbox in
      let shown = try await Program.run(["console", "--json"], in: sandbox)
      #expect(shown.status == 69)
      #expect(try shown.jsonError()["code"] as? String == "console_off")
    }
  }

  @Test(arguments: [
    ["--console", "192.168.1.5:8090"], ["--console", "x"],
    ["--console", "127.0.0.1:0", "--console-behind-proxy", "http://x"],
    ["--console", "127.0.0.1:0", "--console-behind-proxy", "https://gateway.example"],
  ])
  func whatOthersCouldReadAlongIsRefused(options: [String]) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["run", "--json"] + options, in: sandbox)
      #expect(done.status == 64, "\(done.out)\(done.err)")
    }
  }
}
