import Foundation
import TestSupport
import Testing

/// What `meterhost health import` puts into the queue, from one process to the next.
@Suite("The command health import", .timeLimit(.minutes(60))) struct HealthImportTests {
  /// An export of some days of March 2025 that was written on the last one.
  static func export(days: Int = 3, kilograms: Bool = true, written: String = "2025-03-31 22:00:00 +0200") -> String {
    var body = ""
    func add(_ type: String, _ source: String, _ start: String, _ end: String, _ value: String, _ unit: String?) {
      body += " <Record type=\"\(type)\" sourceName=\"\(source)\""
      if let unit { body += " unit=\"\(unit)\"" }
      body += " creationDate=\"\(end)\" startDate=\"\(start)\" endDate=\"\(end)\" value=\"\(value)\"/>\n"
    }
    for day in 1...days {
      func at(_ time: String) -> String { "2025-03-\(day < 10 ? "0" : "")\(day) \(time) +0100" }
      let quantity = "HKQuantityTypeIdentifier"
      add(quantity + "StepCount", "iPhone", at("10:00:00"), at("10:10:00"), "\(1_000 + day)", "count")
      let weight = kilograms ? ("81.6466", "kg") : ("180", "lb")
      add(quantity + "BodyMass", "Scale", at("07:00:00"), at("07:00:00"), weight.0, weight.1)
      add(
        "HKCategoryTypeIdentifierSleepAnalysis", "Watch", at("00:10:00"), at("06:10:00"),
        "HKCategoryValueSleepAnalysisAsleepCore", nil)
    }
    return "<HealthData>\n <ExportDate value=\"\(written)\"/>\n\(body)</HealthData>\n"
  }

  /// A session whose readings become lines of a folder.
  private func start(_ sandbox: Sandbox) async throws {
    let started = try await Program.run(
      [
        "session", "start", "--user", "u", "--organization", "o", "--zone", "Europe/Berlin", "--kind", "file", "--set",
        "folder=\(sandbox.path("readings"))",
      ], in: sandbox)
    try #require(started.status == 0, "\(started.err)")
  }

  private func lines(_ sandbox: Sandbox) throws -> [[String: Any]] {
    let folder = sandbox.path("readings")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { !$0.hasPrefix(".") }
    return try names.flatMap { name in
      try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).split(separator: "\n").map {
        try Outcome.object(String($0))
      }
    }
  }

  private func take(_ text: String, _ sandbox: Sandbox, name: String = "export.xml", _ options: [String] = [])
    async throws -> Outcome
  {
    let file = try sandbox.file(name, text)
    return try await Program.run(
      ["health", "import", file, "--all", "--sets", "routine,sleep,weight", "--json"] + options, in: sandbox)
  }

  /// Counts of the one import that an outcome tells of.
  private func counts(_ outcome: Outcome, _ member: String) throws -> [String: Int] {
    try outcome.objects().last?[member] as? [String: Int] ?? [:]
  }

  @Test("delivers each record once: the same file brings nothing, nor does another export in other units")
  func once() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let first = try await take(Self.export(), sandbox)
      #expect(first.status == 0, "\(first.err)")
      #expect(try counts(first, "new") == ["routine": 3, "sleep": 3, "weight": 3])
      #expect(try lines(sandbox).count == 9)
      let again = try await take(Self.export(), sandbox)
      #expect(try again.status == 0 && (again.objects().last?["state"] as? String) == "known", "\(again.err)")
      let other = try await take(
        Self.export(kilograms: false, written: "2025-04-01 22:00:00 +0200"), sandbox, name: "later.xml")
      #expect(try counts(other, "new").isEmpty && counts(other, "revised").isEmpty, "\(other.out)")
      #expect(try other.objects().last?["unchanged"] as? Int == 9)
      #expect(try lines(sandbox).count == 9)
      let grown = try await take(
        Self.export(days: 4, written: "2025-04-02 22:00:00 +0200"), sandbox, name: "newest.xml")
      #expect(try counts(grown, "new") == ["routine": 1, "sleep": 1, "weight": 1])
      #expect(try Set(lines(sandbox).compactMap { $0["log_id"] as? String }).count == 12)
      let report = try await Program.run(["health", "report", "--json"], in: sandbox)
      #expect(try report.objects().map { $0["number"] as? Int } == [3, 2, 1], "\(report.err)")
      #expect(!report.out.contains("81.6"), "no health value")
    }
  }

  @Test("the content tells exports apart: not their names, and not their sizes") func content() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let first = Self.export()
      let second = first.replacing("\"1001\"", with: "\"1901\"")
      #expect(first.utf8.count == second.utf8.count)
      #expect(try await counts(take(first, sandbox), "new")["routine"] == 3)
      #expect(try await counts(take(second, sandbox), "revised") == ["routine": 1])
      let renamed = try await take(second, sandbox, name: "copy.xml")
      #expect(try renamed.objects().last?["state"] as? String == "known")
    }
  }

  @Test("samples of weeks ago that come late are delivered") func late() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let whole = Self.export()
      let line = try #require(whole.split(separator: "\n").first { $0.contains("StepCount") })
      let without = whole.replacing(line + "\n", with: "")
      #expect(try await counts(take(without, sandbox), "new")["routine"] == 2)
      let later = whole.replacing("2025-03-31", with: "2025-04-21")
      #expect(try await counts(take(later, sandbox, name: "later.xml"), "new") == ["routine": 1])
    }
  }

  @Test("two gateways give the records of one export the same names") func twoGateways() async throws {
    var names: [Set<String>] = []
    for kilograms in [true, false] {
      try await Sandbox.with { sandbox in
        try await start(sandbox)
        #expect(try await take(Self.export(kilograms: kilograms), sandbox).status == 0)
        names.append(Set(try lines(sandbox).compactMap { $0["log_id"] as? String }))
      }
    }
    #expect(names[0].count == 9 && names[0] == names[1])
  }

  @Test("one receiver of two gateways has each record once, whatever units the phone wrote the second time")
  func oneReceiver() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox, options: ["--zone", "Europe/Berlin"])
      try #require(started.status == 0, "\(started.err)")
      #expect(try await take(Self.export(), sandbox).status == 0)
      let first = try ReceiverRows.stored(in: sandbox)
      #expect(first.count == 9)
      let url = try #require(try started.objects().last?["receiver"] as? String)
      for kilograms in [true, false] {
        try await Sandbox.with { other in
          let joined = try await Program.run(
            [
              "session", "start", "--user", "u", "--organization", "o", "--zone", "Europe/Berlin", "--receiver", url,
            ], in: other, input: Array("token-of-this-user-1".utf8))
          try #require(joined.status == 0, "\(joined.err)")
          #expect(try await take(Self.export(kilograms: kilograms), other).status == 0)
          let rows = try ReceiverRows.stored(in: sandbox)
          #expect(kilograms ? rows == first : Set(names(rows)) == Set(names(first)) && rows.count == 9)
        }
      }
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  private func names(_ rows: [String]) -> [Substring] { rows.map { $0.prefix { $0 != " " } } }

  @Test("of a damaged export the single records come, and no sums") func partial() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let cut = try await take(String(Self.export().dropLast(30)), sandbox)
      #expect(try cut.status == 1 && (cut.objects().last?["state"] as? String) == "partial", "\(cut.err)")
      #expect(try counts(cut, "new")["routine"] == nil && counts(cut, "new")["weight"] == 3)
      let whole = try await take(Self.export(), sandbox, name: "whole.xml")
      #expect(try whole.status == 0 && (counts(whole, "new"))["routine"] == 3, "\(whole.out)")
    }
  }

  @Test(
    "says what is missing before anything is read",
    arguments: [
      ([], true, "not_subscribed", Int32(64)), (["--sets", "routine"], false, "no_session", Int32(1)),
      (["--sets", "routine,jogging"], true, "unknown_type", Int32(64)),
      (["--sets", "routine", "--zone", "BST"], true, "unknown_zone", Int32(64)),
    ])
  func refused(_ options: [String], hasSession: Bool, code: String, status: Int32) async throws {
    try await Sandbox.with { sandbox in
      if hasSession { try await start(sandbox) }
      let file = try sandbox.file("export.xml", Self.export())
      let done = try await Program.run(["health", "import", file, "--json"] + options, in: sandbox)
      #expect(done.status == status && done.out.isEmpty, "\(done.err)")
      #expect(try done.jsonError()["code"] as? String == code)
    }
  }

  @Test("of several exports a wrong one keeps none of the others away") func several() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let diary = try sandbox.file("diary.txt", "Dear diary")
      let file = try sandbox.file("export.xml", Self.export())
      let done = try await Program.run(
        ["health", "import", diary, file, "--all", "--sets", "weight", "--json"], in: sandbox)
      #expect(try done.status == 1 && done.jsonError()["code"] as? String == "health_import", "\(done.err)")
      #expect(try done.objects().map { $0["state"] as? String } == ["failed", "done"])
      #expect(try lines(sandbox).count == 3)
    }
  }

  @Test("a running host does it for a command") func service() async throws {
    try await Sandbox.with { sandbox in
      try await start(sandbox)
      let host = try Program(["run", "--json"], in: sandbox)
      try await host.line(with: #""event":"running""#)
      let done = try await take(Self.export(), sandbox)
      #expect(try done.status == 0 && (counts(done, "new")) == ["routine": 3, "sleep": 3, "weight": 3], "\(done.err)")
      host.interrupt()
      _ = await host.outcome()
      #expect(try lines(sandbox).count == 9)
    }
  }
}
