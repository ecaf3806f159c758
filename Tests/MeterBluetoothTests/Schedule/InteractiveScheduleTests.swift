import Testing

@testable import MeterBluetooth

@Suite("The schedule and a person")
struct InteractiveScheduleTests {
  @Test("a person's meter is read at once on a free slot, by the adapter that hears it best")
  func startsAtOnce() {
    var bench = ScheduleBench(slots: 1, 1)
    #expect(bench.person(9) == ["listen 0", "listen 1"])
    #expect(bench.hear(5, by: 1, rssi: -40, for: 9) == ["start 1: meter 5 for 9 on 1"])
    #expect(bench.hear(5, by: 0, rssi: -90, for: 9) == [])
    bench.expectNoViolations()
  }

  @Test("of the adapters with a free slot the one that hears best is taken, and an unknown strength is the weakest")
  func strongestFreeAdapter() {
    var bench = ScheduleBench(slots: 1, 1, 1)
    bench.passive(1)
    bench.hear(1, by: 1)
    bench.person(9)
    for adapter in [2, 1, 0] as [RadioSchedule.AdapterID] {
      let rssi: Int8 = adapter == 1 ? -30 : adapter == 2 ? 127 : -80
      if adapter == 2 { #expect(bench.hear(5, by: 2, rssi: rssi, .notConnectable, for: 9) == []) }
      if adapter == 1 { #expect(bench.hear(5, by: 1, rssi: rssi, for: 9) == [], "its slot is taken") }
      if adapter == 0 { #expect(bench.hear(5, by: 0, rssi: rssi, for: 9) == ["start 2: meter 5 for 9 on 0"]) }
    }
    bench.expectNoViolations()
  }

  @Test("passive work is asked to stop, none begins, and the person's begins when the slot is free")
  func suspendsPassive() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    #expect(bench.person(9) == ["stop 1"])
    #expect(bench.hear(2) == [])
    #expect(bench.hear(5, for: 9) == [])
    #expect(bench.ended(1, .stopped) == ["start 2: meter 5 for 9 on 0"])
    bench.connected(2)
    #expect(bench.hear(2) == [])
    #expect(bench.ended(2, .readNew) == ["finished 9", "start 3: meter 2 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("no passive work begins while a slot is free and a person waits")
  func freeSlotsWait() {
    var bench = ScheduleBench(slots: 3)
    bench.passive(1)
    bench.person(9)
    #expect(bench.hear(1) == [])
    #expect(bench.says(.withdraw(9)) == ["start 1: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("a second person is told that the radio is busy")
  func busy() {
    var bench = ScheduleBench(slots: 1)
    bench.person(8)
    #expect(bench.person(9) == ["busy 9"])
    #expect(bench.says(.withdraw(8)) == ["pause 0"])
    #expect(bench.person(9) == ["listen 0"])
    bench.expectNoViolations()
  }

  @Test("a passive read of the very meter goes on and is handed over; its records end the person's wait")
  func handOver() {
    var bench = ScheduleBench(slots: 2)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    bench.hear(2)
    #expect(bench.person(9, running: [1]) == ["hand over 1 to 9", "stop 2"])
    #expect(bench.ended(2, .stopped) == [])
    #expect(bench.wait(60) == [], "a meter that is being read was heard in time")
    #expect(bench.ended(1, .readNew) == ["finished 9"])
    bench.expectNoViolations()
  }

  @Test("a passive read that is handed over and brings nothing leaves the person a second chance")
  func handOverWithoutRecords() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.person(9, within: 5, running: [1])
    bench.wait(8)
    #expect(bench.ended(1, .nothingNew) == [])
    bench.wait(1)
    #expect(bench.hear(1, for: 1, 9) == ["start 2: meter 1 for 9 on 0"], "a rest does not hold a person back")
    #expect(bench.ended(2, .nothingNew) == ["finished 9"])
    bench.expectNoViolations()
  }

  @Test("a meter that advertises while it is read is handed over when it is heard, and never for a pairing")
  func handOverByHearing() {
    for purpose in [RadioSchedule.Purpose.read, .pair] {
      var bench = ScheduleBench(slots: 1)
      bench.passive(1)
      bench.hear(1, .advertisements)
      #expect(bench.person(9, purpose, running: purpose == .pair ? [1] : []) == ["stop 1"])
      #expect(bench.hear(1, .advertisements, for: 1, 9) == (purpose == .read ? ["hand over 1 to 9"] : []))
      bench.expectNoViolations()
    }
  }

  @Test("a passive read that does not bring what the person asks for is stopped, however the meter is heard")
  func notShared() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    let kind = RadioSchedule.Demand.Kind.interactive(
      .read, deadline: bench.time + .seconds(30), running: [1], sharesRunning: false)
    #expect(bench.says(.demand(RadioSchedule.Demand(id: 9, kind))) == ["stop 1"])
    #expect(bench.hear(1, for: 1, 9) == [])
    #expect(bench.ended(1, .readNew) == [])
    #expect(bench.hear(1, for: 1, 9) == ["start 2: meter 1 for 9 on 0"])
    #expect(bench.ended(2, .readNew) == ["finished 9"])
    bench.expectNoViolations()
  }

  @Test("the deadline passes without the meter")
  func expires() {
    var bench = ScheduleBench(slots: 1)
    bench.person(9, within: 10)
    #expect(bench.wait(9.9) == [])
    #expect(bench.wait(0.2) == ["expired 9", "pause 0"])
    #expect(bench.watched.schedule.nextWake == nil)
    bench.expectNoViolations()
  }

  @Test("a meter that was heard in time and waits for a slot does not expire")
  func waitingIsHeard() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.person(9, within: 2)
    for _ in 0..<5 {
      bench.hear(5, for: 9)
      #expect(bench.wait(1) == [])
    }
    #expect(bench.ended(1, .stopped) == ["start 2: meter 5 for 9 on 0"])
    bench.expectNoViolations()
  }

  @Test("a connection that fails is tried again for the person, but not for ever")
  func connectionRetries() {
    var bench = ScheduleBench(slots: 1)
    bench.person(9, within: 30)
    bench.hear(5, for: 9)
    #expect(bench.ended(1, .failed(.connection)) == [])
    #expect(bench.wait(1) == ["start 2: meter 5 for 9 on 0"])
    bench.ended(2, .failed(.connection))
    bench.hear(5, for: 9)
    #expect(bench.wait(1) == ["start 3: meter 5 for 9 on 0"])
    #expect(bench.ended(3, .failed(.connection)) == ["finished 9", "pause 0"])
    bench.expectNoViolations()
  }

  @Test("a meter that is something else is set aside, and the person's own is read")
  func otherMeter() {
    var bench = ScheduleBench(slots: 1)
    bench.person(9)
    bench.hear(4, for: 9)
    #expect(bench.ended(1, .failed(.otherMeter)) == [])
    #expect(bench.hear(4, for: 9) == [])
    #expect(bench.hear(5, for: 9) == ["start 2: meter 5 for 9 on 0"])
    bench.expectNoViolations()
  }

  @Test("a person's work that shows nothing about the meter leaves its rest and its wait as they were")
  func promisesOutliveAPerson() {
    for (ending, failures) in [(RadioSchedule.Ending.readNew, 0), (.failed(.driver), 2)] {
      var bench = ScheduleBench(slots: 1)
      bench.passive(1)
      bench.hear(1)
      var work: UInt64 = 1
      for _ in 0..<failures {
        bench.ended(RadioSchedule.WorkID(work), ending)
        bench.hear(1)
        bench.wait(3)
        work += 1
      }
      bench.ended(RadioSchedule.WorkID(work), ending)
      bench.person(9)
      bench.hear(1, for: 1, 9)
      bench.says(.withdraw(9))
      #expect(bench.ended(RadioSchedule.WorkID(work + 1), .stopped) == [])
      #expect(bench.hear(1) == [])
      bench.expectNoViolations()
    }
  }

  @Test(
    "other failures end the demand", arguments: [RadioSchedule.Failure.communication, .driver, .notPaired, .keyMissing])
  func failures(failure: RadioSchedule.Failure) {
    var bench = ScheduleBench(slots: 1)
    bench.person(9)
    bench.hear(5, for: 9)
    #expect(bench.ended(1, .failed(failure)) == ["finished 9", "pause 0"])
    bench.expectNoViolations()
  }

  @Test("withdrawal stops the work; what is heard later is ignored, and passive work waits for its end")
  func withdrawal() {
    var bench = ScheduleBench(slots: 2)
    bench.passive(1)
    bench.person(9)
    bench.hear(5, for: 9)
    bench.connected(1)
    #expect(bench.says(.withdraw(9)) == ["stop 1"])
    #expect(bench.hear(5, for: 9) == [])
    #expect(bench.hear(1) == [], "the person's link is still up")
    #expect(bench.ended(1, .stopped) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("meters that only advertise are read together for a person until one has something new")
  func advertisementsForAPerson() {
    var bench = ScheduleBench(slots: 1)
    bench.person(9)
    #expect(bench.hear(4, .advertisements, for: 9) == ["start 1: meter 4 for 9 on 0"])
    #expect(bench.hear(5, .advertisements, for: 9) == ["start 2: meter 5 for 9 on 0"])
    #expect(bench.ended(1, .nothingNew) == [])
    #expect(bench.hear(4, .advertisements, for: 9) == [], "it says the same again")
    #expect(bench.hear(4, .advertisements, for: 9, isNews: true) == ["start 3: meter 4 for 9 on 0"])
    #expect(bench.ended(3, .readNew) == ["finished 9", "stop 2", "pause 0"])
    bench.expectNoViolations()
  }

  @Test("a pairing lifts what kept the meter waiting for a person, and it is read at once")
  func pairing() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.ended(1, .failed(.notPaired))
    bench.person(9, .pair)
    bench.hear(1, for: 1, 9)
    #expect(bench.ended(2, .readNew) == ["finished 9"])
    #expect(bench.hear(1) == ["start 3: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }
}
