import CMeterDriver
@testable import DriverTestBench
import TestSupport
import Testing

/// Contexts name their measurement by number, and numbers begin again.
@Suite struct GlucoseContextOrderTests {
  typealias Meter = OrderedGlucoseMeter
  typealias Reading = OrderedGlucoseMeter.Reading

  static let glucose = Reading(number: 5, minute: 480, value: 81, meal: 1)
  static let ketone = Reading(number: 5, minute: 1920, value: 25, meal: 6)
  static let bare = Reading(number: 5, minute: 480, value: 81)

  /// An order of arrival: "m" and "c" are of the first reading, "M" and "C" of the second, which has its number.
  static func packets(_ order: String, _ first: Reading) -> [TestEvent] {
    order.flatMap { packet -> [TestEvent] in
      switch packet {
      case "m": [first.measurement]
      case "c": glucose.context
      case "M": [ketone.measurement]
      case "C": ketone.context
      default: [Reading(number: 6, minute: 2000, value: 99, meal: 2).measurement]
      }
    } + [.indication(16, [6, 0, 1, 1])]
  }

  /// Of a meter that sends a context right behind or right before its measurement, blocks that come twice included.
  @Test(arguments: ["mcMC", "MCmc", "cmCM", "CMcm", "mcMCmcMC", "mcmcMC", "mmccMMCC", "cmCMcmCM"], [true, false])
  func theOrderTellsWhoseAContextIs(order: String, decides: Bool) throws {
    let bench = try OrderBench(decides: decides)
    let isFinished = try bench.read { _ in Self.packets(order, Self.glucose) }
    #expect(isFinished && bench.faults(Self.glucose).isEmpty && bench.faults(Self.ketone).isEmpty)
    #expect(bench.meal(480) == 1 && !bench.isHeld(480))
    // Where the meal code means nothing, it is a doubt.
    #expect(bench.isHeld(1920) == !decides && bench.value(1920) == (decides ? 2.5 : 25))
  }

  /// Where it does not tell, nothing is delivered as a number of a certain analyte.
  @Test(arguments: ["mMcC", "mMCc", "cCmM", "CcmM", "mMC", "mMc", "cmMC", "mc6MC6C", "mcM6C"], [true, false])
  func anUnclearOrderIsHeld(order: String, decides: Bool) throws {
    let bench = try OrderBench(decides: decides)
    try bench.read { _ in Self.packets(order, Self.glucose) }
    #expect(bench.faults(Self.glucose).isEmpty && bench.faults(Self.ketone).isEmpty)
    #expect(bench.isHeld(1920), "\(bench.forms)")
    #expect(bench.forms[1920]?.last?.texts.isEmpty == false, "a person reads why")
  }

  /// One of the two announces no context: the context is not its own, on whichever side it comes.
  @Test(arguments: ["mMC", "mCM", "MCm", "CMm"], [true, false])
  func whatAnnouncesNoContextGetsNone(order: String, decides: Bool) throws {
    let bench = try OrderBench(decides: decides)
    #expect(try bench.read { _ in Self.packets(order, Self.bare) })
    #expect(bench.faults(Self.bare).isEmpty && bench.faults(Self.ketone).isEmpty && bench.meal(480) == nil)
    #expect(!bench.isHeld(480) && bench.value(1920) == (decides ? 2.5 : 25))
  }

