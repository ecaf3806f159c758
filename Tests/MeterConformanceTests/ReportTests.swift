import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
@testable import MeterConformance
import TestSupport
import Testing

@Suite struct ReportTests {
  private func result(_ rule: String, _ check: String, _ status: CheckStatus) throws -> CheckResult {
    CheckResult(
      driver: "org.example.d", rule: try #require(Rule(rule)), check: check, status: status,
      title: "It is <right> & \"so\".",
      reason: status == .skipped ? "nothing there" : nil, found: status.isBad ? "it was\u{1} <wrong>" : nil,
      place: nil, mend: status.isBad ? "mend it" : nil,
      reproduction: status.isBad ? .init(command: "again", seed: 7, events: ["1 connected", "2 services"]) : nil,
      milliseconds: 1234)
  }

  @Test func rulesAreReadAsPeopleWriteThem() {
    #expect(Rule("R7")?.description == "R7" && Rule("r7") == Rule("7") && Rule("R27") != nil)
    for wrong in ["", "R", "R0", "R28", "7R", "R-1", "seven"] { #expect(Rule(wrong) == nil, "\(wrong)") }
    #expect(Rule.allCases.count == 27)
  }

  @Test func resultsStandInTheOrderOfTheRules() throws {
    let report = ConformanceReport(
      target: "t",
      results: [try result("R12", "b", .passed), try result("R2", "a", .failed), try result("R12", "a", .crashed)])
    #expect(report.results.map { "\($0.rule) \($0.check)" } == ["R2 a", "R12 b", "R12 a"])
    #expect(!report.passed && report.brokenRules.map(\.description) == ["R2", "R12"])
    #expect(ConformanceReport(target: "t", results: [try result("R2", "a", .warning)]).passed == false)
    #expect(ConformanceReport(target: "t", results: [try result("R2", "a", .passed)]).passed)
  }

  @Test func aResultSurvivesJSON() throws {
    let one = try result("R9", "purposes", .failed)
    let data = try JSONEncoder().encode(one)
    #expect(try JSONDecoder().decode(CheckResult.self, from: data) == one)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["rule"] as? String == "R9" && object["status"] as? String == "failed")
  }

  @Test func junitIsXMLWithTheRightNumbers() throws {
    let report = ConformanceReport(
      target: "a & b",
      results: [
        try result("R1", "a", .passed), try result("R1", "b", .failed), try result("R2", "c", .crashed),
        try result("R3", "d", .skipped), try result("R3", "e", .warning),
      ])
    let reader = JUnitReader()
    let parser = XMLParser(data: Data(JUnitReport(report).xml.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(reader.elements["testcase"] == 5 && reader.elements["failure"] == 1 && reader.elements["error"] == 1)
    #expect(reader.elements["skipped"] == 1 && reader.elements["system-err"] == 1 && reader.elements["testsuite"] == 3)
    #expect(reader.root["name"] == "a & b" && reader.root["tests"] == "5" && reader.root["failures"] == "1")
    #expect(reader.root["errors"] == "1" && reader.root["skipped"] == "1" && reader.root["time"] == "6.170")
  }

  /// A check that the reference does not explain helps nobody.
  @Test func everyCheckIsInTheReference() throws {
    let page = try String(
      contentsOf: CompiledBundle.root.appending(path: "docs/reference/conformance.md"), encoding: .utf8)
    for check in CheckDescription.all {
      let row = "| \(check.rule) | `\(check.name)` | \(check.title) | \(check.mend) |"
      #expect(page.contains(row), "\(row)")
    }
    let names = CheckDescription.all.map { "\($0.rule) \($0.name)" }
    #expect(Set(names).count == names.count)
    for rule in Rule.allCases {
      #expect((rule.hostsOwn == nil) == CheckDescription.all.contains { $0.rule == rule }, "\(rule)")
    }
  }
}

private final class JUnitReader: NSObject, XMLParserDelegate {
  var elements: [String: Int] = [:]
  var root: [String: String] = [:]

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    elements[name, default: 0] += 1
    if name == "testsuites" { root = attributes }
  }
}
