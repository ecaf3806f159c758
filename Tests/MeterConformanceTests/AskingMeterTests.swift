import Foundation
import MeterConformance
import TestSupport
import Testing

/// What only a meter with questions and answers in its script shows: one driver that keeps every rule, and one for each
/// fault that the suite finds by the script.
@Suite("A meter of an author's own protocol", .timeLimit(.minutes(60))) struct AskingMeterTests {
  static let offences: [(define: String, rule: String, check: String)] = [
    ("R11_NO_GOODBYE", "R11", "expected"), ("R11_NO_TIMER", "R11", "silence"), ("R11_ASKS_FOR_EVER", "R11", "silence"),
    ("R12_SETTLED", "R12", "settling"), ("R12_LIVE_STORED", "R12", "live"),
  ]

  @Test func aDriverThatKeepsEveryRulePasses() async throws {
    let report = try await FixtureBundle(source: .asking).test()
    #expect(report.passed, "\(report.bad)")
    #expect(report.count(.warning) == 0, "\(report.results.filter { $0.status == .warning })")
    for check in ["expected", "silence", "settling", "live", "identity", "dropped", "lost", "vectors", "read"] {
      let found = report.results.first { $0.check == check }
      #expect(found?.status == .passed, "\(check): \(found?.reason ?? "")")
    }
  }

  @Test(arguments: offences.indices)
  func aDriverThatBreaksOneRuleIsToldThatRule(_ index: Int) async throws {
    let (define, rule, check) = Self.offences[index]
    let change = { (name: String, text: String) -> String in
      // What the vectors say of a driver that is wrong is another check's.
      name == "vectors.json" ? #"[{"id": "sum", "characteristic": "2A1C", "hex": "", "error": "unsupported"}]"# : text
    }
    let rules = Rule.allCases.filter { $0.description != "R25" }
    let report = try await FixtureBundle([define], source: .asking, change: change).test(rules: Set(rules))
    #expect(report.brokenRules.map(\.description) == [rule], "\(report.bad)")
    let bad = report.results.filter(\.status.isBad)
    #expect(bad.map(\.check) == [check], "\(report.bad)")
    #expect(bad.allSatisfy { $0.place != nil && $0.mend?.isEmpty == false })
  }

  @Test func aWriteThatTheMeterDoesNotExpectIsTold() async throws {
    let report = try await FixtureBundle(source: .asking) { name, text in
      name == "meter.json" ? text.replacing(#""expect": "A5 04 {sum8}""#, with: #""expect": "A5 05 {sum8}""#) : text
    }.test("R11")
    let found = try #require(report.results.first { $0.check == "expected" })
    #expect(found.status == .failed && found.found?.contains("after “measure” the meter waits for A5 05") == true)
  }

  @Test func aLiveReadingThatTheScriptHoldsIsMissed() async throws {
    let report = try await FixtureBundle(source: .asking) { name, text in
      guard name == "meter.json" else { return text }
      return text.replacing(#""kind": "responder","#, with: #""kind": "responder", "readings": 2,"#)
    }.test("R12")
    let found = try #require(report.results.first { $0.check == "read" })
    #expect(found.status == .warning && found.found?.contains("5 readings and 4 came") == true, "\(report.bad)")
  }

  @Test func theNumberOfACharacteristicIsTheRegistrysAndNotItsPlace() async throws {
    // The list names the answers first, and they have the second number.
    #expect(try await FixtureBundle(source: .asking).test("R12", "R14").passed)
    let byPlace = try await FixtureBundle(source: .asking) { name, text in
      guard name == "fragment.json" else { return text }
      return text.replacing(#", "decode_code": 32769"#, with: "").replacing(#", "decode_code": 32768"#, with: "")
    }.test("R12")
    #expect(byPlace.results.first { $0.check == "vectors" }?.status == .failed, "\(byPlace.bad)")
  }
}
