import Foundation
import MeterConformance
import TestSupport
import Testing

/// What a script states as readings must come, each once.
@Suite(.timeLimit(.minutes(60))) struct MissedReadingTests {
  private static let waits = "session->is_waiting = 1;"

  private func read(_ report: ConformanceReport) throws -> CheckResult {
    try #require(report.results.first { $0.check == "read" })
  }

  @Test func theTemplateMissesNothing() async throws {
    let report = try await TemplateBundle().test("R12")
    #expect(report.passed && report.count(.warning) == 0, "\(report.bad)")
  }

  @Test(arguments: [
    ("reading.sequence != 31", "the meter holds 2 readings, and of number 31 none came"),
    // Control solution is no reading of a person.
    ("reading.sequence == 32", "the meter holds 2 readings and none came"),
  ])
  func aStoredReadingThatIsDroppedIsAFailure(_ condition: String, _ words: String) async throws {
    let report = try await TemplateBundle(session: [(Self.waits, "session->is_waiting = \(condition);")]).test("R12")
    let found = try read(report)
    #expect(found.status == .failed && found.found == words, "\(report.bad)")
    #expect(found.place == "meter" && !report.passed)
  }

  @Test func whatTheScriptSaysIsNoneIsNotMissed() async throws {
    let report = try await TemplateBundle(session: [(Self.waits, "session->is_waiting = reading.sequence != 31;")]) {
      name, text in
      name == "meter.json"
        ? text.replacing(
          #""021f00e20709140c000076b0f1" }"#, with: #""021f00e20709140c000076b0f1", "reading": false }"#) : text
    }.test("R12")
    #expect(try read(report).status == .passed, "\(report.bad)")
  }

  @Test func aValueThatDecodesToNothingIsNoReadingWhateverTheScriptSays() async throws {
    // The number is the filler of a result that is not there (NRes).
    let report = try await TemplateBundle { name, text in
      name == "meter.json"
        ? text.replacing("021f00e20709140c000076b0f1", with: "021f00e20709140c0000ff07f1") : text
    }.test("R12")
    let found = try read(report)
    #expect(found.status == .warning && found.found?.contains("2 readings and 1 came") == true, "\(report.bad)")
  }

  @Test func withoutNumbersTheCountTells() async throws {
    let report = try await FixtureBundle(source: .asking) { name, text in
      name == "meter.json" ? text.replacing("5A 01 {count} {sum8}", with: "5A 01 02 {sum8}") : text
    }.test("R12")
    let found = try read(report)
    #expect(found.status == .failed && found.found == "the meter holds 3 readings and 2 came", "\(report.bad)")
  }

  private static let finishes = "end(session, (mh_action){.kind = MH_DO_FINISH});"

  @Test(arguments: [
    (
      #"fail(session, MH_FAIL_COMMUNICATION, 0, "The meter went away before it had sent everything. Read it again.");"#,
      "the link breaks"
    ),
    (
      #"fail(session, MH_FAIL_TIMEOUT, 0, "The meter stopped sending. Keep it near and read it again.");"#,
      "the meter falls silent"
    ),
  ])
  func whoseMeterIsGoneHasNotFinished(_ failure: String, _ words: String) async throws {
    let report = try await TemplateBundle(session: [(failure, Self.finishes)]).test("R12")
    let bad = report.results.filter(\.status.isBad)
    #expect(bad.map(\.check) == ["finished"], "\(report.bad)")
    #expect(bad.first?.found?.hasPrefix(words) == true && bad.first?.place?.hasPrefix("meter: ") == true)
  }

  @Test func theTemplateFailsWhenItsMeterIsGoneAndLosesNoDamagedReading() async throws {
    let report = try await TemplateBundle().test("R12", "R25")
    #expect(report.passed, "\(report.bad)")
    for check in ["finished", "damaged"] {
      #expect(report.results.first { $0.check == check }?.status == .passed, "\(check)")
    }
  }

  @Test func aCursorThatPassesADamagedReadingIsAFailure() async throws {
    let report = try await TemplateBundle(session: [("session->is_damaged = 1;", "")]).test("R25")
    let bad = report.results.filter(\.status.isBad)
    #expect(bad.map(\.check) == ["damaged"], "\(report.bad)")
    #expect(bad.first?.found?.contains("a reading is lost") == true)
  }
}
