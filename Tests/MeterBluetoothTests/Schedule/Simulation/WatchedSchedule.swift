import BluetoothWire

@testable import MeterBluetooth

/// A schedule and a witness who knows its rules, sees its inputs and commands, and nothing of how it works.
struct WatchedSchedule {
  struct Running {
    let work: RadioSchedule.Work
    let isInteractive: Bool
    let holdOff: Duration
    var isConnecting: Bool
    var isStopping = false
    /// Its adapter is gone.
    var isOrphan = false
  }

  /// What the witness remembers of a meter.
  struct Observed {
    var heard = Duration.zero
    var fits: [RadioSchedule.DemandID] = []
    var running: RadioSchedule.WorkID?
    var rest: ObservedRest?
    var failures = 0
    var lastFailure = Duration.zero
    var notBefore = Duration.zero
    var barred: [RadioSchedule.DemandID: Duration] = [:]
  }

  /// A rest is over after a gap in what was heard, measured while anybody listened.
  struct ObservedRest {
    let holdOff: Duration
    let endsWithNews: Bool
    var lastSign: Duration
    var lastTime: Duration
    var isOver = false
  }

  private(set) var schedule: RadioSchedule
  private(set) var violations: [String] = []
  private(set) var running: [RadioSchedule.WorkID: Running] = [:]
  private(set) var adapters: [RadioSchedule.AdapterID: RadioSchedule.Adapter] = [:]
  private(set) var demands: [RadioSchedule.DemandID: RadioSchedule.Demand.Kind] = [:]
  private(set) var interactive: RadioSchedule.DemandID?
  private var interactiveWorks = 0
  private var meters: [BluetoothAddress: Observed] = [:]
  private var listening: Set<RadioSchedule.AdapterID> = []
  private var asked: Set<RadioSchedule.AdapterID> = []
  private var heardTime = Duration.zero
  private var now = Duration.zero
  /// Whether the schedule has room for all meters, so that it may not forget a promise.
  private let remembersAll: Bool

  init(policy: RadioSchedule.Policy = .readingOnce, remembersAll: Bool = true) {
    schedule = RadioSchedule(policy: policy)
    self.remembersAll = remembersAll
  }

  var policy: RadioSchedule.Policy { schedule.policy }

  mutating func handle(_ input: RadioSchedule.Input, at time: Duration) -> [RadioSchedule.Command] {
    if !listening.isEmpty { heardTime += time - now }
    now = time
    see(input)
    let commands = schedule.handle(input, at: time)
    for command in commands { see(command) }
    if let wake = schedule.nextWake, wake <= time { complain("a wake at \(wake) that has passed") }
    if schedule.rememberedMeters > policy.maximumMeters { complain("too many meters") }
    if case .heard = input, commands.isEmpty { return commands }
    checkListening()
    return commands
  }

  /// A tick before the next wake must not change anything: what it did would have come too late without it.
  mutating func probeWake(at time: Duration) {
    if let wake = schedule.nextWake, wake <= time { return }
    var copy = schedule
    let commands = copy.handle(.tick, at: time)
    if !commands.isEmpty { complain("no wake was asked for \(commands)") }
  }

  mutating func complain(_ text: String) {
    if violations.count < 20 { violations.append("\(now): \(text)") }
  }
}

extension WatchedSchedule {
  private mutating func see(_ input: RadioSchedule.Input) {
    switch input {
    case .adapter(let adapter):
      adapters[adapter.id] = adapter
      if !adapter.isPowered {
        listening.remove(adapter.id)
        asked.remove(adapter.id)
      }
    case .adapterGone(let id):
      adapters[id] = nil
      listening.remove(id)
      asked.remove(id)
      for (key, value) in running where value.work.adapter == id { running[key]?.isOrphan = true }
    case .listening(let id, let listens):
      if listens { listening.insert(id) } else { listening.remove(id) }
    case .demand(let demand): see(demand)
    case .withdraw(let id):
      demands[id] = nil
      if interactive == id { interactive = nil }
    case .heard(let hearing): see(hearing)
    case .connected(let id): running[id]?.isConnecting = false
    // The simulated meters have nothing set.
    case .courtesy: break
    case .ended(let id, let ending): see(ending, of: id)
    case .served(let address, let ending, let holdOff): see(ending, of: address, holdOff)
    case .forgive(let address):
      meters[address]?.failures = 0
      meters[address]?.notBefore = .zero
      meters[address]?.barred = [:]
    case .tick: break
    }
  }

