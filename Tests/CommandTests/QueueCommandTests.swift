import Foundation
import TestSupport
import Testing

/// What a person decides about readings, from the meter's process to the receiver's.
@Suite(.timeLimit(.minutes(60))) struct QueueCommandTests {
  private func logIDs(_ arguments: [String], _ sandbox: Sandbox) async throws -> [String] {
    try await Program.run(["queue"] + arguments + ["--json"], in: sandbox).objects()
      .compactMap { $0["log_id"] as? String }
  }

  /// Reads the two stored readings of a meter without a session, so that they are held.
  private func hold(_ sandbox: Sandbox) async throws {
    let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
    let meter = try Program(["meter", "run", file], in: sandbox)
    try await meter.line(with: "advertising")
    let read = try await Program.run(["read", "1000", "--history"], in: sandbox)
    #expect(read.status == 0 && read.lines.count == 2, "\(read.err)")
    meter.interrupt()
    _ = await meter.outcome()
  }

  @Test func pagesAndStatesSelectWhatIsListed() async throws {
    try await Sandbox.with { sandbox in
      try await hold(sandbox)
      let all = try await logIDs(["list"], sandbox)
      #expect(all.count == 2)
      #expect(try await logIDs(["held"], sandbox) == all)
      #expect(try await logIDs(["list", "--only", "held", "--only", "dead"], sandbox) == all)
      #expect(try await logIDs(["dead"], sandbox).isEmpty)
      let first = try await Program.run(["queue", "list", "--limit", "1", "--json"], in: sandbox).objects()
      let position = try #require(first.first?["position"] as? Int)
      #expect(try await logIDs(["list", "--after", "\(position)"], sandbox) == Array(all.dropFirst()))
    }
  }

  @Test func aPersonSeesEveryValueThatTheyDecideAbout() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let values = [
        ["systolic=121 mm[Hg]", "diastolic=79 mm[Hg]", "pulse=64 /min"], ["spo2=97 %", "heart_rate=58 /min"],
        ["body_temperature=37.20 Cel", "respiratory_rate=14 /min"],
      ]
      for values in values {
        let submitted = try await Program.run(
          ["submit", "--type", "biometrics", "--confirm-first", "--no-upload", "--note", "at rest"]
            + values.flatMap { ["--value", $0] }, in: sandbox)
        #expect(submitted.status == 0, "\(submitted.err)")
      }
      // As people read it; JSON has UCUM.
      let shown = [
        ["systolic 121 mmHg", "diastolic 79 mmHg", "pulse 64 bpm"], ["spo2 97 %", "heart_rate 58 bpm"],
        ["body_temperature 37.20 °C", "respiratory_rate 14 /min"],
      ].map { $0 + ["at rest"] }
      let names = try await logIDs(["list"], sandbox)
      #expect(names.count == values.count)
      for command in [["list"], ["held"]] {
        let listed = try await Program.run(["queue"] + command, in: sandbox)
        for (name, values) in zip(names, shown) {
          let line = listed.lines.first { $0.hasPrefix(name) } ?? ""
          #expect(values.allSatisfy(line.contains), "\(line)")
        }
      }
      for (name, values) in zip(names, shown) {
        let alone = try await Program.run(["queue", "show", name], in: sandbox)
        #expect(values.allSatisfy { text in alone.lines.contains { $0.contains(text) } }, "\(alone.out)")
      }
    }
  }

  @Test func whatASessionHasLeftIsShownInPages() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      var names: [String] = []
      for weight in ["70.5", "71.0", "72"] {
        let submitted = try await Program.run(
          ["submit", "--type", "weight", "--value", "body_weight=\(weight) kg", "--no-upload", "--json"], in: sandbox)
        names += try submitted.objects().compactMap { $0["log_id"] as? String }
      }
      let ended = try #require(try await Program.run(["session", "end", "--json"], in: sandbox).objects().first)
      #expect(ended["reason"] as? String == "asked" && ended["unsynced"] as? Int == 3)
      let file = try #require(ended["recovery_file"] as? String)
      let list = ["session", "recover", "--list", file]
      let first = try await Program.run(list + ["--json", "--limit", "2"], in: sandbox).objects()
      let after = try #require(first.last?["position"] as? Int)
      let rest = try await Program.run(list + ["--json", "--after", "\(after)"], in: sandbox).objects()
      #expect((first + rest).compactMap { $0["log_id"] as? String } == names)
      let shown = try await Program.run(list, in: sandbox)
      for weight in ["70.5 kg", "71.0 kg", "72 kg"] {
        #expect(shown.out.contains("body_weight \(weight)"), "\(shown.out)")
      }
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).lines.isEmpty, "nothing was taken")
      let event = try await Program.run(["events", "--json"], in: sandbox).objects().last
      #expect(event?["event"] as? String == "session_ended" && event?["reason"] as? String == "asked")
    }
  }

  @Test func aSubmissionThatEndsTheSessionSaysWhereItIsKept() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      #expect(started.status == 0, "\(started.err)")
      let url = try #require(try started.objects().first?["receiver"] as? String)
      receiver.interrupt()
      _ = await receiver.outcome()
      // It comes back, and knows another token for the user.
      let accounts = try sandbox.file("accounts", "o:u:another-token-of-this-user\n")
      let port = try #require(URL(string: url)?.port)
      let next = try Program(
        ["receive", "--database", sandbox.path("other.sqlite"), "--port", "\(port)", "--accounts", accounts, "--json"],
        in: sandbox)
      try await next.line(with: "listening")
      let submitted = try await Program.run(
        ["submit", "--type", "weight", "--value", "body_weight=70.5 kg"], in: sandbox)
      #expect(submitted.status == 1 && !submitted.out.contains("is taken"), "\(submitted.out)")
      #expect(submitted.out.contains("is not delivered") && submitted.out.contains("recovery/session-"))
      #expect(submitted.err.contains("do not submit it again"), "\(submitted.err)")
      let none = try await Program.run(
        ["submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--json"], in: sandbox)
      #expect(try none.jsonError()["code"] as? String == "no_session")
      next.interrupt()
      _ = await next.outcome()
    }
  }

  @Test func limitsAreShownAndSet() async throws {
    try await Sandbox.with { sandbox in
      let first = try await Program.run(["queue", "limits", "--json"], in: sandbox).objects()
      #expect(first.first?["records"] as? Int == 2_000_000 && first.first?["used_records"] as? Int == 0)
      let set = try await Program.run(
        ["queue", "limits", "--records", "1", "--bytes", "500M", "--age", "14d", "--json"], in: sandbox)
      #expect(set.status == 0, "\(set.err)")
      let shown = try #require(try await Program.run(["queue", "limits", "--json"], in: sandbox).objects().first)
      #expect(shown["records"] as? Int == 1 && shown["bytes"] as? Int == 500 << 20 && shown["age"] as? Int == 1_209_600)
      try await Program.startSession(in: sandbox)
      let submit = ["submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--no-upload", "--json"]
      #expect(try await Program.run(submit, in: sandbox).status == 0)
      let full = try await Program.run(submit, in: sandbox)
      #expect(full.status != 0)
      #expect(try full.jsonError()["code"] as? String == "queue_full", "\(full.err)")
      let list = try await Program.run(["queue", "list"], in: sandbox)
      #expect(list.err.contains("1 of 1 records") && list.err.contains("of 500.0 MiB"), "\(list.err)")
      let doctor = try await Program.run(["doctor"], in: sandbox)
      #expect(doctor.out.contains("the queue is nearly full: 1 of 1 records"), "\(doctor.out)\(doctor.err)")
      let any = try await Program.run(["queue", "limits", "--age", "none", "--records", "2"], in: sandbox)
      #expect(any.out.contains("1 of 2 records") && any.out.contains("any time"), "\(any.out)")
      #expect(try await Program.run(submit, in: sandbox).status == 0)
      for wrong in [["--records", "0"], ["--bytes", "0"], ["--bytes", "1T"], ["--age", "5"], ["--age", "-1d"]] {
        #expect(try await Program.run(["queue", "limits"] + wrong, in: sandbox).status == 64)
      }
    }
  }

  @Test func whatIsThrownAwayDoesNotComeBackFromTheMeter() async throws {
    try await Sandbox.with { sandbox in
      try await hold(sandbox)
      let all = try await logIDs(["list"], sandbox)
      let unknown = "00000000-0000-4000-8000-000000000000"
      let discarded = try await Program.run(["queue", "discard", all[0], unknown, "--json"], in: sandbox)
      #expect(discarded.status == 1)
      #expect(try discarded.objects().compactMap { $0["log_id"] as? String } == [all[0]])
      #expect(try discarded.jsonError()["code"] as? String == "not_discardable")
      try FileManager.default.removeItem(atPath: sandbox.path("air"))
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      #expect(try await logIDs(["list"], sandbox) == [all[1]])
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func decisionsSayWhatTheyCannotDo() async throws {
    try await Sandbox.with { sandbox in
      try await hold(sandbox)
      let all = try await logIDs(["list"], sandbox)
      let resubmitted = try await Program.run(["queue", "resubmit", all[0]], in: sandbox)
      #expect(resubmitted.status == 1 && resubmitted.err.contains("not refused"), "\(resubmitted.err)")
      #expect(try await Program.run(["queue", "resubmit", "x"], in: sandbox).status == 64)
      let stale = try await Program.run(["queue", "confirm", all[0], "--revision", "2"], in: sandbox)
      #expect(stale.status == 1 && stale.err.contains("another revision than 2"), "\(stale.err)")
      #expect(try await logIDs(["list", "--only", "held"], sandbox).contains(all[0]))
    }
  }

  @Test func everythingRefusedIsSentAgainInOneCommand() async throws {
    try await Sandbox.with { sandbox in
      let none = try await Program.run(["queue", "resubmit", "--all"], in: sandbox)
      #expect(none.status == 0 && none.out.isEmpty && none.err.contains("nothing was refused for good"))
      let reason = try await Program.run(["queue", "resubmit", "--all", "--reason", "http-404"], in: sandbox)
      #expect(reason.status == 0 && reason.err.contains("for http-404"))
      #expect(try await Program.run(["queue", "resubmit", "--all", "--json"], in: sandbox).out.isEmpty)
      let logID = "11111111-2222-4333-8444-555555555555"
      for arguments in [
        [], ["--all", logID], ["--reason", "http-404"], [logID, "--reason", "x"], ["--all", "--reason", ""],
      ] {
        let refused = try await Program.run(["queue", "resubmit"] + arguments, in: sandbox)
        #expect(refused.status == 64, "\(arguments): \(refused.err)")
      }
    }
  }

  @Test func aPauseOutlivesTheProcess() async throws {
    try await Sandbox.with { sandbox in
      let paused = try await Program.run(["queue", "pause", "--json"], in: sandbox)
      #expect(try paused.objects().first?["paused"] as? Bool == true)
      let flushed = try await Program.run(["queue", "flush", "--json"], in: sandbox)
      #expect(flushed.status == 1)
      #expect(try flushed.jsonError()["code"] as? String == "paused")
      #expect(try await Program.run(["queue", "list"], in: sandbox).err.contains("paused"))
      #expect(try await Program.run(["queue", "resume"], in: sandbox).status == 0)
      #expect(try await Program.run(["queue", "flush"], in: sandbox).status == 0)
    }
  }

  /// Submits two readings under one log_id, of which the second has other values.
  private func collide(_ sandbox: Sandbox, _ logID: String) async throws {
    let accounts = try sandbox.file("accounts", "o:u:token-of-this-user-1\n")
    let receiver = try Program(
      ["receive", "--database", sandbox.path("r.sqlite"), "--port", "0", "--accounts", accounts, "--json"], in: sandbox)
    let url = try Outcome.object(try await receiver.line(with: "listening"))["url"] as? String ?? ""
    let started = try await Program.run(
      ["session", "start", "--user", "u", "--organization", "o", "--receiver", url], in: sandbox,
      input: Array("token-of-this-user-1".utf8))
    #expect(started.status == 0, "\(started.err)")
    // Nothing is sent before a person decides.
    #expect(try await Program.run(["queue", "pause"], in: sandbox).status == 0)
    for (weight, outcome) in [("70.50", "new"), ("81.5", "suspect")] {
      let file = try sandbox.file(
        "weight.json",
        """
        {"log_id": "\(logID)", "type": "weight", "time": "2026-03-01T08:00:00Z",
          "values": [{"metric": "body_weight", "value": \(weight), "unit": "kg"}]}
        """)
      let submitted = try await Program.run(["submit", "record", file, "--json"], in: sandbox)
      #expect(try submitted.objects().map { $0["outcome"] as? String } == [outcome], "\(submitted.err)")
    }
    receiver.interrupt()
    _ = await receiver.outcome()
  }

  @Test func aReadingUnderAnothersNameIsDecidedAboutByItsNumber() async throws {
    try await Sandbox.with { sandbox in
      let logID = "11111111-2222-4333-8444-555555555555"
      try await collide(sandbox, logID)
      func names() async throws -> [String] {
        try await Program.run(["queue", "list", "--json"], in: sandbox).objects().compactMap { $0["name"] as? String }
      }
      #expect(try await names() == [logID, "\(logID)#1"])
      let listed = try await Program.run(["queue", "list", "--json"], in: sandbox)
      #expect(listed.out.contains(#""reported":"70.50","unit":"kg","value":70.5"#), "\(listed.out)")
      #expect(try await Program.run(["queue", "list"], in: sandbox).out.contains("\(logID)#1"))
      let shown = try await Program.run(["queue", "show", "\(logID)#1", "--json"], in: sandbox)
      #expect(try shown.objects().compactMap { $0["reason"] as? String } == ["identity_collision"])
      let wrong = try await Program.run(["queue", "confirm", "\(logID)#2", "\(logID)#x"], in: sandbox)
      #expect(wrong.status == 64)
      let confirmed = try await Program.run(["queue", "confirm", "\(logID)#1", "--json"], in: sandbox)
      #expect(confirmed.status == 0, "\(confirmed.err)")
      let done = try #require(try confirmed.objects().first)
      let own = try #require(done["log_id"] as? String)
      #expect(done["name"] as? String == "\(logID)#1" && own != logID)
      #expect(try await names() == [logID, own])
      let states = try await Program.run(["queue", "list", "--json"], in: sandbox).objects()
      #expect(states.compactMap { $0["state"] as? String } == ["pending", "pending"])
      #expect(try await Program.run(["queue", "discard", "\(logID)#1"], in: sandbox).status == 1)
      #expect(try await names() == [logID, own])
    }
  }
}
