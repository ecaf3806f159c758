import HostPrimitives

/// A report as JUnit XML, which the test pages of CI systems read: a suite a rule, a case a check. A warning is a passed
/// case with words on its standard error.
public struct JUnitReport: Sendable {
  private let report: ConformanceReport

  /// The form of a report.
  public init(_ report: ConformanceReport) { self.report = report }

  /// The document.
  public var xml: String {
    let rules = Dictionary(grouping: report.results, by: \.rule).sorted { $0.key < $1.key }
    let suites = rules.map { Self.suite($0.key, $0.value) }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(Self.escaped(report.target))" \(Self.counts(report.results))>
      \(untried)\(suites)</testsuites>

      """
  }

  /// A run that had nothing to look at is no success on a page of tests either.
  private var untried: String {
    guard let words = report.nothingTried.map(Self.escaped) else { return "" }
    return "  <testsuite name=\"material\" tests=\"1\" errors=\"1\">\n"
      + "    <testcase classname=\"material\" name=\"material\">\n"
      + "      <error message=\"\(words)\">\(words)</error>\n    </testcase>\n  </testsuite>\n"
  }

  private static func suite(_ rule: Rule, _ results: [CheckResult]) -> String {
    "  <testsuite name=\"\(rule)\" \(counts(results))>\n" + results.map(testCase).joined() + "  </testsuite>\n"
  }

  private static func counts(_ results: [CheckResult]) -> String {
    func count(_ status: CheckStatus) -> Int { results.count { $0.status == status } }
    return "tests=\"\(results.count)\" failures=\"\(count(.failed))\" errors=\"\(count(.crashed))\" "
      + "skipped=\"\(count(.skipped))\" time=\"\(seconds(results.reduce(0) { $0 + $1.milliseconds }))\""
  }

  private static func testCase(_ result: CheckResult) -> String {
    let head =
      "    <testcase classname=\"\(escaped(result.driver.map { "\($0).\(result.rule)" } ?? "\(result.rule)"))\" "
      + "name=\"\(escaped(result.check))\" time=\"\(seconds(result.milliseconds))\""
    let words = escaped(result.found ?? result.title)
    switch result.status {
    case .passed: return head + "/>\n"
    case .skipped:
      return head + ">\n      <skipped message=\"\(escaped(result.reason ?? ""))\"/>\n    </testcase>\n"
    case .warning: return head + ">\n      <system-err>\(words)</system-err>\n    </testcase>\n"
    case .failed: return head + body("failure", result, words)
    case .crashed: return head + body("error", result, words)
    }
  }

  private static func body(_ element: String, _ result: CheckResult, _ words: String) -> String {
    let lines =
      [result.title, result.place.map { "where: \($0)" }, result.found, result.mend.map { "mend: \($0)" }]
      .compactMap { $0 } + (result.reproduction.map { ["again: \($0.command)"] + $0.events } ?? [])
    let text = escaped(lines.joined(separator: "\n"))
    return ">\n      <\(element) type=\"\(result.rule)\" message=\"\(words)\">\(text)</\(element)>\n    </testcase>\n"
  }

  private static func seconds(_ milliseconds: Int) -> String {
    "\(milliseconds / 1000).\(Int64(milliseconds % 1000).digits(3))"
  }

  /// Characters that XML 1.0 does not allow are left out: a driver's words may hold any.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      default: if scalar.value >= 0x20, scalar.value & 0xFFFE != 0xFFFE { result.unicodeScalars.append(scalar) }
      }
    }
    return result
  }
}
