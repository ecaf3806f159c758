import BluetoothWire
import Testing

@testable import MeterBluetooth

/// Meters that nobody knows are delayed, and neither delay known ones by much nor are left out.
@Suite("The schedule and unknown meters")
struct StrangerScheduleTests {
  @Test("a known meter does not wait for the connection of an unknown one, which has its turn later")
  func connectionGivesWay() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    #expect(bench.hear(10, isKnown: false) == ["start 1: meter 10 for 1 on 0"])
    #expect(bench.hear(1) == ["stop 1"])
    #expect(bench.ended(1, .stopped) == ["start 2: meter 1 for 1 on 0"])
    bench.hear(10, isKnown: false)
    #expect(bench.ended(2, .readNew) == ["start 3: meter 10 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("an unknown meter that has the last slot gives it up to a known one after ten seconds")
  func linkGivesWay() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(10, isKnown: false)
    bench.connected(1)
    #expect(bench.keepHearing(1, for: 9) == [])
    bench.hear(1)
    #expect(bench.wait(1.5) == ["stop 1"])
    #expect(bench.ended(1, .stopped) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("unknown meters get half of the slots, whoever else is there", arguments: [1, 2, 3, 4, 5])
  func half(slots: Int) {
    var bench = ScheduleBench(slots: slots)
    bench.passive(1)
    for meter in 10..<20 as Range<UInt64> {
      bench.hear(meter, isKnown: false)
      for work in bench.watched.running.keys { bench.connected(work) }
    }
    let strangers = max(1, slots / 2)
    #expect(bench.watched.running.values.filter(\.work.isStranger).count == strangers)
    for meter in 1..<9 as Range<UInt64> {
      bench.hear(meter)
      for work in bench.watched.running.keys { bench.connected(work) }
    }
    #expect(bench.watched.running.count == slots)
    bench.expectNoViolations()
  }