  private mutating func see(_ demand: RadioSchedule.Demand) {
    if case .interactive = demand.kind {
      guard interactive == nil else { return }
      interactive = demand.id
    } else {
      for address in meters.keys { meters[address]?.barred[demand.id] = nil }
    }
    demands[demand.id] = demand.kind
  }

  private mutating func see(_ hearing: RadioSchedule.Hearing) {
    guard adapters[hearing.adapter]?.isPowered == true, hearing.fits.contains(where: { demands[$0] != nil }) else {
      return
    }
    var meter = meters[hearing.meter] ?? Observed()
    if var rest = meter.rest {
      let isNews = rest.endsWithNews && hearing.isNews
      if heardTime - rest.lastSign >= rest.holdOff || now - rest.lastTime >= policy.longestDoubt || isNews {
        rest.isOver = true
      }
      rest.lastSign = heardTime
      rest.lastTime = now
      meter.rest = rest
    }
    if hearing.reach != .notConnectable {
      meter.heard = now
      meter.fits = hearing.fits
    }
    meters[hearing.meter] = meter
  }

  private mutating func see(_ ending: RadioSchedule.Ending, of address: BluetoothAddress, _ holdOff: Duration?) {
    guard ending == .readNew || ending == .nothingNew, var meter = meters[address], meter.running == nil else { return }
    meter.failures = 0
    meter.notBefore = .zero
    meter.rest = ObservedRest(
      holdOff: min(holdOff ?? .zero, policy.longestHoldOff), endsWithNews: ending == .nothingNew,
      lastSign: heardTime, lastTime: now)
    meters[address] = meter
  }

  private mutating func see(_ ending: RadioSchedule.Ending, of id: RadioSchedule.WorkID) {
    guard let work = running.removeValue(forKey: id) else { return }
    if work.isInteractive { interactiveWorks -= 1 }
    let address = work.work.meter
    guard var meter = meters[address] else { return }
    meter.running = nil
    switch ending {
    case .readNew, .nothingNew:
      meter.failures = 0
      meter.notBefore = .zero
      // The hold-off of a person's read is checked in tests of its own.
      if work.isInteractive { meter.barred = [:] }
      let endsWithNews = work.work.medium == .advertisements && ending == .nothingNew
      meter.rest = ObservedRest(
        holdOff: work.holdOff, endsWithNews: endsWithNews, lastSign: heardTime, lastTime: now,
        isOver: work.isInteractive)
    case .stopped: if !work.isStopping { meter.notBefore = max(meter.notBefore, now + policy.firstRetry) }
    case .failed(.adapterLost): meter.notBefore = max(meter.notBefore, now + policy.firstRetry)
    case .failed(.otherMeter), .failed(.notPaired), .failed(.keyMissing):
      if !work.isInteractive { meter.barred[work.work.demand] = now + policy.personWait }
    case .failed:
      meter.rest = nil
      meter.failures = now - meter.lastFailure > policy.failureMemory ? 1 : meter.failures + 1
      meter.lastFailure = now
      var delay = policy.firstRetry
      for _ in 1..<meter.failures where delay < policy.longestRetry { delay = delay * policy.retryFactor }
      meter.notBefore = now + min(delay, policy.longestRetry) * (1 - policy.retryJitter)
    }
    // Who has a link may not advertise.
    meter.rest?.lastSign = heardTime
    meter.rest?.lastTime = now
    meters[address] = meter
  }

