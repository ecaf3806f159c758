import Foundation
import MeterConformance
import TestSupport
import Testing

/// What the suite must find: one driver that keeps every rule, and many that break one each.
@Suite("The conformance kit", .timeLimit(.minutes(60))) struct ConformanceKitTests {
  /// A macro of the fixture, the rule that it breaks, and the checks that say so.
  struct Offence: Sendable, CustomTestStringConvertible {
    var define: String
    var rule: String
    var checks: Set<String>
    var status = CheckStatus.failed

    var testDescription: String { define }

    init(_ define: String, _ checks: Set<String>, _ status: CheckStatus = .failed) {
      self.define = define
      rule = String(define.prefix { $0 != "_" })
      self.checks = checks
      self.status = status
    }
  }

  static let offences: [Offence] = [
    Offence("R1_WRAPS", ["entry"]),
    Offence("R3_COPIES", ["grown-tables"], .crashed),
    Offence("R3_READS_ON", ["table-ends"], .crashed),
    Offence("R4_ANY_MAJOR", ["other-major"]),
    Offence("R4_THIS_MINOR_ONLY", ["later-host"]),
    Offence("R5_ANY_TABLE", ["unknown-table"]),
    Offence("R5_TRUSTS", ["host-without-tables"], .crashed),
    Offence("R6_KEEPS_NAME", ["borrowed"], .crashed),
    Offence("R6_READS_ON", ["bounds"], .crashed),
    Offence("R7_ASKS_AT_ENTRY", ["in-call"]),
    Offence("R7_CRYPTO_AT_ENTRY", ["in-call"]),
    Offence("R7_LEAKS", ["nothing-left"]),
    Offence("R7_ENVIRONMENT", ["imports", "undisturbed"]),
    Offence("R7_LOCALE", ["imports", "session"]),
    Offence("R7_MASKS_SIGNALS", ["imports"]),
    Offence("R7_OPENS_FILE", ["imports", "session"]),
    Offence("R7_PRINTS", ["imports", "silent"]),
    Offence("R7_THREAD_LOCAL", ["any-thread"]),
    Offence("R8_CLOCK", ["imports"]),
    Offence("R8_COUNTS", ["second-session", "two-sessions"]),
    Offence("R9_ANY_PURPOSE", ["purposes"]),
    Offence("R9_STRICT", ["unknown-parameters"]),
    Offence("R10_ACTS_ON_UNKNOWN", ["unknown-events"]),
    Offence("R10_CANCEL_BREAKS", ["cancel"]),
    Offence("R11_EXTRA_FIELD", ["session"]),
    Offence("R12_SHORT", ["truncated"]),
    Offence("R12_UNIT", ["read", "vectors"]),
    Offence("R12_VALUE", ["session", "vectors"]),
    Offence("R13_DROPS", ["small-sinks"]),
    Offence("R14_FLAGS", ["flags"]),
    Offence("R14_OUTSIDE", ["outside"]),
    Offence("R14_REMEMBERS", ["again", "alone", "order"]),
    Offence("R16_SLOW", ["session"], .crashed),
    Offence("R22_READS_BATTERY", ["declared"]),
    Offence("R23_NEEDS_ROOM", ["no-room"], .crashed),
    Offence("R23_TRUSTS", ["strange-keys"], .crashed),
    Offence("R24_CRASHES", ["hostile-values"], .crashed),
    Offence("R24_WRITES_NULL", ["cut-values"], .crashed),
    Offence("R25_ASKS_THE_DEAD", ["session"]),
    Offence("R25_CURSOR_AHEAD", ["dropped", "lost"]),
  ]

  @Test("a driver that keeps every rule passes, and every rule has a result")
  func conforming() async throws {
    let report = try await FixtureBundle().test()
    #expect(report.passed, "\(report.bad)")
    #expect(report.count(.warning) == 0, "\(report.results.filter { $0.status == .warning })")
    #expect(Set(report.results.map(\.rule)) == Set(Rule.allCases))
    let skipped = report.results.filter { $0.status == .skipped }.map { "\($0.rule) \($0.check)" }
    #expect(
      Set(skipped) == [
        "R11 expected", "R11 silence", "R12 settling", "R12 finished", "R15 rule", "R17 rule", "R18 rule", "R20 sealed",
        "R25 damaged", "R26 context", "R27 rule",
      ])
    #expect(report.results.allSatisfy { $0.status != .skipped || $0.reason?.isEmpty == false })
  }

  @Test("a driver that breaks one rule is told that rule and no other", arguments: offences)
  func offence(offence: Offence) async throws {
    // Links that break are tried for those that mind: it takes longest.
    let rules = Rule.allCases.filter { $0.description != "R25" || offence.rule == "R25" }
    let report = try await FixtureBundle([offence.define]).test(rules: Set(rules))
    #expect(report.brokenRules.map(\.description) == [offence.rule], "\(report.bad)")
    let bad = report.results.filter { $0.status.isBad }
    #expect(offence.checks.isSubset(of: Set(bad.map(\.check))), "\(report.bad)")
    #expect(bad.contains { $0.status == offence.status }, "\(report.bad)")
    for result in bad {
      #expect(result.found?.isEmpty == false && result.mend?.isEmpty == false)
      #expect(result.reproduction?.command.contains("--seed 1") == true)
    }
  }

  @Test("what is allowed and likely to hurt is a warning")
  func warnings() async throws {
    let report = try await FixtureBundle(["IGNORES_CANCEL"]).test(rules: Set([Rule("R10")].compactMap { $0 }))
    #expect(report.passed, "\(report.bad)")
    let warned = report.results.filter { $0.status == .warning }
    #expect(warned.map(\.check) == ["cancel"] && warned.first?.found?.contains("neither ends") == true)
    #expect(warned.first?.place?.contains("meter: ") == true)
  }

  @Test("a reading that does not come is missed, unless the script says that it is none")
  func missing() async throws {
    let last = #"{"measurement": "02b437e807030c072000"}"#
    // The same reading twice is one.
    for (record, isMissed) in [(last, true), (last.replacing("}", with: #", "reading": false}"#), false)] {
      let both = "\(last), \(record)"
      let bundle = try FixtureBundle(change: { $0 == "meter.json" ? $1.replacing(last, with: both) : $1 })
      let report = try await bundle.test(rules: Set([Rule("R12")].compactMap { $0 }))
      #expect(report.passed, "\(report.bad)")
      let found = report.results.first { $0.check == "read" }
      #expect(found?.status == (isMissed ? CheckStatus.warning : .passed))
      #expect((found?.found?.contains("4 readings") ?? false) == isMissed)
    }
  }

  @Test("log and extension may be called at any time")
  func anyTime() async throws {
    let report = try await FixtureBundle(["LOGS_AT_ENTRY"]).test(rules: Set([Rule("R7")].compactMap { $0 }))
    #expect(report.passed && report.count(.warning) == 0, "\(report.bad)")
  }

  @Test("what the registry says of a bundle is held against it")
  func registry() async throws {
    func broken(_ file: String, _ old: String, _ new: String) async throws -> [String] {
      let bundle = try FixtureBundle(change: { $0 == file ? $1.replacing(old, with: new) : $1 })
      let report = try await bundle.test(rules: Set(["R12", "R19", "R20", "R21", "R22"].compactMap { Rule($0) }))
      return report.results.filter { $0.status.isBad || $0.status == .warning }.map { "\($0.rule) \($0.check)" }
    }
    #expect(try await broken("fragment.json", #""version": "1.0.0""#, #""version": "1.0.1""#) == ["R19 entry"])
    let hash = String(repeating: "0", count: 64)
    #expect(
      try await broken("fragment.json", #""license": "MIT""#, #""license": "MIT", "sha256": "\#(hash)""#)
        == ["R20 verified"])
    #expect(try await broken("meter.json", "EX-C1", "OTHER") == ["R21 match"])
    #expect(try await broken("fragment.json", #""model": "C1""#, #""model": "C1", "modle": "C1""#) == ["R22 fragment"])
    #expect(try await broken("fragment.json", #""requires_pairing": false,"#, "") == ["R22 fragment"])
    #expect(try await broken("vectors.json", "71.4", "71.3") == ["R12 vectors"])
  }

  @Test("a failure comes back with its seed, and another seed still finds it")
  func reproduction() async throws {
    func first(_ seed: UInt64) async throws -> CheckResult? {
      try await FixtureBundle(["R24_WRITES_NULL"]).test(rules: Set([Rule("R24")].compactMap { $0 }), seed: seed)
        .results.first { $0.check == "hostile-session" }
    }
    let (one, same, other) = (try await first(5), try await first(5), try await first(6))
    #expect(one?.status == .crashed && other?.status == .crashed)
    #expect(one?.reproduction?.events == same?.reproduction?.events)
    #expect(one?.reproduction?.seed == 5)
    #expect(one?.place?.contains("indication") == true)
  }

  @Test("a library without a fragment is tried with what it says of itself")
  func library() async throws {
    let bundle = try FixtureBundle()
    defer { bundle.remove() }
    let report = try await ConformanceSuite(bundle.target(bundle.library.path, meters: [bundle.meter.path])).run()
    #expect(report.passed, "\(report.bad)")
    #expect(report.results.first { $0.rule.description == "R25" && $0.check == "dropped" }?.status == .passed)
    // Nothing is wrong, and nothing was seen: that is no success.
    let alone = try await ConformanceSuite(bundle.target(bundle.library.path)).run()
    #expect(!alone.passed && alone.brokenRules.isEmpty, "\(alone.bad)")
    #expect(alone.untried == ["org.example.conforming"] && alone.nothingTried?.contains("--meter") == true)
    #expect(JUnitReport(alone).xml.contains("<testsuite name=\"material\""))
    let session = try #require(alone.results.first { $0.rule.description == "R8" && $0.check == "two-sessions" })
    #expect(session.status == .skipped && session.reason?.contains("--meter") == true)
  }

  @Test("a meter without a reading shows nothing of a driver's work")
  func emptyMeter() async throws {
    let bundle = try FixtureBundle { name, text in
      switch name {
      case "meter.json": text.replacing(/"records": \[[^\]]*\]/, with: #""records": []"#)
      case "vectors.json": "[]"
      default: text
      }
    }
    let report = try await bundle.test("R1")
    #expect(report.brokenRules.isEmpty && !report.passed, "\(report.bad)")
    #expect(report.untried == ["org.example.conforming"])
    #expect(report.nothingTried?.contains("no virtual meter that has a reading") == true)
  }

  @Test("a library is not held to the registry entry that was made up for it")
  func madeUp() async throws {
    // Two drivers for one meter, which use what a registry need not list.
    let bundle = try FixtureBundle(["TWO_DRIVERS", "R22_READS_BATTERY", "BATTERY=0x2a24u"])
    defer { bundle.remove() }
    let report = try await ConformanceSuite(bundle.target(bundle.library.path, meters: [bundle.meter.path])).run()
    #expect(report.passed, "\(report.bad)")
    for (rule, check) in [("R21", "match"), ("R21", "ties"), ("R22", "declared")] {
      let found = report.results.filter { $0.rule.description == rule && $0.check == check }
      #expect(found.map(\.status) == [.skipped, .skipped], "\(rule) \(check)")
    }
    let reads = report.results.filter { $0.rule.description == "R12" && $0.check == "read" }
    #expect(reads.map(\.status) == [.passed, .passed])
  }

  @Test("a bundle that cannot be loaded is one failure, and the rest is skipped")
  func unloadable() async throws {
    for (defines, rule) in [(["NO_NOTE"], "R20"), (["CRASHES_AT_ENTRY"], "R24"), (["OTHER_LAYOUT"], "R4")] {
      let library = try CompiledBundle.make(defines: defines)
      let target = ConformanceTarget(
        library.path, registry: CompiledBundle.root.appending(path: "registry.json").path,
        worker: BuildProducts.worker.path)
      let report = try await ConformanceSuite(target).run()
      #expect(!report.passed)
      #expect(report.brokenRules.map(\.description) == [rule], "\(defines): \(report.bad)")
      #expect(report.results.filter { !$0.status.isBad }.allSatisfy { $0.status == .skipped })
    }
  }

  @Test("what is no driver is an error and no report")
  func nothing() async throws {
    let bundle = try FixtureBundle()
    defer { bundle.remove() }
    let empty = bundle.folder.appending(path: "empty")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    for (name, code) in [
      ("org.example.nobody", ConformanceError.Code.unknownTarget), (bundle.folder.path + "/meter.json", nil),
      (empty.path, .unknownTarget),
    ] as [(String, ConformanceError.Code?)] {
      if let code {
        await #expect { try await ConformanceSuite(bundle.target(name)).run() } throws: {
          ($0 as? ConformanceError)?.code == code
        }
      } else {
        let report = try await ConformanceSuite(bundle.target(name)).run()
        #expect(report.brokenRules.map(\.description) == ["R20"])
      }
    }
    try FileManager.default.removeItem(at: bundle.library)
    await #expect { try await ConformanceSuite(bundle.target(bundle.folder.path)).run() } throws: {
      ($0 as? ConformanceError)?.code == .notBuilt
    }
  }
}

extension ConformanceReport {
  /// What failed, for a test's own message.
  var bad: String {
    results.filter(\.status.isBad).map { result in
      "\(result.rule) \(result.check) \(result.status.rawValue) at \(result.place ?? "-"): \(result.found ?? "-")"
    }.joined(separator: "\n")
  }
}
