import Foundation
import TestSupport
import Testing

/// What is logged, and what never is.
@Suite(.timeLimit(.minutes(60))) struct LogCommandTests {
  private func areas(_ outcome: Outcome) throws -> [String: String] {
    try outcome.objects().first?["areas"] as? [String: String] ?? [:]
  }

  @Test func switchesHoldForTheFolder() async throws {
    try await Sandbox.with { sandbox in
      let quiet = ["METERHOST_LOG": ""]
      let shown = try await Program.run(["log", "--json"], in: sandbox, environment: quiet)
      #expect(try areas(shown).values.allSatisfy { $0 == "warning" } && areas(shown).count == 5)
      let set = try await Program.run(
        ["log", "set", "debug", "--area", "core", "--json"], in: sandbox, environment: quiet)
      #expect(try areas(set)["core"] == "debug" && areas(set)["drivers"] == "warning")
      try await Program.startSession(in: sandbox)
      let submit = ["submit", "--type", "weight", "--value", "body_weight=70.5 kg"]
      let told = try await Program.run(submit, in: sandbox, environment: quiet)
      #expect(told.err.contains("debug core: a record was committed"), "\(told.err)")
      #expect(!told.err.contains("70.5"), "no health value unless it is asked for")
      _ = try await Program.run(["log", "values", "on"], in: sandbox, environment: quiet)
      let values = try await Program.run(submit, in: sandbox, environment: quiet)
      #expect(values.err.contains("values=body_weight 70.5 kg"), "\(values.err)")
      let silent = try await Program.run(submit, in: sandbox, environment: ["METERHOST_LOG": "off"])
      // That the receiver is waited for is no log line.
      let lines = silent.errorLines.filter { !$0.hasPrefix("nothing is sent to the receiver inform for") }
      #expect(silent.status == 0 && lines.isEmpty, "\(silent.err)")
      let one = try await Program.run(submit, in: sandbox, environment: ["METERHOST_LOG": "core=trace,drivers=off"])
      #expect(one.err.contains("a record was committed") && !one.err.contains("70.5"))
      let wrong = try await Program.run(submit, in: sandbox, environment: ["METERHOST_LOG": "core=loud"])
      #expect(wrong.status == 0 && wrong.err.contains("warning: METERHOST_LOG"), "\(wrong.err)")
      for arguments in [["set", "loud"], ["set", "debug", "--area", "x"], ["values", "maybe"]] {
        #expect(try await Program.run(["log"] + arguments, in: sandbox).status == 64)
      }
    }
  }

  @Test func whatTheRadioDoesIsLoggedAndNothingThatAMeterSays() async throws {
    try await Sandbox.with { sandbox in
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = ["read", "1000", "--history", "--json"]
      let traced = try await Program.run(read, in: sandbox, environment: ["METERHOST_LOG": "bluetooth=trace"])
      #expect(traced.status == 0, "\(traced.err)")
      for line in [
        "debug bluetooth: listening for meters begins", "debug bluetooth: connecting", "debug bluetooth: a link is up",
        "debug bluetooth: a session begins", "debug bluetooth: a session is over", "trace bluetooth: sent",
        "trace bluetooth: received", "trace bluetooth: a meter that is wanted was heard",
      ] { #expect(traced.err.contains(line), "\(line)\n\(traced.err)") }
      let values = try traced.objects().flatMap { $0["readings"] as? [[String: Any]] ?? [] }
        .compactMap { ($0["values"] as? [[String: Any]])?.first?["reported"] as? String }
      #expect(values.count == 2 && values.allSatisfy { $0.count > 1 })
      for line in traced.errorLines where line.contains("bluetooth: ") {
        // Addresses and times have digits of their own.
        let words = line.split(whereSeparator: { $0 == " " || $0 == "=" }).map(String.init)
        #expect(!words.contains(where: values.contains), "\(line)")
      }
      let debug = try await Program.run(read, in: sandbox, environment: ["METERHOST_LOG": "bluetooth=debug"])
      #expect(debug.err.contains("a link is up") && !debug.err.contains("trace bluetooth"), "\(debug.err)")
      let chosen = try await Program.run(
        ["passive", "set", "1000", "3000"], in: sandbox, environment: ["METERHOST_LOG": "bluetooth=info"])
      #expect(chosen.err.contains("info bluetooth: what is read passively was chosen peripherals=[1000, 3000]"))
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func theNewestLinesAreThoseOfTheRunningHost() async throws {
    try await Sandbox.with { sandbox in
      let alone = try await Program.run(["log", "tail", "--json"], in: sandbox)
      #expect(alone.status == 69)
      #expect(try alone.jsonError()["code"] as? String == "no_running_host")
      let host = try Program(["run", "--json"], in: sandbox, environment: ["METERHOST_LOG": "core=debug"])
      try await host.line(with: #""event":"running""#)
      try await Program.startSession(in: sandbox)
      let submit = ["submit", "--type", "weight", "--value", "body_weight=70.5 kg"]
      _ = try await Program.run(submit, in: sandbox)
      let tail = try await Program.run(["log", "tail", "--lines", "500", "--json"], in: sandbox)
      let lines = try tail.objects()
      #expect(
        lines.contains { $0["message"] as? String == "a record was committed" && $0["area"] as? String == "core" },
        "\(tail.out)\(tail.err)")
      #expect(lines.compactMap { $0["number"] as? Int } == Array(1...lines.count) && !tail.out.contains("70.5"))
      let last = try await Program.run(["log", "tail", "--lines", "1"], in: sandbox)
      #expect(last.lines.count == 1 && last.out.contains(" core: "), "\(last.out)")
      for lines in ["0", "501", "-1"] {
        #expect(try await Program.run(["log", "tail", "--lines=\(lines)"], in: sandbox).status == 64)
      }
      host.interrupt()
      #expect(await host.outcome().status == 0)
    }
  }

  @Test func theVersionSaysWhatIsBuiltIn() async throws {
    let version = try await Program.run("--version", "--json")
    let object = try #require(try version.objects().first)
    #expect(version.status == 0 && object["features"] as? [String] == ["core", "bluetooth", "ocr", "health"])
    #expect((object["version"] as? String)?.isEmpty == false && object["contract"] as? String == "1.0")
  }
}
