import MeterDrivers

/// One thing that the suite looks at.
struct Check: Sendable {
  let rule: Rule
  /// The name within the rule.
  let name: String
  /// What is looked at, in a sentence that says what is right.
  let title: String
  /// How to mend a driver that fails it.
  let mend: String
  /// Whether a crash breaks this rule, because nothing but what it tries can be the reason; else it breaks R24.
  var ownsCrashes: Bool { ![.r12, .r14, .r22, .r25, .r26].contains(rule) || name == "at-once" }
  /// Only drivers with one of these extensions are asked; empty: all are.
  let needs: Set<DriverExtension>
  let body: @Sendable (CheckContext) async throws -> Verdict

  init(
    _ rule: Rule, _ name: String, _ title: String, mend: String, needs: Set<DriverExtension> = [],
    _ body: @escaping @Sendable (CheckContext) async throws -> Verdict
  ) {
    self.rule = rule
    self.name = name
    self.title = title
    self.mend = mend
    self.needs = needs
    self.body = body
  }
}

/// What a check has come to; a `DriverFault` that it throws is a failure, too.
enum Verdict: Sendable {
  case passed
  /// There is nothing to check, and why.
  case skipped(String)
  /// What was seen that is allowed and likely to hurt.
  case warning(String, place: String? = nil)
  /// A session is another one than it was before. Of a driver that is never the same twice that is no wonder.
  case differs(String, place: String? = nil)
  /// What was seen that is wrong; where, if the trace does not say it.
  case failed(String, place: String? = nil)
}
