import BluetoothWire
package import HostPrimitives
import Logging
import MeterCore
import Synchronization

/// Carries out what the ``RadioSchedule`` decides: listens with all radios, tells the schedule what is heard, and gives each
/// demand its turns.
///
/// There is one for all that a host does with its radios: interactive reads and pairings, passive reading, and whoever only
/// listens.
public final class AirTraffic: Sendable {
  /// What a demand is told.
  enum Step: Sendable {
    /// Its turn has come.
    case start(Turn)
    /// This turn is to end at the next safe point.
    case stop(RadioSchedule.WorkID)
    /// A person's demand has its meter, or has failed with it. What passive reading has brought of the same meter meanwhile is
    /// among the deliveries.
    case finished
    /// A person's demand has heard nothing in time. There may be a delivery all the same: a passive read may break off behind
    /// a commit.
    case expired
    /// There is no radio, and there was none when the demand began.
    case noRadio(BluetoothError)
  }

  /// A demand's turn with one meter on one radio.
  struct Turn: Sendable {
    let work: RadioSchedule.Work
    /// The advertisement by which the meter was recognised last.
    let report: AdvertisingReport
    let radio: any NamedRadio
    let heard: HostInstant
  }

  /// Which of a demand's meters a report may be from.
  typealias Matcher = @Sendable (AdvertisingReport) -> Reach?

  /// How a meter that fits is reached.
  enum Reach: Sendable {
    case link
    case advertisements
  }

  struct Entry {
    let steps: AsyncStream<Step>.Continuation
    /// Tells whether a report is of interest; nil for passive demands, which share a matcher.
    let matcher: Matcher?
  }

  struct Listener {
    let queue: AdvertisementQueue
    var wants: @Sendable (AdvertisingReport) -> Bool = { _ in true }
  }

  struct RadioEntry {
    let radio: any NamedRadio
    var listening: Task<Void, Never>?
  }

  struct State {
    var schedule: RadioSchedule
    var entries: [RadioSchedule.DemandID: Entry] = [:]
    var radios: [RadioSchedule.AdapterID: RadioEntry] = [:]
    var names: [String: RadioSchedule.AdapterID] = [:]
    var passive: PassiveMatcher?
    /// Which meters this gateway knows; nil where nobody can say, and all have the same rights.
    var knows: (@Sendable (BluetoothAddress) -> Bool)?
    var heard = RecentReports()
    /// How many advertisements the radios have heard in all.
    var advertisements = 0
    /// Radios that were there and are gone.
    var gone: Set<String> = []
    var queues: [UInt64: Listener] = [:]
    /// What passive reading has brought lately, the last at the end.
    var deliveries: [Delivery] = []
    var next: UInt64 = 0
    var wake: (at: Duration, task: Task<Void, Never>)?
    var following: Task<Void, Never>?

    mutating func newNumber() -> UInt64 {
      next += 1
      return next
    }
  }

  /// Passive demands, and which of them an advertisement fits, the most specific one first.
  struct PassiveMatcher: Sendable {
    let demands: @Sendable (AdvertisingReport) -> [(RadioSchedule.DemandID, Reach)]
  }

  static let log = LogArea.bluetooth.logger

  let source: any RadioSource
  let state: Mutex<State>
  package let clock: any HostClock
  let beginning: HostInstant
  /// How long a radio that could not listen is left alone.
  let listeningPause: Duration

  /// The traffic on these radios.
  ///
  /// - Parameter listeningPause: How long a radio that could not listen is left alone before it is asked again.
  public convenience init(
    _ source: any RadioSource, policy: RadioSchedule.Policy = RadioSchedule.Policy(),
    listeningPause: Duration = .seconds(5)
  ) {
    self.init(source, policy: policy, listeningPause: listeningPause, clock: .system)
  }

