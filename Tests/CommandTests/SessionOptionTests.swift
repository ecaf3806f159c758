import Foundation
import TestSupport
import Testing

/// How `session` sets up receivers, from one process to the next.
@Suite(.timeLimit(.minutes(60))) struct SessionOptionTests {
  static let token = "patient-token-0123456789abcdef"

  private func receiver(_ sandbox: Sandbox, _ name: String) async throws -> (Program, String) {
    let accounts = try sandbox.file("accounts", "clinic:patient-1:\(Self.token)\n")
    let program = try Program(
      ["receive", "--port", "0", "--accounts", accounts, "--database", sandbox.path("\(name).sqlite"), "--json"],
      in: sandbox)
    let line = try await program.line(with: "listening")
    let url = try #require(try Outcome.object(line)["url"] as? String)
    return (program, url)
  }

  private func start(_ sandbox: Sandbox, _ url: String, _ options: [String], environment: [String: String] = [:])
    async throws -> Outcome
  {
    let file = try sandbox.file("token", Self.token)
    return try await Program.run(
      ["session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver", url, "--token-file", file]
        + options, in: sandbox, environment: environment)
  }

  @Test func optionsLastAndAreShown() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox, "first")
      let options = ["--format", "legacy-v1", "--concurrency", "2", "--rate", "50", "--json"]
      let started = try await start(sandbox, url, options)
      #expect(started.status == 0, "\(started.err)")
      let shown = try #require(try await Program.run(["session", "--json"], in: sandbox).objects().first)
      #expect(shown["format"] as? String == "legacy-v1" && shown["validated"] as? Bool == true)
      #expect((shown["clock_skew"] as? [String: Int])?["inform"].map { abs($0) <= 1 } == true, "\(shown)")
      let text = try await Program.run(["session"], in: sandbox)
      #expect(text.out.contains("legacy-v1") && text.out.contains("clock"))
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func aProxyOfTheEnvironmentNeverSeesAPlainReceiver() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox, "first")
      // Nobody listens there: whatever goes through the proxy fails.
      let proxy = "http://127.0.0.1:9"
      let environment = ["http_proxy": proxy, "https_proxy": proxy, "ALL_PROXY": proxy]
      let started = try await start(sandbox, url, ["--json"], environment: environment)
      #expect(try started.objects().first?["validated"] as? Bool == true, "\(started.out) \(started.err)")
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func furtherReceiversAreAddedListedAndRemoved() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox, "first")
      let (other, otherURL) = try await self.receiver(sandbox, "second")
      let token = try sandbox.file("token", Self.token)
      let add = ["session", "sink", "add", "research", "--receiver", otherURL, "--token-file", token]
      let early = try await Program.run(add + ["--json"], in: sandbox)
      #expect(try early.status == 1 && early.jsonError()["code"] as? String == "no_session")
      #expect(try await start(sandbox, url, []).status == 0)
      let added = try await Program.run(add + ["--json"], in: sandbox)
      #expect(added.status == 0, "\(added.err)")
      let listed = try await Program.run(["session", "sink", "--json"], in: sandbox).objects()
      #expect(listed.map { $0["name"] as? String } == ["research"])
      #expect(listed.map { $0["receiver"] as? String } == [otherURL])
      let shown = try #require(try await Program.run(["session", "--json"], in: sandbox).objects().first)
      #expect((shown["sinks"] as? [Any])?.count == 1)
      let removed = try await Program.run(["session", "sink", "remove", "research"], in: sandbox)
      #expect(removed.status == 0)
      let again = try await Program.run(["session", "sink", "remove", "research", "--json"], in: sandbox)
      #expect(try again.status == 64 && again.jsonError()["code"] as? String == "unknown_sink")
      for program in [receiver, other] {
        program.interrupt()
        _ = await program.outcome()
      }
    }
  }

  @Test func whatAnEndedSessionHasLeftIsDeliveredToTheSameUserOnce() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox, "first")
      #expect(try await start(sandbox, "http://127.0.0.1:9", []).status == 0)
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--no-upload"], in: sandbox)
      #expect(read.status == 0 && read.lines.count == 2, "\(read.err)")
      let ended = try await Program.run(["session", "end", "--json"], in: sandbox)
      let kept = try #require(try ended.objects().first?["recovery_file"] as? String)
      let nobody = try await Program.run(["session", "recover", kept, "--json"], in: sandbox)
      #expect(try nobody.status == 1 && nobody.jsonError()["code"] as? String == "other_user")
      #expect(try await start(sandbox, url, []).status == 0)
      for known in [0, 2] {
        let recovered = try await Program.run(["session", "recover", kept, "--json"], in: sandbox)
        let summary = try #require(try recovered.objects().first, "\(recovered.err)")
        #expect(summary["pending"] as? Int == 2 - known && summary["known"] as? Int == known)
        #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty, "everything is delivered")
      }
      let missing = try await Program.run(["session", "recover", "nowhere", "--json"], in: sandbox)
      #expect(try missing.status == 1 && missing.jsonError()["code"] as? String == "recovery_file")
      for program in [meter, receiver] {
        program.interrupt()
        _ = await program.outcome()
      }
    }
  }

  @Test func whatCannotBeIsToldBeforeAnythingChanges() async throws {
    try await Sandbox.with { sandbox in
      let cases: [([String], String)] = [
        (["--ca-file", sandbox.path("nowhere")], "tls_file"), (["--client-key", sandbox.path("nowhere")], "tls_file"),
        (["--proxy", "proxy"], "proxy"), (["--concurrency", "0"], "upload_limit"), (["--rate", "0"], "upload_limit"),
        (["--format", "v3"], "usage"), (["--receiver-user", "1001"], "receiver_user"),
        (["--receiver-user", "any"], "receiver_user"), (["--receiver-user", "no such user"], "usage"),
      ]
      for (options, code) in cases {
        let done = try await start(sandbox, "https://receiver.example", options + ["--json"])
        #expect(try done.status == 64 && done.jsonError()["code"] as? String == code, "\(options) \(done.err)")
      }
      let shown = try await Program.run(["session", "--json"], in: sandbox).objects().first
      #expect(shown?["user"] == nil)
    }
  }
}
