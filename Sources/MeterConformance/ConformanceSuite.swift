import DriverContract
import DriverProbe
import HostErrors
import MeterDrivers

/// The conformance suite: tries a driver bundle against every rule of the contract that a bundle can break.
///
/// Drivers run in probes and workers, processes of their own that are confined as a gateway confines them: a crash is a
/// result, and the suite goes on.
public struct ConformanceSuite: Sendable {
  /// What is tested.
  public let target: ConformanceTarget
  /// The rules that are looked at; empty: all.
  public let rules: Set<Rule>
  /// Where the random bytes begin; the same seed gives the same run.
  public let seed: UInt64
  /// Whether links are broken at every PDU, and more bytes are spoiled: minutes instead of seconds.
  public let isThorough: Bool

  /// The seed that is used when nobody names one.
  public static let usualSeed: UInt64 = 1

  /// A run of the suite.
  public init(
    _ target: ConformanceTarget, rules: Set<Rule> = [], seed: UInt64 = ConformanceSuite.usualSeed,
    isThorough: Bool = false
  ) {
    self.isThorough = isThorough
    self.target = target
    self.rules = rules
    self.seed = seed
  }

  /// Runs the suite.
  ///
  /// - Parameter tell: Hears of each result as soon as it is there.
  /// - Throws: ``ConformanceError`` when nothing can be said about the target.
  public func run(_ tell: @escaping @Sendable (CheckResult) -> Void = { _ in }) async throws -> ConformanceReport {
    let target = target
    let loaded = try await onOwnThread { try SubjectLoader(target: target).load() }
    var results: [CheckResult] = []
    func add(_ result: CheckResult) {
      results.append(result)
      tell(result)
    }
    for refusal in loaded.refusals { add(result(of: refusal)) }
    var isWhole = false
    var untried: [String] = []
    for subject in loaded.subjects {
      if let refusal = try await Self.loading(subject) {
        add(result(of: refusal))
        continue
      }
      isWhole = true
      let context = CheckContext(
        subject, seed: seed, isThorough: isThorough, reads: try await RecordedRead.recordAll(subject))
      try await context.prepare()
      if !context.hasMaterial { untried.append(subject.id) }
      for check in Check.all where rules.isEmpty || rules.contains(check.rule) {
        guard check.needs.isEmpty || !subject.entry.extensions.isDisjoint(with: check.needs) else { continue }
        add(try await run(check, context))
      }
    }
    for rule in Rule.allCases where rules.isEmpty || rules.contains(rule) {
      guard !results.contains(where: { $0.rule == rule }) else { continue }
      add(unchecked(rule, rule.hostsOwn ?? (isWhole ? "nothing to check" : "the bundle cannot be loaded")))
    }
    return ConformanceReport(target: target.name, results: results, untried: untried)
  }

  /// What comes of loading the bundle in a process; nil: it loads.
  private static func loading(_ subject: Subject) async throws -> SubjectLoader.Refusal? {
    do {
      try await onOwnThread {
        _ = try ProbeProcess(subject.bundle, manner: [], configuration: subject.configuration)
      }
      return nil
    } catch let fault as DriverFault {
      return try SubjectLoader.refusal(of: fault, driver: subject.id)
    }
  }

  private func run(_ check: Check, _ context: CheckContext) async throws -> CheckResult {
    context.trace.clear()
    var result = CheckResult(
      driver: context.driver, rule: check.rule, check: check.name, status: .passed, title: check.title,
      milliseconds: 0)
    let start = ContinuousClock.now
    do {
      switch try await check.body(context) {
      case .passed: break
      case .skipped(let reason): (result.status, result.reason) = (.skipped, reason)
      case .warning(let found, let place):
        (result.status, result.found, result.place, result.mend) = (.warning, found, place, check.mend)
      case .differs(let found, let place):
        result.place = place ?? context.trace.place
        let again = reproduction(check, context)
        // Of rule R8 itself this is the finding.
        let isFound = if check.rule == .r8 { true } else { try await context.isSameTwice() }
        guard isFound else {
          (result.status, result.place) = (.skipped, nil)
          result.reason = "no session is the same twice: see rule R8"
          break
        }
        (result.status, result.found, result.mend, result.reproduction) = (.failed, found, check.mend, again)
      case .failed(let found, let place):
        (result.status, result.found, result.mend) = (.failed, found, check.mend)
        result.place = place ?? context.trace.place
        result.reproduction = reproduction(check, context)
      }
    } catch let fault as DriverFault {
      guard fault.code != .workerFailed else { throw ConformanceError(.system, "\(fault)") }
      if fault.brokenRule != check.rule, context.breaksAnyway(fault.brokenRule) {
        (result.status, result.reason) = (.skipped, "the driver breaks rule \(fault.brokenRule) without this, too")
        return result
      }
      result.status = fault.isDeath ? .crashed : .failed
      // What the driver did wrong may be another rule's affair than what was tried.
      if fault.code == .brokeRule || fault.code == .hung || !check.ownsCrashes && fault.isDeath,
        let rule = fault.rule.flatMap({ Rule($0) })
      {
        result.rule = rule
      }
      result.found = fault.message + fault.cause.inBrackets
      result.place = context.trace.place
      result.mend = check.mend
      result.reproduction = reproduction(check, context)
    }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    result.milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    return result
  }

  private func reproduction(_ check: Check, _ context: CheckContext) -> CheckResult.Reproduction {
    .init(
      command: "meterhost driver test \(context.subject.target) --rule \(check.rule) --seed \(seed)"
        + (isThorough ? " --thorough" : ""), seed: seed,
      events: context.trace.lines)
  }

  private func result(of refusal: SubjectLoader.Refusal) -> CheckResult {
    CheckResult(
      driver: refusal.driver, rule: refusal.rule, check: refusal.check, status: refusal.status,
      title: "The host loads the bundle.", found: refusal.found, mend: refusal.mend, milliseconds: 0)
  }

  private func unchecked(_ rule: Rule, _ reason: String) -> CheckResult {
    CheckResult(
      rule: rule, check: "rule", status: .skipped, title: "The rule as a whole.", reason: reason, milliseconds: 0)
  }
}

/// What the suite looks at, for documentation and help.
public struct CheckDescription: Sendable, Hashable, Codable {
  /// The rule of the driver contract whose part is checked.
  public let rule: Rule
  /// The name within the rule.
  public let name: String
  /// What is right.
  public let title: String
  /// How to mend a driver that fails it.
  public let mend: String

  /// All checks, by rule.
  public static var all: [CheckDescription] {
    Check.all.map { CheckDescription(rule: $0.rule, name: $0.name, title: $0.title, mend: $0.mend) }
  }
}
