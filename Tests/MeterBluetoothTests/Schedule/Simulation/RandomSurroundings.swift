import BluetoothWire
import TestSupport

@testable import MeterBluetooth

/// Adapters, meters, demands and an executor that do anything they may, in any order.
struct RandomSurroundings {
  var watched: WatchedSchedule
  private var random: SeededGenerator
  private var now = Duration.zero
  private var nextDemand: UInt64 = 100
  private(set) var starts = 0
  private let isPunctual: Bool
  /// Whether some of the meters are unknown until they are read.
  private let hasStrangers: Bool

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    var policy = RadioSchedule.Policy.readingOnce
    policy.advertisementSessions = 2
    policy.longestTurn = .seconds(20)
    let remembersAll = seed % 4 != 0
    if !remembersAll { policy.maximumMeters = 6 }
    watched = WatchedSchedule(policy: policy, remembersAll: remembersAll)
    isPunctual = seed % 3 != 0
    hasStrangers = seed % 5 < 2
    tell(.adapter(anyAdapter()))
    tell(.demand(RadioSchedule.Demand(id: 1, .passive())))
  }

  private mutating func number(_ range: Range<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
  private mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
  private mutating func anyID() -> RadioSchedule.AdapterID { RadioSchedule.AdapterID(number(0..<3)) }

  private mutating func anyAdapter() -> RadioSchedule.Adapter {
    RadioSchedule.Adapter(
      id: anyID(), slots: Int(number(0..<4)), isPowered: !once(in: 6), hearsWhileConnecting: once(in: 2))
  }

  private mutating func tell(_ input: RadioSchedule.Input) {
    for command in watched.handle(input, at: now) {
      if case .start = command { starts += 1 }
      // Mostly the adapter does what it was told; sometimes it takes until the next step that says so.
      if case .listen(let id, let listens) = command, !once(in: 10) { tell(.listening(id, listens)) }
    }
  }

  /// Lets time pass and something happen.
  mutating func step() {
    pass(.milliseconds(Int64(once(in: 20) ? number(0..<30_000) : number(0..<1500))))
    switch number(0..<24) {
    case 0: tell(.adapter(anyAdapter()))
    case 1: tell(once(in: 3) ? .adapterGone(anyID()) : .listening(anyID(), true))
    case 2: tell(.demand(RadioSchedule.Demand(id: passiveID(), .passive(holdOff: .seconds(Int(number(0..<20)))))))
    case 3: tell(.withdraw(once(in: 2) ? passiveID() : watched.interactive ?? 3))
    case 4: person()
    case 5: tell(.forgive(meter()))
    case 6: tell(.demand(RadioSchedule.Demand(id: 90, .listening)))
    case 7..<10: connect()
    case 10..<14: end()
    case 14: serve()
    default: hear()
    }
  }

  private mutating func passiveID() -> RadioSchedule.DemandID { RadioSchedule.DemandID(number(1..<4)) }
  private mutating func meter() -> BluetoothAddress { BluetoothAddress(value: number(1..<13)) }

  /// Time passes; a punctual executor wakes the schedule when it wants to be woken, another one when something happens.
  private mutating func pass(_ span: Duration) {
    let end = now + span
    while isPunctual, let wake = watched.schedule.nextWake, wake <= end {
      now = max(now, wake)
      tell(.tick)
    }
    if isPunctual { watched.probeWake(at: end) }
    now = end
  }

  private mutating func person() {
    let running = watched.running.keys.sorted { $0.rawValue < $1.rawValue }.filter { $0.rawValue % 3 == 0 }
    let deadline = now + .seconds(Int(number(0..<30)))
    let kind = RadioSchedule.Demand.Kind.interactive(
      once(in: 4) ? .pair : .read, deadline: deadline, running: Set(running))
    nextDemand += 1
    tell(.demand(RadioSchedule.Demand(id: RadioSchedule.DemandID(nextDemand), kind)))
  }

  private mutating func hear() {
    let meter = meter()
    var fits: [RadioSchedule.DemandID] = []
    for id in 1..<4 as Range<UInt64> where once(in: 2) { fits.append(RadioSchedule.DemandID(id)) }
    if let interactive = watched.interactive, once(in: 2) { fits.append(interactive) }
    let reach: RadioSchedule.Reach =
      once(in: 10) ? .notConnectable : meter.value % 3 == 0 ? .advertisements : .connectable
    tell(
      .heard(
        RadioSchedule.Hearing(
          meter: meter, adapter: anyID(), rssi: Int8(truncatingIfNeeded: number(0..<256)), reach: reach, fits: fits,
          isNews: once(in: 4), isKnown: !hasStrangers || meter.value % 2 == 0)))
  }

  private mutating func anyWork() -> RadioSchedule.WorkID? {
    watched.running.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
  }

  private mutating func connect() { if let work = anyWork() { tell(.connected(work)) } }

  private mutating func serve() {
    let endings: [RadioSchedule.Ending] = [.readNew, .nothingNew, .stopped]
    tell(
      .served(meter(), endings.randomElement(using: &random) ?? .stopped, holdOff: .seconds(Int(number(0..<20)))))
  }

  private mutating func end() {
    guard let work = anyWork() else { return }
    let failures = RadioSchedule.Failure.allCases.map { RadioSchedule.Ending.failed($0) }
    let endings = failures + [.readNew, .readNew, .readNew, .nothingNew, .nothingNew, .stopped, .stopped]
    tell(.ended(work, endings.randomElement(using: &random) ?? .stopped))
  }

  /// Withdraws all demands, and ends the works, which must have been told to stop.
  mutating func settle() {
    for id in watched.demands.keys.sorted(by: { $0.rawValue < $1.rawValue }) { tell(.withdraw(id)) }
    for work in watched.running.values where !work.isStopping { watched.complain("\(work.work) was not told to stop") }
    for id in watched.running.keys.sorted(by: { $0.rawValue < $1.rawValue }) { tell(.ended(id, .stopped)) }
    let before = starts
    for _ in 0..<100 { hear() }
    var wakes = 0
    while let wake = watched.schedule.nextWake, wakes < 1000 {
      now = max(now, wake)
      wakes += 1
      tell(.tick)
    }
    if starts != before { watched.complain("work begins without a demand") }
    if wakes >= 1000 { watched.complain("it is woken for ever") }
  }
}