  /// A meter that was reset, has counted to the cursor again, and deletes what it has sent when its answer is confirmed.
  @Test(arguments: [true, false]) func aMeterThatDeletesLosesNothingForADoubt(decides: Bool) throws {
    let bench = try OrderBench(decides: decides)
    let old = Reading(number: 3, minute: 1440, value: 101, meal: decides ? 1 : nil)
    #expect(try bench.read(Meter(memory: [old])))
    let new = [
      Reading(number: 3, minute: 2880, value: 111, meal: 1), Reading(number: 4, minute: 4320, value: 112),
      Reading(number: 5, minute: 5760, value: 25, meal: 6),
    ]
    var meter = Meter(memory: new)
    try bench.read { request in
      defer { meter.memory = [] }
      return meter.answer(request)
    }
    for reading in new { #expect(bench.faults(reading).isEmpty && bench.isHeld(reading.minute), "\(reading)") }
  }

  /// The numbering begins again, and what was read before stays in the memory.
  @Test(arguments: Meter.Contexts.allCases, [true, false])
  func aNewBatteryChangesNoAnalyte(contexts: Meter.Contexts, isNewestFirst: Bool) throws {
    let bench = try OrderBench(decides: true)
    let old = (1...3).map { Reading(number: UInt16($0), minute: $0 * 1440, value: 100 + 10 * $0, meal: 1) }
    let new = [
      Reading(number: 1, minute: 5800, value: 25, meal: 6), Reading(number: 2, minute: 7200, value: 99, meal: 2),
    ]
    var meter = Meter(memory: old, contexts: contexts, isNewestFirst: isNewestFirst)
    #expect(try bench.read(meter))
    let before = bench.forms
    meter.memory += new
    #expect(try bench.read(meter))
    #expect((old + new).allSatisfy { bench.faults($0).isEmpty })
    #expect(old.allSatisfy { bench.forms[$0.minute] == before[$0.minute] }, "what was delivered is not revised")
    let isClear = contexts == .behind || contexts == .before
    #expect(new.allSatisfy { bench.isHeld($0.minute) == !isClear })
    if isClear { #expect(bench.value(5800) == 2.5 && bench.meal(7200) == 2) }
    // A read in which the contexts are lost takes none back.
    meter.losesContexts = true
    let after = bench.forms
    #expect(try bench.read(meter))
    #expect(bench.forms == after)
  }

  /// Every reading of a meter that is read after each step, whatever number it has by then.
  @Test(arguments: [true, false], [true, false])
  func noReadingIsLostBesideAnEarlierLife(isNewestFirst: Bool, isCleared: Bool) throws {
    let bench = try OrderBench(decides: false)
    var meter = Meter(isNewestFirst: isNewestFirst)
    var made: [Reading] = []
    for (step, numbers) in [[1, 2, 3], [1], [2], [3, 4], [5], [6, 7, 8]].enumerated() {
      if isCleared, step == 1 { meter.memory = [] }
      for number in numbers {
        let reading = Reading(number: UInt16(number), minute: 1000 * (made.count + 1), value: 101 + made.count)
        made.append(reading)
        meter.memory.append(reading)
      }
      #expect(try bench.read(meter))
      #expect(made.allSatisfy { bench.faults($0).isEmpty && bench.forms[$0.minute]?.count == 1 })
    }
  }

  /// A meter that was reset and has counted past the last reading that was read from it.
  @Test(arguments: [true, false], [4, 5, 9])
  func aMeterThatHasCountedPastTheCursorIsReadWhole(isCleared: Bool, count: Int) throws {
    let bench = try OrderBench(decides: false)
    let old = (1...3).map { Reading(number: UInt16($0), minute: $0 * 100, value: 100 + $0) }
    let new = (1...count).map { Reading(number: UInt16($0), minute: 1000 + $0 * 100, value: 200 + $0) }
    #expect(try bench.read(Meter(memory: old)))
    #expect(try bench.read(Meter(memory: isCleared ? new : old + new)))
    #expect((old + new).allSatisfy { bench.faults($0).isEmpty })
    // With the new records alone, the next read asks for what is new.
    try bench.read(Meter(memory: isCleared ? new : old + new))
    #expect(bench.requests.first == (isCleared ? [1, 3, 1, UInt8(count), 0] : [1, 1]))
  }

  /// The answer overtakes what it is about.
  @Test(arguments: [true, false], 1...3)
  func aContextBehindTheAnswerIsWaitedFor(decides: Bool, overtaken: Int) throws {
    let bench = try OrderBench(decides: decides)
    let readings = (5...7).map { Reading(number: UInt16($0), minute: $0 * 100, value: 100 + $0, meal: 2) }
    var meter = Meter(memory: readings, contexts: overtaken == 1 ? .behind : .behindAll)
    meter.overtaken = overtaken
    #expect(try bench.read(meter))
    #expect(readings.allSatisfy { bench.faults($0).isEmpty && bench.meal($0.minute) == 2 })
    // Judged together, too, beside an earlier life.
    let later = (6...8).map { Reading(number: UInt16($0), minute: 500 + $0 * 100, value: 200 + $0, meal: 3) }
    meter.memory += later.prefix(2)
    meter.overtaken = 0
    #expect(try bench.read(meter))
    meter.memory.append(later[2])
    meter.overtaken = 1
    #expect(try bench.read(meter))
    #expect(bench.requests == [[1, 1]] && bench.meal(1300) == 3 && !bench.isHeld(1300))
    #expect((readings + later).allSatisfy { bench.faults($0).isEmpty })
  }

  /// A meter that cannot send contexts is not waited for.
  @Test func withoutContextsTheAnswerEndsTheSession() throws {
    let host = try TestHost(bundle: "glucose")
    let session = try host.open()
    session.commit(.services(GlucoseBench.handles, service: 0x1808))
    for (token, status) in [(1, 0), (2, 5), (3, 0)] as [(UInt64, Int32)] {
      session.commit(.subscribed(token: token, status: status))
    }
    session.commit(Self.glucose.measurement)
    let end = session.commit(.indication(16, [6, 0, 1, 1]))
    #expect(end.records.count == 1 && end.actions.map(\.kind) == [MH_DO_CANCEL_TIMER, MH_DO_FINISH])
  }

  /// Random lives of a meter, read at random moments over links that break at random: whatever is delivered has its own analyte and
  /// context or is held; nothing is lost, and nothing doubled.
  @Test(arguments: Meter.Contexts.allCases, [true, false])
  func randomLivesAreReadWhole(contexts: Meter.Contexts, decides: Bool) throws {
    let place = Meter.Contexts.allCases.firstIndex(of: contexts) ?? 0
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed &* 8 &+ UInt64(place * 2) &+ (decides ? 1 : 0))
      let bench = try OrderBench(decides: decides)
      var meter = Meter(contexts: contexts, isNewestFirst: Bool.random(using: &generator))
      var number = ([0, 1, 65530] as [UInt16]).randomElement(using: &generator) ?? 0
      for _ in 0..<8 {
        if Int.random(in: 0..<4, using: &generator) == 0 { number = UInt16.random(in: 0...1, using: &generator) }
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let meal: UInt8? =
            (decides ? [nil, 1, 2, 6] : [nil, 1, 2, 3] as [UInt8?]).randomElement(using: &generator) ?? nil
          let place = meter.memory.count
          meter.memory.append(
            Reading(number: number, minute: 10 + place * 61, value: meal == 6 ? 10 + place : 100 + place, meal: meal))
          number &+= 1
        }
        meter.overtaken = Int.random(in: 0...2, using: &generator)
        meter.repeats = Int.random(in: 0..<5, using: &generator) == 0
        meter.losesContexts = Int.random(in: 0..<8, using: &generator) == 0
        let limit = Bool.random(using: &generator) ? Int.random(in: 6...60, using: &generator) : .max
        try bench.read(meter, droppingAfter: limit)
      }
      (meter.overtaken, meter.repeats, meter.losesContexts) = (0, false, false)
      for _ in 0..<2 { try bench.read(meter) }
      #expect(try bench.read(meter), "seed \(seed)")
      for reading in meter.memory {
        let faults = bench.faults(reading)
        #expect(faults.isEmpty, "seed \(seed), number \(reading.number) at \(reading.minute): \(faults)")
      }
    }
  }
}
