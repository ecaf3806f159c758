import DriverContract
import Testing

@testable import MeterDrivers

@Suite("A version that has to prove itself", .timeLimit(.minutes(60))) struct UpdateTrialTests {
  private static let day: Int64 = 86_400_000_000
  private let now: Int64 = 1_772_323_200_000_000

  private func trial(_ phase: UpdateTrial.Phase) -> UpdateTrial {
    var trial = UpdateTrial(package: "p", version: "1.1.0", before: "1.0.0", sinceMicroseconds: now)
    trial.phase = phase
    return trial
  }

  @Test("one that a killed host has installed is tried out, one that it has not is forgotten") func killed() {
    #expect(trial(.installing).step(installed: "1.1.0", lastFault: nil, now: now) == .tryOut)
    #expect(trial(.installing).step(installed: "1.0.0", lastFault: nil, now: now) == .forget)
    #expect(trial(.installing).step(installed: nil, lastFault: nil, now: now) == .forget)
  }

  @Test("a fault is a reason to try again, once") func faults() {
    var watched = trial(.watched)
    #expect(watched.step(installed: "1.1.0", lastFault: nil, now: now + 1) == .wait)
    #expect(watched.step(installed: "1.1.0", lastFault: now + 5, now: now + 6) == .tryOut)
    watched.judgedMicroseconds = now + 5
    #expect(watched.step(installed: "1.1.0", lastFault: now + 5, now: now + 6) == .wait)
    #expect(watched.step(installed: "1.1.0", lastFault: now + 7, now: now + 8) == .tryOut)
  }

  @Test("after two weeks it has proved itself") func proved() {
    #expect(trial(.watched).step(installed: "1.1.0", lastFault: nil, now: now + 14 * Self.day) == .wait)
    #expect(trial(.watched).step(installed: "1.1.0", lastFault: nil, now: now + 15 * Self.day) == .forget)
    #expect(trial(.watched).step(installed: "1.2.0", lastFault: nil, now: now + 1) == .forget)
  }

  // MARK: - What decides

  private func report(
    _ outcome: ReplayReport.Outcome, same: Bool = true, fault: DriverFault? = nil, records: Int = 1
  ) -> ReplayReport {
    ReplayReport(
      outcome: outcome, event: nil, words: outcome == .differs ? ["record 1 is another"] : [], fault: fault,
      recordedFault: nil, isSameBundle: same, events: 3,
      records: Array(repeating: DriverRecord(kind: .measurement), count: records))
  }

  private let crash = DriverFault(.crashed, driver: "p", message: "the worker died")

  @Test("a self-test that fails is enough") func selfTest() {
    guard case .goes(let reason) = UpdateProof(selfTest: "vector 3").verdict else { Issue.record("it stays"); return }
    #expect(reason.contains("vector 3"))
  }

  @Test("the same records keep it, others, none and a fault do not") func sound() {
    let before = report(.identical)
    func verdict(_ new: ReplayReport, before: ReplayReport) -> UpdateProof.Verdict {
      UpdateProof(evidence: [.sound(name: "r", before: before, new: new)]).verdict
    }
    #expect(verdict(report(.identical, same: false), before: before) == .stays(recordings: 1))
    // A worker that was killed from outside says nothing about the bundle.
    let killed = DriverFault(.killed, driver: "p", message: "the worker was killed")
    #expect(verdict(report(.differs, same: false, fault: killed), before: before) == .stays(recordings: 0))
    let bad: [ReplayReport] = [
      report(.differs, same: false), report(.identical, same: false, records: 2),
      report(.differs, same: false, fault: crash), report(.identicalSoFar, same: false),
    ]
    for new in bad {
      guard case .goes = verdict(new, before: before) else { Issue.record("\(new) keeps it"); continue }
    }
    // A recording that the version before does not repeat says nothing.
    #expect(verdict(report(.differs, same: false), before: report(.differs)) == .stays(recordings: 0))
  }

  @Test("a fault counts that comes again, and that the version before does not have") func fault() {
    func verdict(_ new: ReplayReport, before: ReplayReport) -> UpdateProof.Verdict {
      UpdateProof(evidence: [.fault(name: "r", before: before, new: new)]).verdict
    }
    let again = report(.faultAgain, fault: crash)
    guard case .goes = verdict(again, before: report(.faultGone, same: false)) else { Issue.record("it stays"); return }
    #expect(verdict(report(.faultGone), before: report(.faultGone, same: false)) == .stays(recordings: 0))
    #expect(verdict(again, before: report(.faultAgain, same: false, fault: crash)) == .stays(recordings: 0))
  }

  @Test("nothing that could be tried keeps it") func nothing() {
    #expect(UpdateProof().verdict == .stays(recordings: 0))
  }
}
