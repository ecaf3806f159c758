import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import MeterBluetooth

/// A host that stops waits for what is under way: for its end, not for a clock that is looked at now and then.
@Suite("Passive turns under way", .timeLimit(.minutes(10)))
struct PassiveTurnsTests {
  private let clock = StoppedClock()
  private let turns: PassiveTurns

  init() { turns = PassiveTurns(clock: clock) }

  private static func work(_ number: UInt64) -> RadioSchedule.WorkID { RadioSchedule.WorkID(number) }

  @Test("are waited for until the last has ended, while the clock stands still")
  func last() async {
    let course = Mutex<[String]>([])
    for number in UInt64(1)...3 { _ = turns.begin(Self.work(number)) }
    async let waiting: Void = {
      await turns.ended(within: .seconds(5))
      course.withLock { $0.append("waited") }
    }()
    await clock.someoneSleeps()
    for number in UInt64(1)...3 {
      // Time for one who would not wait for all.
      for _ in 0..<100 { await Task.yield() }
      course.withLock { $0.append("end \(number)") }
      turns.end(Self.work(number))
    }
    await waiting
    #expect(course.withLock(\.self) == ["end 1", "end 2", "end 3", "waited"])
    #expect(clock.now == .boot)
  }

  @Test("are waited for no longer than somebody has patience, and again by the next")
  func patience() async {
    _ = turns.begin(Self.work(1))
    async let first: Void = turns.ended(within: .seconds(5))
    await clock.someoneSleeps()
    clock.advance(by: .seconds(5))
    await first
    async let second: Void = turns.ended(within: .seconds(5))
    await clock.someoneSleeps()
    turns.end(Self.work(1))
    await second
    #expect(clock.now == .boot + .seconds(5))
  }

  @Test("are not waited for by a task that is cancelled, and by nobody where there are none")
  func cancelled() async {
    await turns.ended(within: .seconds(5))
    _ = turns.begin(Self.work(1))
    let waiting = Task { [turns] in await turns.ended(within: .seconds(5)) }
    await clock.someoneSleeps()
    waiting.cancel()
    await waiting.value
    #expect(clock.now == .boot)
  }

  @Test("are given up one by one")
  func givenUp() {
    let handles = (UInt64(1)...2).map { turns.begin(Self.work($0)) }
    turns.giveUp(Self.work(2))
    turns.giveUp(Self.work(3))
    #expect(handles.map(\.isCancelled) == [false, true])
    turns.end(Self.work(1))
    turns.giveUp(Self.work(1))
    #expect(!handles[0].isCancelled, "what has ended is not given up")
  }
}
