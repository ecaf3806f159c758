import BluetoothWire
import Testing

@testable import MeterBluetooth

@Suite("The schedule and passive reading")
struct PassiveScheduleTests {
  @Test(
    "a meter that was read is ignored until it was silent for its hold-off", arguments: [nil, 2, 15, 40] as [Double?])
  func holdOff(given: Double?) {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1, holdOff: given.map { .seconds($0) })
    bench.hear(1)
    bench.ended(1, .readNew)
    let expected = min(given ?? 5, 15)
    #expect(bench.keepHearing(1, for: 20) == [])
    bench.wait(expected - 1.1)
    #expect(bench.hear(1) == [], "silent for less")
    bench.wait(expected)
    #expect(bench.hear(1) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("time in which nobody listens is no silence, until the doubt is too long")
  func deafness() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.ended(1, .nothingNew)
    bench.says(.listening(0, false))
    bench.wait(30)
    bench.says(.listening(0, true))
    #expect(bench.hear(1) == [])
    bench.says(.listening(0, false))
    bench.wait(60)
    bench.says(.listening(0, true))
    #expect(bench.hear(1) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("an adapter that never heard the meter says nothing about its silence; one that has heard it does")
  func silenceNeedsAWitness() {
    var bench = ScheduleBench(slots: 1, 1)
    bench.passive(1)
    bench.hear(1)
    bench.ended(1, .readNew)
    bench.says(.listening(0, false))
    bench.wait(10)
    bench.says(.listening(0, true))
    #expect(bench.hear(1, by: 0) == [])
    bench.wait(4)
    bench.hear(1, by: 1)
    bench.says(.listening(0, false))
    bench.wait(10)
    bench.says(.listening(0, true))
    #expect(bench.hear(1, by: 0) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("a meter that never stops is read again only if the policy says so")
  func steadyMeter() {
    for rereads in [nil, Duration.seconds(60)] {
      var policy = RadioSchedule.Policy.exact
      policy.rereadsSteadyMeters = rereads
      var schedule = RadioSchedule(policy: policy)
      _ = schedule.handle(.adapter(RadioSchedule.Adapter(id: 0, slots: 1, hearsWhileConnecting: true)), at: .zero)
      _ = schedule.handle(.demand(RadioSchedule.Demand(id: 1, .passive())), at: .zero)
      let hearing = RadioSchedule.Hearing(meter: BluetoothAddress(value: 1), adapter: 0, fits: [1])
      _ = schedule.handle(.heard(hearing), at: .zero)
      _ = schedule.handle(.ended(1, .readNew), at: .zero)
      var starts = 0
      for second in 1...100 { starts += schedule.handle(.heard(hearing), at: .seconds(second)).count }
      #expect(starts == (rereads == nil ? 0 : 1))
    }
  }

  @Test("news in the advertisements ends the rest of a meter that had nothing new, and of no other")
  func news() {
    for ending in [RadioSchedule.Ending.nothingNew, .readNew] {
      var bench = ScheduleBench(slots: 1)
      bench.passive(1)
      bench.hear(1, .advertisements)
      bench.ended(1, ending)
      #expect(bench.hear(1, .advertisements) == [])
      let expected = ending == .nothingNew ? ["start 2: meter 1 for 1 on 0"] : []
      #expect(bench.hear(1, .advertisements, isNews: true) == expected)
      bench.expectNoViolations()
    }
  }

  @Test(
    "news ends the rest of a meter in the air that was read, too, if what it has brought is known again",
    arguments: [false, true])
  func newsBehindAReading(isKnownAgain: Bool) {
    var schedule = RadioSchedule(policy: .exact)
    _ = schedule.handle(.adapter(RadioSchedule.Adapter(id: 0, slots: 1, hearsWhileConnecting: true)), at: .zero)
    _ = schedule.handle(.demand(RadioSchedule.Demand(id: 1, .passive())), at: .zero)
    var hearing = RadioSchedule.Hearing(
      meter: BluetoothAddress(value: 1), adapter: 0, reach: .advertisements, fits: [1])
    #expect(schedule.handle(.heard(hearing), at: .zero).count == 1)
    _ = schedule.handle(.courtesy(1, RadioSchedule.Courtesy(isKnownAgain: isKnownAgain)), at: .zero)
    _ = schedule.handle(.ended(1, .readNew), at: .zero)
    #expect(schedule.handle(.heard(hearing), at: .seconds(1)).isEmpty, "a repeat")
    hearing.isNews = true
    #expect(schedule.handle(.heard(hearing), at: .seconds(2)).count == (isKnownAgain ? 1 : 0))
  }

  @Test("after a failure the first retry is quick, and the waits grow to minutes")
  func backoff() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    var work: UInt64 = 1
    #expect(bench.hear(1).count == 1)
    for delay in [1, 3, 9, 27, 81, 243, 600, 600] as [Double] {
      bench.ended(RadioSchedule.WorkID(work), .failed(.communication))
      #expect(bench.keepHearing(1, for: delay - 1) == [])
      bench.hear(1)
      work += 1
      #expect(bench.wait(1) == ["start \(work): meter 1 for 1 on 0"], "after \(delay)")
    }
    bench.expectNoViolations()
  }

