import HostPrimitives
import StrictJSON

/// What a FHIR server says went wrong (R4, OperationOutcome). Only a server says so; a proxy's page does not.
struct OperationOutcome {
  /// One thing that went wrong.
  struct Issue: Hashable {
    let severity: String
    /// What kind of thing, of R4's IssueType.
    let code: String
    /// What the server says of it; it may quote what was sent.
    let words: String?
    /// Where in what was sent, as a path.
    let places: [String]

    /// Whether it is why something was not done.
    var isError: Bool { severity == "error" || severity == "fatal" }
  }

  let issues: [Issue]

  /// Nil for what is none, or tells of no error.
  init?(_ body: [UInt8]) {
    guard let resource = FHIRResource(body), resource.type == "OperationOutcome" else { return nil }
    issues = (resource.root.member("issue")?.elements ?? []).compactMap { issue in
      guard let severity = issue.member("severity")?.asString, let code = issue.member("code")?.asString else {
        return nil
      }
      let details = issue.member("details")
      let words = issue.member("diagnostics")?.asString ?? details?.member("text")?.asString
      let places = (issue.member("expression")?.elements ?? []) + (issue.member("location")?.elements ?? [])
      return Issue(severity: severity, code: code, words: words, places: places.compactMap(\.asString))
    }
    guard issues.contains(where: \.isError) else { return nil }
  }

  /// What passes by itself, of IssueType's tree `transient`.
  private static let transient: Set<String> = [
    "transient", "lock-error", "no-store", "exception", "timeout", "incomplete", "throttled",
  ]
  /// What is said of who asks and not of what was sent, of IssueType's tree `security`.
  private static let security: Set<String> = ["security", "login", "unknown", "expired", "forbidden", "suppressed"]

  /// Whether the server says that it refuses what was sent, and not who sends it or the moment.
  var isAboutContent: Bool {
    issues.filter(\.isError).allSatisfy { !Self.transient.contains($0.code) && !Self.security.contains($0.code) }
  }

  /// The longest line.
  static let limit = 512

  /// One line for people, in which no value of what was sent stands.
  func text(hiding values: HiddenValues) -> String {
    var parts: [String] = []
    for issue in issues.filter(\.isError).prefix(4) {
      var part = HiddenValues.word(issue.code)
      if let place = issue.places.first { part += " at \(values.hidden(in: place))" }
      if let words = issue.words, !words.isEmpty { part += ": \(values.hidden(in: words))" }
      if !parts.contains(part) { parts.append(part) }
    }
    return parts.joined(separator: "; ").oneLine(atMost: Self.limit)
  }
}