  @Test("a meter that was read is known from then on; one that the store knows by now is, too")
  func becomesKnown() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(10, isKnown: false)
    bench.ended(1, .readNew)
    bench.wait(60)
    bench.hear(10, isKnown: false)
    #expect(bench.watched.running[2]?.work.isStranger == false)
    bench.hear(11, isKnown: false)
    #expect(bench.hear(11, isKnown: true) == [])
    #expect(bench.ended(2, .readNew) == ["start 3: meter 11 for 1 on 0"])
    #expect(bench.watched.running[3]?.work.isStranger == false)
    bench.expectNoViolations()
  }

  @Test("an adapter that is deaf while it connects listens between two attempts with unknown meters")
  func listensBetween() {
    var bench = ScheduleBench(slots: 4, pauses: true)
    bench.passive(1)
    #expect(bench.hear(10, isKnown: false) == ["pause 0", "start 1: meter 10 for 1 on 0"])
    bench.wait(3)
    #expect(bench.ended(1, .failed(.connection)) == ["listen 0"])
    bench.hear(11, isKnown: false)
    bench.wait(2)
    #expect(bench.hear(11, isKnown: false) == [], "as long as it was deaf")
    let words = bench.wait(1.1)
    #expect(words.contains("start 2: meter 11 for 1 on 0"))
    bench.expectNoViolations()
  }

  @Test(
    "addresses without end cost a bounded number of attempts and places, and a known meter nothing", arguments: [1, 4])
  func rotating(slots: Int) {
    var bench = ScheduleBench(slots: slots)
    var crowd = RefusingCrowd()
    bench.passive(1)
    for second in 0..<600 {
      for number in 0..<10 as Range<UInt64> {
        bench.hear(1000 + UInt64(second) * 10 + number, isKnown: false)
        crowd.refuse(&bench)
      }
      bench.wait(1)
      crowd.refuse(&bench)
      guard second == 300 else { continue }
      bench.hear(1)
      #expect(bench.watched.running.values.contains { $0.work.meter == BluetoothAddress(value: 1) }, "at once")
      for (id, running) in bench.watched.running where running.work.meter == BluetoothAddress(value: 1) {
        bench.ended(id, .readNew)
      }
    }
    // A minute ahead, and half of ten minutes, each attempt a second.
    #expect((300...380).contains(crowd.attempts), "\(crowd.attempts)")
    #expect(bench.watched.schedule.rememberedMeters <= bench.watched.policy.maximumStrangers + 1)
    #expect(bench.watched.schedule.queuedPlaces < 4 * bench.watched.policy.maximumMeters)
    bench.expectNoViolations()
  }

  @Test("an unknown meter that stays is read in half a minute although new addresses come without end")
  func staysAmongRotating() {
    var bench = ScheduleBench(slots: 4)
    var silent = SilentCrowd()
    bench.passive(1)
    for second in 0..<120 {
      for number in 0..<10 as Range<UInt64> { bench.hear(1000 + UInt64(second) * 10 + number, isKnown: false) }
      if second >= 20 { bench.hear(7, isKnown: false) }
      silent.pass(1, &bench)
      if silent.started(7) { return #expect(second < 50, "\(second)") }
    }
    Issue.record("it was never read")
  }

  @Test("behind twenty silent ones that stay, an unknown meter is read in three minutes, and a known one in a second")
  func behindTwenty() {
    var bench = ScheduleBench(slots: 4)
    var silent = SilentCrowd()
    bench.passive(1)
    var found: Int?
    for second in 0..<300 {
      for meter in 10..<30 as Range<UInt64> { bench.hear(meter, isKnown: false) }
      if second >= 1 { bench.hear(7, isKnown: false) }
      let asks = second % 30 == 10
      if asks { bench.hear(UInt64(second)) }
      silent.pass(1, &bench)
      if asks { #expect(silent.started(UInt64(second)), "a known one at \(second)") }
      if found == nil, silent.started(7) { found = second }
    }
    #expect(found ?? 300 < 180)
    bench.expectNoViolations()
  }

  @Test("an unknown meter that has waited for ten minutes goes before a known one that never lets go")
  func neverPassedOver() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    for _ in 0..<599 {
      bench.hear(1)
      #expect(bench.hear(10, isKnown: false) == [])
      bench.wait(1)
    }
    var words: [String] = []
    for _ in 0..<3 {
      words += bench.hear(10, isKnown: false)
      words += bench.wait(1)
    }
    #expect(words == ["stop 1"])
    bench.hear(1)
    #expect(bench.ended(1, .stopped) == ["start 2: meter 10 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("what was promised to a known meter is not forgotten for a crowd")
  func keepsKnown() {
    var policy = RadioSchedule.Policy.exact
    policy.maximumMeters = 100
    policy.maximumStrangers = 60
    var bench = ScheduleBench(slots: 2, policy: policy)
    bench.passive(1)
    for meter in 1..<40 as Range<UInt64> {
      bench.hear(meter)
      bench.ended(RadioSchedule.WorkID(meter), .failed(.notPaired))
    }
    for round in 0..<20 as Range<UInt64> {
      for meter in 0..<500 as Range<UInt64> { bench.hear(1000 + round * 1000 + meter, isKnown: false) }
      bench.wait(1)
    }
    #expect(bench.watched.schedule.rememberedMeters <= 100)
    for meter in 1..<40 as Range<UInt64> { #expect(!bench.hear(meter).contains { $0.contains("meter \(meter) ") }) }
    // And a new known one has room, whoever is there.
    let words = bench.hear(50)
    #expect(words.contains { $0.contains("meter 50 ") || $0.hasPrefix("stop") })
    bench.expectNoViolations()
  }

  @Test("a person does not wait for an unknown meter that is being read, which has its turn later")
  func personDoesNotWait() {
    var bench = ScheduleBench(slots: 2)
    bench.passive(1)
    bench.hear(10, isKnown: false)
    bench.connected(1)
    bench.hear(2)
    bench.connected(2)
    #expect(bench.person(9, running: [1, 2]) == ["hand over 1 to 9", "hand over 2 to 9"])
    #expect(bench.wait(2.9) == [])
    #expect(bench.wait(0.1) == ["stop 1"], "a known one goes on")
    #expect(bench.ended(2, .failed(.communication)) == [])
    // The slot of the other is free, and the unknown one still ends.
    #expect(bench.hear(1, for: 1, 9) == ["start 3: meter 1 for 9 on 0"])
    bench.connected(3)
    #expect(bench.ended(1, .stopped) == [])
    bench.hear(10, isKnown: false)
    #expect(bench.ended(3, .readNew) == ["finished 9", "start 4: meter 10 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("an unknown meter that is the person's own is read for the person, or has been when it was through")
  func personsOwn() {
    for ending in [RadioSchedule.Ending.stopped, .readNew] {
      var bench = ScheduleBench(slots: 1)
      bench.passive(1)
      bench.hear(10, isKnown: false)
      bench.connected(1)
      #expect(bench.person(9, running: [1]) == ["hand over 1 to 9"])
      if ending == .stopped { #expect(bench.wait(3) == ["stop 1"]) }
      #expect(bench.ended(1, ending) == (ending == .readNew ? ["finished 9"] : []))
      if ending == .stopped {
        #expect(bench.hear(10, for: 1, 9, isKnown: false) == ["start 2: meter 10 for 9 on 0"])
        #expect(bench.ended(2, .readNew) == ["finished 9"])
      }
      bench.expectNoViolations()
    }
  }

  @Test("what an unknown meter has brought is not the person's, who waits for another")
  func othersReadings() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(10, isKnown: false)
    bench.connected(1)
    bench.person(9, running: [1])
    #expect(bench.hear(1, for: 1, 9) == [], "there is no slot")
    #expect(bench.ended(1, .readNew) == ["start 2: meter 1 for 9 on 0"])
    #expect(bench.ended(2, .nothingNew) == ["finished 9"])
    bench.expectNoViolations()
  }

  @Test("an unknown meter that goes on showing what it has brought is not read again for the person")
  func showsOn() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(10, isKnown: false)
    bench.connected(1)
    bench.person(9, running: [1])
    #expect(bench.hear(1, for: 1, 9) == [], "there is no slot")
    #expect(bench.ended(1, .readNew) == ["start 2: meter 1 for 9 on 0"])
    #expect(bench.hear(10, for: 1, 9, isKnown: false) == [])
    #expect(bench.ended(2, .failed(.otherMeter)) == [], "the slot is free, and nobody is left whom the person may mean")
    #expect(bench.hear(10, for: 1, 9, isKnown: false) == [])
    #expect(bench.wait(60).first == "expired 9")
    bench.expectNoViolations()
  }

  @Test("a person's read tries the known meter first, and goes on when an unknown one fails")
  func person() {
    var bench = ScheduleBench(slots: 1)
    bench.person(9)
    #expect(bench.hear(10, for: 9, isKnown: false) == ["start 1: meter 10 for 9 on 0"])
    bench.hear(11, for: 9, isKnown: false)
    bench.hear(1, for: 9)
    #expect(bench.ended(1, .failed(.communication)) == ["start 2: meter 1 for 9 on 0"])
    #expect(bench.ended(2, .failed(.communication)).first == "finished 9", "its failure is the person's answer")
    bench.expectNoViolations()
  }
}

/// Unknown meters that refuse each link at once.
private struct RefusingCrowd {
  var attempts = 0

  mutating func refuse(_ bench: inout ScheduleBench) {
    var isOver = false
    while !isOver {
      isOver = true
      for (id, running) in bench.watched.running where running.work.isStranger {
        attempts += 1
        bench.ended(id, running.isStopping ? .stopped : .failed(.connection))
        isOver = false
      }
    }
  }
}

/// Unknown meters that take the link and say nothing for five seconds; known ones are read in one.
private struct SilentCrowd {
  private var begun: [RadioSchedule.WorkID: Double] = [:]
  private var meters: Set<BluetoothAddress> = []

  func started(_ meter: UInt64) -> Bool { meters.contains(BluetoothAddress(value: meter)) }

  mutating func pass(_ seconds: Int, _ bench: inout ScheduleBench) {
    for _ in 0..<seconds * 10 {
      for (id, running) in bench.watched.running.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        meters.insert(running.work.meter)
        if running.isStopping {
          bench.ended(id, .stopped)
        } else if let start = begun[id] {
          let isDone = bench.seconds - start >= (running.work.isStranger ? 5 : 1)
          if isDone { bench.ended(id, running.work.isStranger ? .failed(.communication) : .readNew) }
        } else {
          begun[id] = bench.seconds
          bench.connected(id)
        }
      }
      bench.wait(0.1)
    }
  }
}
