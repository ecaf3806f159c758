import BluetoothWire
import Testing

@testable public import MeterBluetooth

extension RadioSchedule.AdapterID: ExpressibleByIntegerLiteral {
  /// The one of this number.
  public init(integerLiteral value: UInt64) { self.init(value) }
}

extension RadioSchedule.DemandID: ExpressibleByIntegerLiteral {
  /// The one of this number.
  public init(integerLiteral value: UInt64) { self.init(value) }
}

extension RadioSchedule.WorkID: ExpressibleByIntegerLiteral {
  /// The one of this number.
  public init(integerLiteral value: UInt64) { self.init(value) }
}

/// Commands in words, so that a test can say what it expects in a line.
extension RadioSchedule.Command {
  var word: String {
    switch self {
    case .listen(let adapter, let listens): "\(listens ? "listen" : "pause") \(adapter.rawValue)"
    case .start(let work):
      "start \(work.id.rawValue): meter \(work.meter.value) for \(work.demand.rawValue) on \(work.adapter.rawValue)"
    case .stop(let work): "stop \(work.rawValue)"
    case .handOver(let work, let demand): "hand over \(work.rawValue) to \(demand.rawValue)"
    case .finished(let demand): "finished \(demand.rawValue)"
    case .expired(let demand): "expired \(demand.rawValue)"
    case .busy(let demand): "busy \(demand.rawValue)"
    }
  }
}

/// A schedule with adapters that listen when they are told, and a clock that the test moves.
struct ScheduleBench {
  var watched: WatchedSchedule
  private(set) var seconds = 0.0

  /// - Parameter adapters: The slots of adapters 0, 1 and so on.
  init(slots adapters: Int..., policy: RadioSchedule.Policy = .exact, pauses: Bool = false) {
    watched = WatchedSchedule(policy: policy)
    for (index, slots) in adapters.enumerated() {
      let id = RadioSchedule.AdapterID(UInt64(index))
      says(.adapter(RadioSchedule.Adapter(id: id, slots: slots, hearsWhileConnecting: !pauses)))
    }
  }

  var time: Duration { .milliseconds(Int64(seconds * 1000)) }

  /// Time passes, and the schedule is woken when it wants to be.
  @discardableResult
  mutating func wait(_ span: Double) -> [String] {
    var words: [String] = []
    let end = seconds + span
    while let wake = watched.schedule.nextWake, wake <= .milliseconds(Int64(end * 1000)) {
      seconds = max(seconds, wake / .seconds(1))
      for command in watched.handle(.tick, at: wake) { words.append(command.word) }
    }
    seconds = end
    return words
  }

  /// Takes an input; adapters do at once what they are told.
  @discardableResult
  mutating func says(_ input: RadioSchedule.Input) -> [String] {
    watched.probeWake(at: time)
    var words: [String] = []
    for command in watched.handle(input, at: time) {
      words.append(command.word)
      if case .listen(let id, let listens) = command { words += says(.listening(id, listens)) }
    }
    return words
  }

  @discardableResult
  mutating func passive(_ id: RadioSchedule.DemandID, holdOff: Duration? = nil) -> [String] {
    says(.demand(RadioSchedule.Demand(id: id, .passive(holdOff: holdOff))))
  }

  @discardableResult
  mutating func person(
    _ id: RadioSchedule.DemandID, _ purpose: RadioSchedule.Purpose = .read, within span: Double = 30,
    running: Set<RadioSchedule.WorkID> = []
  ) -> [String] {
    let deadline = time + .milliseconds(Int64(span * 1000))
    return says(.demand(RadioSchedule.Demand(id: id, .interactive(purpose, deadline: deadline, running: running))))
  }

  @discardableResult
  mutating func hear(
    _ meter: UInt64, by adapter: RadioSchedule.AdapterID = 0, rssi: Int8 = -60,
    _ reach: RadioSchedule.Reach = .connectable, for fits: RadioSchedule.DemandID..., isNews: Bool = false,
    isKnown: Bool = true
  ) -> [String] {
    says(
      .heard(
        RadioSchedule.Hearing(
          meter: BluetoothAddress(value: meter), adapter: adapter, rssi: rssi, reach: reach,
          fits: fits.isEmpty ? [1] : fits, isNews: isNews, isKnown: isKnown)))
  }

  @discardableResult
  mutating func connected(_ work: RadioSchedule.WorkID) -> [String] { says(.connected(work)) }

  @discardableResult
  mutating func ended(_ work: RadioSchedule.WorkID, _ ending: RadioSchedule.Ending) -> [String] {
    says(.ended(work, ending))
  }

  /// A meter is heard every second.
  @discardableResult
  mutating func keepHearing(_ meter: UInt64, for span: Double) -> [String] {
    var words: [String] = []
    for _ in 0..<Int(span) {
      words += hear(meter)
      words += wait(1)
    }
    return words
  }

  func expectNoViolations(_ location: SourceLocation = #_sourceLocation) {
    #expect(watched.violations == [], sourceLocation: location)
  }
}

extension RadioSchedule.Policy {
  /// The defaults, with waits that are not varied.
  static var exact: RadioSchedule.Policy {
    var policy = RadioSchedule.Policy()
    policy.retryJitter = 0
    return policy
  }
}