  private func holdOff(of demand: RadioSchedule.DemandID) -> Duration {
    guard case .passive(let own) = demands[demand] else { return .zero }
    return min(own ?? policy.holdOff, policy.longestHoldOff)
  }
}

extension WatchedSchedule {
  private mutating func see(_ command: RadioSchedule.Command) {
    switch command {
    case .listen(let id, let listens):
      if listens == asked.contains(id) { complain("told twice to listen \(listens)") }
      if listens { asked.insert(id) } else { asked.remove(id) }
    case .start(let work): see(work)
    case .stop(let id):
      if running[id] == nil { complain("a work is stopped that does not run") }
      if running[id]?.isStopping == true { complain("a work is stopped twice") }
      running[id]?.isStopping = true
    case .handOver(let id, let demand):
      if running[id]?.isInteractive != false { complain("what is handed over is no passive work") }
      if demand != interactive { complain("handed over to nobody") }
    case .finished(let id), .expired(let id):
      if id != interactive { complain("an end of a demand that is not there") }
      interactive = nil
      demands[id] = nil
    case .busy(let id): if interactive == nil || interactive == id { complain("busy with nothing") }
    }
  }

  private mutating func see(_ work: RadioSchedule.Work) {
    var isInteractive = false
    if case .interactive = demands[work.demand] { isInteractive = true }
    checkPlace(of: work)
    var meter = meters[work.meter] ?? Observed()
    if demands[work.demand] == nil { complain("work for a demand that is not there") }
    if !meter.fits.contains(work.demand) { complain("a meter that does not fit") }
    if meter.running != nil { complain("a meter is worked on twice") }
    if now - meter.heard > policy.longestWindow { complain("a meter that was not heard") }
    if isInteractive {
      interactiveWorks += 1
    } else {
      if interactive != nil || interactiveWorks > 0 { complain("passive work beside a person's") }
      if remembersAll { checkPromises(meter, work) }
    }
    if !isInteractive { meter.rest = nil }
    meter.running = work.id
    meters[work.meter] = meter
    running[work.id] = Running(
      work: work, isInteractive: isInteractive, holdOff: holdOff(of: work.demand), isConnecting: work.medium == .link)
  }

  private mutating func checkPlace(of work: RadioSchedule.Work) {
    guard let adapter = adapters[work.adapter], adapter.isPowered else {
      return complain("work on an adapter that is not there")
    }
    let beside = running.values.filter { $0.work.adapter == work.adapter && !$0.isOrphan }
    let same = beside.filter { $0.work.medium == work.medium }
    switch work.medium {
    case .link:
      if same.count >= adapter.slots { complain("no slot is free") }
      if beside.contains(where: \.isConnecting) { complain("two connect at once") }
      if work.isStranger, same.filter(\.work.isStranger).count >= max(1, adapter.slots / 2) {
        complain("too many unknown meters")
      }
    case .advertisements: if same.count >= policy.advertisementSessions { complain("too many sessions") }
    }
  }

  private mutating func checkPromises(_ meter: Observed, _ work: RadioSchedule.Work) {
    if let rest = meter.rest, !rest.isOver { complain("\(work.meter) is read in its hold-off") }
    if now < meter.notBefore { complain("\(work.meter) is tried again too early") }
    if let until = meter.barred[work.demand], now < until { complain("\(work.meter) waits for a person") }
  }

  private mutating func checkListening() {
    for adapter in adapters.values where adapter.isPowered {
      let connects = running.values.contains { $0.work.adapter == adapter.id && $0.isConnecting && !$0.isOrphan }
      let expected = !demands.isEmpty && (adapter.hearsWhileConnecting || !connects)
      if expected != asked.contains(adapter.id) {
        complain("adapter \(adapter.id.rawValue) should listen: \(expected)")
      }
    }
  }
}

extension RadioSchedule.Policy {
  /// Meters that never stop advertising are read once: what is watched here is that a rest ends with silence only.
  static var readingOnce: RadioSchedule.Policy {
    var policy = RadioSchedule.Policy()
    policy.rereadsSteadyMeters = nil
    return policy
  }
}
