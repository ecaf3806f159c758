import HostErrors
import DriverContract
import Foundation
import MeterDrivers

/// The candidates so far, and whether something has refused what was asked for.
struct WhyTrail {
  private(set) var candidates: [Candidate] = []
  /// Whether a file names what was asked for, be the file in use or not.
  private(set) var isNamed = false
  private var isRefused = false
  private var decisive: Candidate?

  /// Notes a candidate that decides nothing.
  mutating func add(_ candidate: Candidate) { candidates.append(candidate) }

  /// Notes the candidate at which the way ends.
  mutating func refuse(_ candidate: Candidate) {
    add(candidate)
    isRefused = true
    decisive = decisive ?? candidate
  }

  /// Ends the way at what was noted before: no file that is in use names it.
  mutating func refuse() {
    isRefused = true
    decisive = decisive ?? candidates.first { $0.verdict == .failed }
  }

  /// Ends the way at a package that is disabled, if one has what was asked for; else at what was noted before.
  mutating func refuse(disabledPackage package: String?, _ stage: Candidate.Stage, of what: String) {
    guard let package else { return refuse() }
    isNamed = true
    refuse(
      .failed(
        stage, package, rule: "R22", code: "package_disabled", "\(what) is of this package, which is disabled",
        cure: "enable it: `meterhost driver enable \(package)`"))
  }

  /// Goes on with the way of another.
  mutating func append(_ other: WhyTrail) {
    candidates += other.candidates
    isRefused = isRefused || other.isRefused
    decisive = decisive ?? other.decisive
  }

  /// Notes every file that names an entry, or may; a refused file beside a good one is no obstacle.
  mutating func add(_ sightings: [RegistrySighting], _ stage: Candidate.Stage, of what: String) {
    for sighting in sightings {
      isNamed = isNamed || sighting.isNamed
      if let problem = sighting.problem {
        add(.refused(sighting, problem, stage, what))
      } else {
        add(.passed(stage, sighting.place, "names \(what)"))
      }
      for warning in sighting.warnings {
        add(
          .failed(
            stage, sighting.place, rule: "R22", code: "unknown_key", "\(warning.path): \(warning.message)",
            cure: "correct or remove the key", verdict: .warning))
      }
    }
  }

  func answer(to target: String, subject: String, driver: String? = nil, peripheral: UInt32? = nil) -> DriverWhy {
    let answer: DriverWhy.Answer = !isRefused ? .usable : isNamed ? .refused : .unknown
    let summary =
      switch answer {
      case .usable: "\(subject) can be used"
      case .unknown: "no file of the registry names \(subject)"
      case .refused, .unavailable: "\(subject) is refused: \(decisive?.reason ?? "what it needs is left out")"
      }
    return DriverWhy(
      target: target, answer: answer, driver: driver, peripheral: peripheral, summary: summary, candidates: candidates)
  }
}

extension Candidate {
  /// An entry, or a whole file, that the loader left out.
  static func refused(
    _ sighting: RegistrySighting, _ problem: RegistryError, _ stage: Stage, _ what: String
  ) -> Candidate {
    guard sighting.isNamed else {
      return .failed(
        .registry, problem.place, rule: problem.rule, code: problem.code.rawValue,
        "\(problem.problem): whether the file names \(what) cannot be said", cure: problem.cure, verdict: .warning)
    }
    let elsewhere = sighting.path == problem.path ? "" : "the file is left out: \(problem.path): "
    return .failed(
      stage, sighting.place, rule: problem.rule, code: problem.code.rawValue, elsewhere + problem.problem,
      cure: problem.cure)
  }

  /// What the loader refused.
  init(_ error: RegistryError, _ stage: Stage = .registry, at place: String) {
    self = .failed(
      stage, place, rule: error.rule, code: error.code.rawValue,
      (error.path == "$" ? "" : "\(error.path): ") + error.problem, cure: error.cure)
  }

  /// What the verifier refused (rule R20).
  init(_ error: BundleError) {
    let (reason, cure) = Self.parts(error.message, error.cause, orElse: "install the driver again")
    self = .failed(.bundle, error.path, rule: error.rule ?? "R20", code: error.code.rawValue, reason, cure: cure)
  }

  /// What speaks against loading the bundle or a file that goes with it.
  init(loading error: any Error, at path: String) {
    switch error {
    case let error as BundleError: self.init(error)
    case let error as RegistryError: self.init(error, .bundle, at: error.place)
    default:
      self = .failed(.bundle, path, rule: "R20", code: "unreadable", "\(error)", cure: "install the driver again")
    }
  }

  /// What went wrong when the bundle was started.
  init(_ fault: DriverFault, at place: String) {
    var (reason, cure) = Self.parts(
      fault.message, fault.cause, orElse: "install another version of the driver, or report it to its maker")
    if fault.code == .workerFailed {
      reason = fault.message
      cure = "install MeterHost again, or name the worker with --worker or METERHOST_WORKER"
    }
    let rule =
      switch fault.code {
      case .loadFailed: "R20"
      case .unknownDriver: "R19"
      case .refused: "R1"
      default: "R24"
      }
    self = .failed(.driver, place, rule: fault.rule ?? rule, code: fault.code.rawValue, reason, cure: cure)
  }

  /// Messages say what happened and, behind the last semicolon, what to do.
  private static func parts(
    _ message: String, _ cause: String?, orElse cure: String
  ) -> (reason: String, cure: String) {
    guard let end = message.range(of: "; ", options: .backwards) else { return (message + cause.inBrackets, cure) }
    return (message[..<end.lowerBound] + cause.inBrackets, String(message[end.upperBound...]))
  }
}
