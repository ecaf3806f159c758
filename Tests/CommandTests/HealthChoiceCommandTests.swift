import Foundation
import TestSupport
import Testing

/// What a person chooses for health exports, and the past days that are taken out of them.
@Suite("The commands health subscribe, sources and history", .timeLimit(.minutes(60))) struct HealthChoiceCommandTests {
  private func start(_ sandbox: Sandbox) async throws {
    let started = try await Program.run(
      [
        "session", "start", "--user", "u", "--organization", "o", "--zone", "Europe/Berlin", "--kind", "file", "--set",
        "folder=\(sandbox.path("readings"))",
      ], in: sandbox)
    try #require(started.status == 0, "\(started.err)")
  }

  private func run(_ arguments: String..., in sandbox: Sandbox) async throws -> Outcome {
    try await Program.run(["health"] + arguments + ["--json"], in: sandbox)
  }

  /// So many days before now, of UTC.
  private func day(_ before: Int) -> String {
    Date.now.addingTimeInterval(-86_400 * Double(before)).formatted(.iso8601.year().month().day())
  }

  /// Steps at noon of three and thirty days ago, and a weight.
  private func export(_ sandbox: Sandbox) throws -> String {
    func record(_ type: String, _ source: String, _ unit: String, _ before: Int, _ value: String) -> String {
      let (start, end) = ("\(day(before)) 12:00:00 +0000", "\(day(before)) 12:10:00 +0000")
      return " <Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"\(source)\" unit=\"\(unit)\" "
        + "creationDate=\"\(end)\" startDate=\"\(start)\" endDate=\"\(end)\" value=\"\(value)\"/>\n"
    }
    return try sandbox.file(
      "export.xml",
      "<HealthData>\n <ExportDate value=\"\(day(0)) 00:00:00 +0000\"/>\n"
        + record("StepCount", "iPhone", "count", 3, "1100") + record("StepCount", "iPhone", "count", 30, "900")
        + record("BodyMass", "Scale", "kg", 3, "81.5") + "</HealthData>\n")
  }

  @Test("a subscription is chosen, shown and switched off") func subscription() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let set = try await run("subscribe", "set", "routine", "vo2_max", "--intraday", in: sandbox)
      #expect(set.status == 0, "\(set.err)")
      let shown = try #require(try await run("subscribe", in: sandbox).objects().first)
      let sets = try #require(shown["sets"] as? [[String: Any]])
      #expect(sets.count == 8 && sets.filter { $0["chosen"] as? Bool == true }.count == 1)
      #expect(shown["types"] as? [String] == ["HKQuantityTypeIdentifierVO2Max"])
      #expect(shown["intraday"] as? Bool == true)
      let wrong = try await run("subscribe", "set", "steps!", in: sandbox)
      #expect(try wrong.status == 64 && wrong.jsonError()["code"] as? String == "unknown_type")
      #expect(try (wrong.jsonError()["hint"] as? String)?.contains("biometrics") == true)
      let off = try #require(try await run("subscribe", "off", in: sandbox).objects().first)
      #expect((off["types"] as? [String])?.isEmpty == true)
      let text = try await Program.run(["health", "subscribe"], in: sandbox)
      #expect(text.out.contains("biometrics") && text.err.contains("nothing of health exports is delivered"))
    }
  }

  @Test("the types of a set need no session; choices do") func noSession() async throws {
    try await Sandbox.with { sandbox in
      let types = try await run("subscribe", "list", "--set", "sleep", in: sandbox)
      #expect(try types.objects().first?["types"] as? [String] == ["HKCategoryTypeIdentifierSleepAnalysis"])
      for command in [["subscribe", "list"], ["subscribe", "set", "sleep"], ["sources"], ["sources", "off", "x"]] {
        let done = try await Program.run(["health"] + command + ["--json"], in: sandbox)
        #expect(try done.status == 1 && done.jsonError()["code"] as? String == "no_session", "\(command)")
      }
    }
  }

  @Test("past days are taken whatever is subscribed to, and their sources can be chosen")
  func history() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let file = try export(sandbox)
      let done = try await run("history", file, "--from", day(10), in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      #expect(try done.objects().last?["new"] as? [String: Int] == ["routine": 1])
      let more = try await run("history", file, "--from", day(100), "--to", day(20), in: sandbox)
      #expect(try more.objects().last?["new"] as? [String: Int] == ["routine": 1])
      let sources = try await run("sources", in: sandbox).objects()
      #expect(sources.map { $0["key"] as? String } == ["iPhone", "Scale"])
      let off = try await run("sources", "off", "Scale", "--store", "apple", in: sandbox).objects()
      #expect(off.last?["off"] as? Bool == true && off.last?["rank"] == nil)
      let unknown = try await run("sources", "order", "Fridge", in: sandbox)
      #expect(try unknown.status == 64 && unknown.jsonError()["code"] as? String == "unknown_source")
    }
  }

  @Test("days that lie too far back are refused before anything is read") func limits() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let nothing = sandbox.path("no-such-export.zip")
      for (arguments, code) in [
        (["--from", day(200)], "history_limit"), (["--from", day(9), "--sets", "intraday"], "history_limit"),
        (["--from", "soon"], "history_days"), (["--from", day(3), "--to", day(5)], "history_days"),
        (["--from", day(3), "--sets", "sleep"], "unknown_type"),
        (["--from", day(3), "--zone", "Mars"], "unknown_zone"),
      ] {
        let done = try await Program.run(["health", "history", nothing, "--json"] + arguments, in: sandbox)
        #expect(try done.status == 64 && done.jsonError()["code"] as? String == code, "\(arguments): \(done.err)")
      }
    }
  }
}
