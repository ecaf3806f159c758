import DriverContract

/// What trying out a new version has come to: a pure function of what its self-test and the replays have told.
package struct UpdateProof: Sendable, Hashable {
  /// What one recording of an own meter tells.
  package enum Evidence: Sendable, Hashable {
    /// A session with the version before that had ended in order.
    case sound(name: String, before: ReplayReport, new: ReplayReport)
    /// A session with the new version that has ended with a fault of the driver's.
    case fault(name: String, before: ReplayReport, new: ReplayReport)
  }

  /// Whether the version stays.
  package enum Verdict: Sendable, Hashable {
    /// It stays; so many recordings have spoken for it.
    case stays(recordings: Int)
    /// It goes, for this reason.
    case goes(String)
  }

  /// What the bundle's start and self-test have failed with; nil: nothing.
  package var selfTest: String?
  /// What the recordings tell.
  package var evidence: [Evidence]

  /// A proof from its parts.
  package init(selfTest: String? = nil, evidence: [Evidence] = []) {
    (self.selfTest, self.evidence) = (selfTest, evidence)
  }

  /// Decides.
  package var verdict: Verdict {
    if let selfTest { return .goes("its self-test fails: \(selfTest)") }
    var count = 0
    for item in evidence {
      switch item {
      case .sound(let name, let before, let new):
        // One that the version before does not repeat says nothing about the new one.
        guard before.outcome == .identical, new.fault?.isMachines != true else { continue }
        count += 1
        if let reason = Self.objection(to: new, after: before) {
          return .goes("the recording \(name) gives something else than before: \(reason)")
        }
      case .fault(let name, let before, let new):
        // A fault that does not come again was the machine's, and one that the version before has as well is no reason to
        // go back to it.
        guard new.outcome == .faultAgain, new.isSameBundle, before.fault?.condemnsBundle != true
        else { continue }
        return .goes(
          "it fails with the recording \(name), and the version before does not: \(new.fault?.message ?? new.outcome.rawValue)"
        )
      }
    }
    return .stays(recordings: count)
  }

  private static func objection(to new: ReplayReport, after before: ReplayReport) -> String? {
    if let fault = new.fault, fault.condemnsBundle { return fault.message }
    guard new.outcome == .identical else { return new.words.first ?? new.outcome.rawValue }
    return new.records == before.records ? nil : "other records"
  }
}

extension DriverFault {
  /// Whether it is a bundle's own, wherever it runs.
  var condemnsBundle: Bool {
    switch code {
    case .crashed, .hung, .brokeRule, .brokeProtocol, .loadFailed, .unknownDriver, .refused: true
    case .killed, .workerFailed, .closed, .cancelled: false
    }
  }

  /// Whether the machine, or whoever uses it, has done it.
  var isMachines: Bool { !condemnsBundle }
}
