import BluetoothWire
import Testing

@testable import MeterBluetooth

@Suite("The schedule and its adapters")
struct AdapterScheduleTests {
  @Test("an adapter makes one connection at a time, and its slots bound its links")
  func slots() {
    var bench = ScheduleBench(slots: 2)
    bench.passive(1)
    #expect(bench.hear(1) == ["start 1: meter 1 for 1 on 0"])
    #expect(bench.hear(2) == [])
    #expect(bench.connected(1) == ["start 2: meter 2 for 1 on 0"])
    bench.connected(2)
    #expect(bench.hear(3) == [])
    #expect(bench.ended(1, .readNew) == ["start 3: meter 3 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("meters that only advertise take no slot, and are bounded for themselves")
  func advertisements() {
    var policy = RadioSchedule.Policy.exact
    policy.advertisementSessions = 2
    var bench = ScheduleBench(slots: 1, policy: policy)
    bench.passive(1)
    bench.hear(1)
    #expect(bench.hear(2, .advertisements) == ["start 2: meter 2 for 1 on 0"])
    #expect(bench.hear(3, .advertisements) == ["start 3: meter 3 for 1 on 0"])
    #expect(bench.hear(4, .advertisements) == [])
    #expect(bench.ended(2, .readNew) == ["start 4: meter 4 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("an adapter that cannot hear while it connects is told to pause")
  func pauses() {
    var bench = ScheduleBench(slots: 2, pauses: true)
    bench.passive(1)
    #expect(bench.hear(1) == ["pause 0", "start 1: meter 1 for 1 on 0"])
    #expect(bench.connected(1) == ["listen 0"])
    bench.expectNoViolations()
  }

  @Test("adapters listen while there is a demand of any kind")
  func listening() {
    var bench = ScheduleBench(slots: 1)
    #expect(bench.says(.demand(RadioSchedule.Demand(id: 3, .listening))) == ["listen 0"])
    #expect(bench.hear(1, for: 3) == [])
    #expect(bench.passive(1) == [])
    #expect(bench.says(.withdraw(3)) == [])
    #expect(bench.says(.withdraw(1)) == ["pause 0"])
    #expect(bench.says(.adapter(RadioSchedule.Adapter(id: 4, slots: 1, hearsWhileConnecting: true))) == [])
    #expect(bench.passive(1) == ["listen 0", "listen 4"])
    bench.expectNoViolations()
  }

  @Test("a meter is read by another adapter when its own has gone")
  func adapterGone() {
    var bench = ScheduleBench(slots: 1, 1)
    bench.passive(1)
    bench.hear(1, by: 0, rssi: -40)
    bench.connected(1)
    #expect(bench.says(.adapterGone(0)) == [])
    #expect(bench.hear(1, by: 1) == [], "its work has not ended yet")
    bench.ended(1, .failed(.adapterLost))
    bench.hear(1, by: 1)
    #expect(bench.wait(1) == ["start 2: meter 1 for 1 on 1"])
    bench.expectNoViolations()
  }

  @Test("an adapter that comes back is told to listen, and has its slots")
  func adapterReturns() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.says(.adapterGone(0))
    #expect(bench.says(.adapter(RadioSchedule.Adapter(id: 0, slots: 1, hearsWhileConnecting: true))) == ["listen 0"])
    #expect(bench.hear(2) == ["start 2: meter 2 for 1 on 0"])
    #expect(bench.ended(1, .failed(.adapterLost)) == [])
    bench.expectNoViolations()
  }

  @Test("nothing begins on an adapter that is off, and it is told to listen when it is on again")
  func power() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    #expect(bench.says(.adapter(RadioSchedule.Adapter(id: 0, slots: 1, isPowered: false))) == [])
    #expect(bench.hear(1) == [])
    #expect(bench.says(.adapter(RadioSchedule.Adapter(id: 0, slots: 1, hearsWhileConnecting: true))) == ["listen 0"])
    #expect(bench.hear(1) == ["start 1: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("who was never served, and who was served longest ago, goes first")
  func fairness() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    for (work, meter) in [(1, 1), (2, 2)] as [(UInt64, UInt64)] {
      bench.hear(meter)
      bench.ended(RadioSchedule.WorkID(work), .readNew)
      bench.wait(20)
    }
    bench.hear(9)
    for meter in [2, 1, 3] as [UInt64] { bench.hear(meter) }
    #expect(bench.ended(3, .readNew) == ["start 4: meter 3 for 1 on 0"])
    #expect(bench.ended(4, .readNew) == ["start 5: meter 1 for 1 on 0"])
    #expect(bench.ended(5, .readNew) == ["start 6: meter 2 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("among equals the one that has advertised longest goes first, and one that fell silent has left the line")
  func longestAdvertising() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(9)
    for meter in [4, 3, 2] as [UInt64] {
      bench.hear(meter)
      bench.wait(2)
    }
    bench.hear(3)
    #expect(bench.ended(1, .readNew) == ["start 2: meter 3 for 1 on 0"])
    #expect(bench.ended(2, .readNew) == ["start 3: meter 2 for 1 on 0"])
    #expect(bench.ended(3, .readNew) == [], "meter 4 was silent for more than its window")
    bench.expectNoViolations()
  }

  @Test("a meter that missed its turn comes before those that are new")
  func missedTurn() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(9)
    bench.hear(1)
    bench.wait(60)
    bench.hear(2)
    bench.hear(1)
    #expect(bench.ended(1, .readNew) == ["start 2: meter 1 for 1 on 0"])
    bench.expectNoViolations()
  }

  @Test("a work that goes on and on gives way when another meter waits, and only then")
  func turns() {
    var bench = ScheduleBench(slots: 1)
    bench.passive(1)
    bench.hear(1)
    bench.connected(1)
    #expect(bench.wait(1000) == [])
    #expect(bench.hear(2) == ["stop 1"])
    bench.hear(1)
    #expect(bench.ended(1, .stopped) == ["start 2: meter 2 for 1 on 0"])
    #expect(bench.keepHearing(1, for: 119) == [])
    bench.hear(1)
    #expect(bench.wait(1) == ["stop 2"])
    bench.expectNoViolations()
  }

  @Test("what is remembered is bounded, and an obligation is not forgotten for a newcomer")
  func bounds() {
    var policy = RadioSchedule.Policy.exact
    policy.maximumMeters = 100
    var bench = ScheduleBench(slots: 1, policy: policy)
    bench.passive(1)
    bench.hear(1)
    bench.ended(1, .failed(.notPaired))
    bench.hear(2)
    for round in 0..<20 as Range<UInt64> {
      for meter in 0..<1000 as Range<UInt64> { bench.hear(1000 + round * 1000 + meter) }
      bench.wait(1)
    }
    #expect(bench.watched.schedule.rememberedMeters == 100)
    #expect(bench.watched.schedule.queuedPlaces < 1000)
    #expect(bench.watched.running.count == 1)
    bench.ended(2, .readNew)
    #expect(!bench.hear(1).contains { $0.contains("meter 1 ") })
    bench.expectNoViolations()
  }
}
