import Foundation
import TestSupport
import Testing

/// What a person notices headless reads by, from the command line.
@Suite(.timeLimit(.minutes(60))) struct FeedbackCommandTests {
  private func run(_ arguments: String..., in sandbox: Sandbox, path: String? = nil) async throws -> Outcome {
    try await Program.run(
      ["feedback"] + arguments + ["--json"], in: sandbox, environment: path.map { ["PATH": $0] } ?? [:])
  }

  @Test func aHookIsChosenTriedAndSwitchedOff() async throws {
    try await Sandbox.with { sandbox in
      let said = sandbox.path("said")
      let hook = try sandbox.file(
        "hook", "#!/bin/sh\necho \"$METERHOST_EVENT $METERHOST_TEST $1\" >> \(said)\n", mode: 0o700)
      let set = try await run("set", "--read", "--failed", "--hook", "\(hook) 'a  b'", in: sandbox)
      let shown = try #require(try set.objects().first)
      #expect(set.status == 0 && (shown["read"] as? [String: Any])?["hook"] as? [String] == [hook, "a  b"])
      #expect((shown["ready"] as? [String: Any])?["hook"] == nil && (shown["problems"] as? [Any])?.isEmpty == true)
      let test = try await run("test", in: sandbox)
      #expect(try test.status == 0 && test.objects().map { $0["event"] as? String } == ["read", "failed"])
      #expect(try String(contentsOfFile: said, encoding: .utf8) == "read 1 a  b\nfailed 1 a  b\n")
      let text = try await Program.run(["feedback"], in: sandbox)
      #expect(text.out.contains("hook \(hook) \"a  b\"") && text.out.contains("nothing"), "\(text.out)")
      #expect(try await run("off", "--read", in: sandbox).status == 0)
      #expect(try await run("test", in: sandbox).lines.count == 1)
      #expect(try await run("off", in: sandbox).status == 0)
      let none = try await run("test", in: sandbox)
      #expect(try none.status == 1 && none.jsonError()["code"] as? String == "no_feedback")
    }
  }

  @Test func whatCannotBeIsRefusedAndNothingIsChanged() async throws {
    try await Sandbox.with { sandbox in
      let plain = try sandbox.file("plain", "#!/bin/sh\n")
      let open = try sandbox.file("open", "#!/bin/sh\n", mode: 0o777)
      for hook in ["echo", plain, open, "/nowhere/hook"] {
        let done = try await run("set", "--hook", hook, in: sandbox)
        #expect(try done.status == 64 && done.jsonError()["code"] as? String == "feedback_hook", "\(hook)")
      }
      let sound = try await run("set", "--sound", "nowhere.wav", in: sandbox)
      #expect(try sound.status == 64 && sound.jsonError()["code"] as? String == "feedback_sound")
      let shown = try #require(try await run("show", in: sandbox).objects().first)
      #expect((shown["read"] as? [String: Any])?["notification"] as? Bool == false)
    }
  }

  @Test func missingProgramsAreNamedWithTheirCure() async throws {
    try await Sandbox.with { sandbox in
      let sound = try sandbox.file("sound.wav", "RIFF")
      let bare = sandbox.path("nothing")
      let set = try await run("set", "--ready", "--notify", "--sound", sound, in: sandbox, path: bare)
      let problems = try #require(try set.objects().first?["problems"] as? [[String: Any]])
      #expect(set.status == 0 && problems.map { $0["code"] as? String } == ["notifier_missing", "player_missing"])
      let test = try await run("test", in: sandbox, path: bare)
      let met = try test.objects().compactMap { $0["problem"] as? [String: Any] }
      #expect(test.status == 1 && met.map { $0["code"] as? String } == ["notifier_missing", "player_missing"])
      #expect(met.allSatisfy { ($0["cure"] as? String)?.contains("install") == true })
      let warned = try await Program.run(["feedback"], in: sandbox, environment: ["PATH": bare])
      #expect(warned.status == 0 && warned.err.contains("warning:") && warned.err.contains("hint:"))
    }
  }

  @Test func aFailingHookIsNamedWithWhatItSaid() async throws {
    try await Sandbox.with { sandbox in
      let hook = try sandbox.file("hook", "#!/bin/sh\nprintf 'no lamp \\033[2J' >&2\nexit 4\n", mode: 0o700)
      #expect(try await run("set", "--ready", "--hook", hook, in: sandbox).status == 0)
      let test = try await Program.run(["feedback", "test"], in: sandbox)
      #expect(test.status == 1 && test.out.contains("status 4: no lamp") && !test.out.contains("\u{1B}"), "\(test.out)")
    }
  }
}
