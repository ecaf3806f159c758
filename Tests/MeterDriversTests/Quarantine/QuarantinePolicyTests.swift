import DriverContract
import MeterCore
import Testing

@testable import MeterDrivers

/// R24 as a pure function.
@Suite("R24 who is set aside") struct QuarantinePolicyTests {
  private let policy = QuarantinePolicy()
  private let hour: Int64 = 3_600_000_000
  private let start: Int64 = 1_790_000_000_000_000

  private func meter(_ name: String, isKnown: Bool = false) -> OffendedMeter {
    OffendedMeter(key: name, name: name, isKnown: isKnown)
  }

  private func crash(_ code: DriverFault.Code = .crashed) -> DriverFault {
    DriverFault(code, driver: "weak", rule: "R24", message: "it crashed")
  }

  private func after(
    _ before: [DriverOffence], _ cause: QuarantinePolicy.Cause, at now: Int64
  ) -> [DriverOffence] {
    policy.offences(before, after: crash(), bundle: "b", cause: cause, recording: nil, now: now)
  }

  private func until(_ offences: [DriverOffence], _ meter: String, at now: Int64) -> Int64? {
    guard case .pairSetAside(_, let end) = policy.verdict(on: offences, meter: meter, now: now) else { return nil }
    return end
  }

  @Test func theSecondFaultSetsThePairAsideForAnHourAndEveryFurtherOneForTwiceAsLong() {
    var offences = after([], .meter(meter("a")), at: start)
    #expect(policy.verdict(on: offences, meter: "a", now: start) == .free)
    var now = start
    for power in 0..<12 {
      offences = after(offences, .meter(meter("a")), at: now)
      let absence = min(hour << Int64(power), 7 * 24 * hour)
      #expect(until(offences, "a", at: now) == now + absence)
      #expect(until(offences, "a", at: now + absence - 1) != nil)
      #expect(until(offences, "a", at: now + absence) == nil)
      #expect(policy.verdict(on: offences, meter: "b", now: now) == .free)
      now += absence
    }
  }

  @Test func aClockThatIsSetBackKeepsNobodyAwayForYears() {
    let offences = after(after([], .meter(meter("a")), at: start), .meter(meter("a")), at: start)
    // A little: the end stays where it is.
    #expect(until(offences, "a", at: start - hour / 2) == start + hour)
    // A gateway without a battery for its clock.
    for past in [start - 2 * hour, start - 1000 * hour, 0] {
      #expect(policy.verdict(on: offences, meter: "a", now: past) == .free)
      #expect(policy.verdict(on: offences, meter: "a", now: past + 1) == .free)
    }
    // Another fault by that clock counts from there.
    let again = after(offences, .meter(meter("a")), at: start - 100 * hour)
    #expect(until(again, "a", at: start - 100 * hour) == start - 98 * hour)
  }

  @Test func aFaultFromAFutureThatTheClockHasLeftIsForgotten() {
    let future = start + 80 * 365 * 24 * hour
    let offences = after(after([], .meter(meter("a")), at: future), .meter(meter("a")), at: future)
    let now = after(offences, .meter(meter("b")), at: start)
    #expect(now.map(\.meter?.name) == ["b"])
  }

  @Test func oldFaultsAreForgotten() {
    let offences = after([], .meter(meter("a")), at: start)
    let later = start + 31 * 24 * hour
    let again = after(offences, .meter(meter("b")), at: later)
    #expect(again.map(\.meter?.name) == ["b"])
  }

  @Test func aPairThatWasSetAsideLongAgoBeginsAnew() {
    var offences = after(after([], .meter(meter("a")), at: start), .meter(meter("a")), at: start)
    let later = start + 31 * 24 * hour
    offences = after(offences, .meter(meter("a")), at: later)
    #expect(offences.map(\.count) == [1])
    #expect(policy.verdict(on: offences, meter: "a", now: later) == .free)
  }

  @Test func strangersAreNotCollected() {
    var offences = after([], .meter(meter("known", isKnown: true)), at: start)
    for number in 0..<500 { offences = after(offences, .meter(meter("s\(number)")), at: start + Int64(number)) }
    #expect(offences.count == QuarantinePolicy.mostStrangers + 1)
    #expect(offences.contains { $0.meter?.name == "known" } && offences.contains { $0.meter?.name == "s499" })
  }

  @Test func strangersCountAsOne() {
    var offences: [DriverOffence] = []
    for number in 0..<50 { offences = after(offences, .meter(meter("s\(number)")), at: start) }
    #expect(policy.verdict(on: offences, meter: nil, now: start) == .free)
    offences = after(offences, .meter(meter("known", isKnown: true)), at: start)
    #expect(policy.verdict(on: offences, meter: nil, now: start) == .free)
    offences = after(offences, .meter(meter("known too", isKnown: true)), at: start)
    guard case .bundleSetAside = policy.verdict(on: offences, meter: nil, now: start + 1000 * hour) else {
      Issue.record("three witnesses were not enough")
      return
    }
  }

  @Test func oneMeterIsOneWitnessHoweverOften() {
    var offences: [DriverOffence] = []
    for _ in 0..<20 { offences = after(offences, .meter(meter("a", isKnown: true)), at: start) }
    #expect(policy.verdict(on: offences, meter: "b", now: start) == .free)
  }

  @Test func aFaultOfTheBundleKeepsItAwayUntilItIsLifted() {
    let offences = after([], .bundle, at: start)
    for meter in [nil, "a"] {
      guard case .bundleSetAside(let offence) = policy.verdict(on: offences, meter: meter, now: start + 9999 * hour)
      else {
        Issue.record("it is used")
        return
      }
      #expect(offence.message == "it crashed" && offence.rule == "R24")
    }
  }

  @Test func successForgetsThePairAndNothingElse() {
    let offences = after(
      after(after([], .meter(meter("a")), at: start), .meter(meter("b")), at: start), .bundle, at: start)
    #expect(policy.offences(offences, afterSuccessWith: "a").map(\.meter?.name) == ["b", nil])
  }

  @Test(arguments: DriverFault.Code.allCases)
  func whatTheHostOrTheCallerDidIsNoOffence(code: DriverFault.Code) {
    #expect(policy.isOffence(crash(code)) == [.brokeRule, .crashed, .hung, .brokeProtocol].contains(code))
  }
}