  @Test("success, and half an hour without a failure, make the next retry quick again")
  func backoffIsForgotten() {
    for succeeds in [true, false] {
      var bench = ScheduleBench(slots: 1)
      bench.passive(1)
      bench.hear(1)
      bench.ended(1, .failed(.connection))
      bench.wait(1)
      bench.hear(1)
      bench.ended(2, succeeds ? .readNew : .failed(.connection))
      bench.wait(succeeds ? 20 : 1801)
      bench.hear(1)
      bench.ended(3, .failed(.connection))
      bench.hear(1)
      #expect(bench.wait(1) == ["start 4: meter 1 for 1 on 0"])
      bench.expectNoViolations()
    }
  }

  @Test("the jitter depends on meter and attempt, and keeps its bounds")
  func jitter() {
    let policy = RadioSchedule.Policy()
    var delays: Set<Duration> = []
    for seed in 0..<200 as Range<UInt64> {
      let delay = policy.retryDelay(after: 1, seed: seed)
      #expect(delay >= .milliseconds(800) && delay <= .milliseconds(1200))
      #expect(policy.retryDelay(after: 40, seed: seed) <= .seconds(720))
      delays.insert(delay)
    }
    #expect(delays.count > 190)
  }

  @Test(
    "a meter without bond or key waits for a person: the demand is changed, the meter forgiven, or hours pass",
    arguments: [RadioSchedule.Failure.notPaired, .keyMissing], 0..<3)
  func waitsForAPerson(failure: RadioSchedule.Failure, cure: Int) {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.ended(1, .failed(failure))
    #expect(bench.keepHearing(1, for: 3600) == [])
    bench.hear(1)
    switch cure {
    case 0:
      bench.passive(1)
      #expect(bench.hear(1) == ["start 2: meter 1 for 1 on 0"])
    case 1: #expect(bench.says(.forgive(BluetoothAddress(value: 1))) == ["start 2: meter 1 for 1 on 0"])
    default:
      bench.wait(5 * 3600)
      #expect(bench.hear(1) == ["start 2: meter 1 for 1 on 0"])
    }
    bench.expectNoViolations()
  }

  @Test("a meter that is not what one demand means is read for the next that fits")
  func nextFit() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.passive(2)
    #expect(bench.hear(1, for: 1, 2) == ["start 1: meter 1 for 1 on 0"])
    #expect(bench.ended(1, .failed(.otherMeter)) == ["start 2: meter 1 for 2 on 0"])
    bench.ended(2, .readNew)
    bench.wait(6)
    #expect(bench.hear(1, for: 1, 2) == ["start 3: meter 1 for 2 on 0"])
    bench.expectNoViolations()
  }

  @Test("no work of a demand that was withdrawn begins, and what runs is stopped")
  func withdrawal() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    bench.hear(2)
    #expect(bench.says(.withdraw(1)) == ["stop 1", "pause 0"])
    #expect(bench.ended(1, .stopped) == [])
    #expect(bench.hear(2) == [])
    bench.expectNoViolations()
  }
}