  /// The same by another clock. It is the clock of every read on these radios as well.
  package init(
    _ source: any RadioSource, policy: RadioSchedule.Policy = RadioSchedule.Policy(),
    listeningPause: Duration = .seconds(5), clock: any HostClock
  ) {
    self.source = source
    self.clock = clock
    beginning = clock.now
    self.listeningPause = listeningPause
    state = Mutex(State(schedule: RadioSchedule(policy: policy)))
    let task = Task { [weak self] in
      for await radios in source.radios() {
        guard let self else { return }
        self.use(radios)
      }
    }
    state.withLock { $0.following = task }
  }

  /// The traffic on one radio that is always there.
  public convenience init(_ radio: any Radio) { self.init(OneRadio(radio)) }

  /// The same by another clock.
  package convenience init(_ radio: any Radio, clock: any HostClock) { self.init(OneRadio(radio), clock: clock) }

  deinit {
    let (tasks, queues) = state.withLock { state in
      (
        [state.following, state.wake?.task] + state.radios.values.map(\.listening),
        Array(state.queues.values)
      )
    }
    for task in tasks { task?.cancel() }
    for listener in queues { listener.queue.finish() }
  }

  /// A moment of the schedule's time.
  func instant(_ time: Duration) -> HostInstant { beginning + time }

  var now: Duration { clock.now - beginning }

  /// Tells the schedule, and carries out what it answers.
  func tell(_ input: RadioSchedule.Input) { state.withLock { state in run(input, &state) } }

  func run(_ input: RadioSchedule.Input, _ state: inout State) {
    let now = now
    for command in state.schedule.handle(input, at: now) { perform(command, &state) }
    setAlarm(&state, now)
  }

  private func perform(_ command: RadioSchedule.Command, _ state: inout State) {
    Self.log.trace("the radio's schedule: \(command.word)")
    switch command {
    case .listen(let id, let listens): listens ? listen(id, &state) : stopListening(id, &state)
    case .start(let work):
      guard let entry = state.entries[work.demand], let radio = state.radios[work.adapter]?.radio,
        let heard = state.heard[work.meter]
      else {
        // What has left in between: the schedule learns it after what it is saying now.
        Task { [weak self] in self?.tell(.ended(work.id, .stopped)) }
        return
      }
      entry.steps.yield(.start(Turn(work: work, report: heard.report, radio: radio, heard: heard.time)))
    case .stop(let work):
      if let demand = demand(of: work, state) { state.entries[demand]?.steps.yield(.stop(work)) }
    // What it brings is noted for whoever asks.
    case .handOver: break
    case .finished(let demand): end(demand, .finished, &state)
    case .expired(let demand): end(demand, .expired, &state)
    // Whoever begins a demand sees that it has not stood.
    case .busy(let demand): state.entries.removeValue(forKey: demand)?.steps.finish()
    }
  }

  private func demand(of work: RadioSchedule.WorkID, _ state: State) -> RadioSchedule.DemandID? {
    state.schedule.runningWorks.first { $0.id == work }?.demand
  }

  private func end(_ demand: RadioSchedule.DemandID, _ step: Step, _ state: inout State) {
    let entry = state.entries.removeValue(forKey: demand)
    entry?.steps.yield(step)
    entry?.steps.finish()
  }

  /// The schedule is asked again when it wants to be.
  private func setAlarm(_ state: inout State, _ now: Duration) {
    guard let wake = state.schedule.nextWake else {
      state.wake?.task.cancel()
      state.wake = nil
      return
    }
    guard state.wake?.at != wake else { return }
    state.wake?.task.cancel()
    let task = Task { [weak self, clock, beginning] in
      guard await clock.elapsed(until: beginning + wake), let self else { return }
      self.state.withLock { $0.wake = nil }
      self.tell(.tick)
    }
    state.wake = (wake, task)
  }
}

extension RadioSchedule.Command {
  /// For the log.
  fileprivate var word: String {
    switch self {
    case .listen(_, let listens): listens ? "listen" : "listen no more"
    case .start(let work): "work \(work.id.rawValue) with \(work.meter) begins"
    case .stop(let work): "work \(work.rawValue) is to end"
    case .handOver(let work, _): "work \(work.rawValue) serves a person, too"
    case .finished: "a person's demand is served"
    case .expired: "a person's demand has waited for too long"
    case .busy: "a person's demand was not taken"
    }
  }
}
