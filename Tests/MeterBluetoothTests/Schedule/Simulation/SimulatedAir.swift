import BluetoothWire
import TestSupport

@testable import MeterBluetooth

/// Meters, persons and adapters around a schedule, on a clock that jumps from event to event.
struct SimulatedAir {
  enum Event {
    case measure(Int)
    case advertise(Int)
    case listening(Int, Bool)
    case connect(RadioSchedule.WorkID)
    case end(RadioSchedule.WorkID, RadioSchedule.Ending)
    case loseAdapter(Int)
    case returnAdapter(Int)
    case person(Int, meterComes: Bool)
    case wake
    case visit(Int)
    case endOfMeasuring
  }

  static let second: UInt64 = 1_000_000_000
  static let day: UInt64 = 86_400 * second

  var watched: WatchedSchedule
  var random: SeededGenerator
  var events = EventQueue<Event>()
  var meters: [SimulatedMeter] = []
  var report = SimulationReport()
  var now: UInt64 = 0
  var positions: [BluetoothAddress: Int] = [:]
  let slots: [Int]
  var isPresent: [Bool]
  var listens: [Bool]
  /// The demand of a person, the meter that it means, and when both were there; no work has begun for it yet.
  var person: (demand: RadioSchedule.DemandID, meter: Int, since: UInt64)?
  var nextDemand: UInt64 = 1000
  var plannedWake: UInt64?
  let days: Int
  /// How often the meters were switched on after the last day.
  var lastVisits = 0

  init(meters count: Int, days: Int, slots: [Int], seed: UInt64, policy: RadioSchedule.Policy = .readingOnce) {
    watched = WatchedSchedule(policy: policy)
    random = SeededGenerator(seed: seed)
    self.slots = slots
    self.days = days
    isPresent = slots.map { _ in true }
    listens = slots.map { _ in false }
    for index in 0..<count {
      meters.append(SimulatedMeter(index, adapters: slots.count, using: &random))
      positions[meters[index].address] = index
    }
    plan()
  }

  private mutating func plan() {
    for adapter in slots.indices { bring(adapter) }
    for demand in 1...12 as ClosedRange<UInt64> {
      tell(.demand(RadioSchedule.Demand(id: RadioSchedule.DemandID(demand), .passive())))
    }
    // For the steady ones, which seem silent when two of their advertisements are not heard.
    tell(.demand(RadioSchedule.Demand(id: RadioSchedule.DemandID(13), .passive(holdOff: .seconds(15)))))
    for index in meters.indices {
      if meters[index].isSteady {
        meters[index].isAdvertising = true
        events.insert(.advertise(index), at: Self.second)
      }
      for day in 0..<UInt64(days) {
        for _ in 0..<meters[index].measurementsPerDay {
          events.insert(.measure(index), at: day * Self.day + timeOfMeasurement())
        }
      }
    }
    for day in 0..<UInt64(days) {
      for adapter in slots.indices {
        for _ in 0..<3 { events.insert(.loseAdapter(adapter), at: day * Self.day + anyTime(of: Self.day)) }
      }
      for _ in 0..<20 {
        let meter = Int.random(in: meters.indices, using: &random)
        let comes = Int.random(in: 0..<10, using: &random) > 0
        events.insert(.person(meter, meterComes: comes), at: day * Self.day + timeOfMeasurement())
      }
    }
    events.insert(.endOfMeasuring, at: UInt64(days) * Self.day)
  }

  /// Most people measure in the morning and in the evening.
  private mutating func timeOfMeasurement() -> UInt64 {
    let hour = 3600 * Self.second
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: return 6 * hour + anyTime(of: 3 * hour)
    case 6..<9: return 17 * hour + anyTime(of: 4 * hour)
    default: return anyTime(of: Self.day)
    }
  }

  mutating func anyTime(of span: UInt64) -> UInt64 { UInt64.random(in: 0..<span, using: &random) }

  mutating func seconds(_ range: ClosedRange<Double>) -> UInt64 {
    UInt64(Double.random(in: range, using: &random) * 1e9)
  }

  /// Runs until nothing happens any more.
  mutating func run() -> SimulationReport {
    while let (time, event) = events.removeFirst() {
      now = time
      happen(event)
      planWake()
    }
    report.unread = meters.reduce(0) { $0 + $1.stored.count }
    report.violations = watched.violations
    return report
  }

  private mutating func happen(_ event: Event) {
    switch event {
    case .measure(let meter): measure(meter)
    case .visit(let meter): beginVisit(meter, for: 20 * Self.second)
    case .advertise(let meter): advertise(meter)
    case .listening(let adapter, let on):
      guard isPresent[adapter], listens[adapter] != on else { return }
      listens[adapter] = on
      tell(.listening(Self.id(adapter), on))
    case .connect(let work): connect(work)
    case .end(let work, let ending): end(work, ending)
    case .loseAdapter(let adapter): lose(adapter)
    case .returnAdapter(let adapter): bring(adapter)
    case .person(let meter, let comes): personComes(for: meter, meterComes: comes)
    case .wake:
      guard plannedWake == now else { return }
      plannedWake = nil
      report.wakes += 1
      tell(.tick)
    case .endOfMeasuring: endMeasuring()
    }
  }

  static func id(_ adapter: Int) -> RadioSchedule.AdapterID { RadioSchedule.AdapterID(UInt64(adapter)) }

  mutating func tell(_ input: RadioSchedule.Input) {
    for command in watched.handle(input, at: .nanoseconds(Int64(now))) { carryOut(command) }
  }

  private mutating func planWake() {
    guard let wake = watched.schedule.nextWake else { return plannedWake = nil }
    let parts = wake.components
    // Rounded up: a wake that comes early would have to come again.
    let time = UInt64(parts.seconds) * Self.second + UInt64((parts.attoseconds + 999_999_999) / 1_000_000_000)
    guard plannedWake != time else { return }
    plannedWake = time
    events.insert(.wake, at: time)
  }
}
