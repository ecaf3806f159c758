import BluetoothWire

/// Who uses which adapter when, as a value: what happened goes in, what to do comes out.
///
/// The schedule knows adapters, demands and the meters that are heard, and nothing of drivers, links or disks. It has
/// no clock: every input comes with the time since some start, which never runs backwards, and ``nextWake`` says when
/// it wants to be asked again if nothing happens before. Whether a meter fits a demand is decided outside.
///
/// - An *interactive* demand, of which there is one at a time, comes first: no passive work begins while it exists, and
///   what runs is asked to stop at a safe point. A passive read of the very meter that the person wants goes on and is
///   handed over.
/// - A meter that was read is ignored until it has not been heard for its hold-off. Only time in which an adapter that
///   hears it listened counts as silence, or a minute of any time.
/// - A meter that failed is left alone for a second, and longer after each further failure; one that lacks a bond or a
///   key until a person did something.
/// - Meters that wait for an adapter are served in the order in which they were served last, or began to wait if that
///   was long ago: nobody is passed over for ever, whoever comes new, and among equals the one that has advertised
///   longest, and falls silent first, goes first.
/// - An adapter makes one connection at a time, and its links are bounded by its slots. Meters that only advertise need
///   none.
/// - Meters that nobody knows wait behind those that this gateway knows, take half of the slots at most, and share a budget of
///   time: whoever fills the air with new addresses delays other unknown ones, and hardly a known one.
///
/// A heard meter costs the same however many are known, except for the lines' logarithm, and what is remembered is
/// bounded.
public struct RadioSchedule: Sendable {
  /// A demand as it stands; the revision tells a changed one from what it was.
  struct StandingDemand: Sendable {
    let demand: Demand
    let revision: UInt64
  }

  struct RunningWork: Sendable {
    let work: Work
    /// Where its meter stands in the book; a meter stays there while work on it runs.
    let meter: Int
    let adapterSerial: UInt64
    let began: Duration
    /// The meter's before this turn.
    let standingBefore: ScheduledMeter.Standing
    var phaseBefore: ScheduledMeter.Phase
    /// What an interactive work is for; nil for a passive one.
    let purpose: Purpose?
    var isStranger: Bool { work.isStranger }
    var holdOff: Duration
    var readAgain: Duration?
    var isKnownAgain = false
    var isStopping = false
    var isForAnother = false
  }

  /// The interactive demand that is under way.
  struct InteractiveDemand: Sendable {
    /// Most meters that may wait for one person.
    static let maximumCandidates = 32

    let id: DemandID
    let purpose: Purpose
    /// Whether passive work with its meter serves it.
    let sharesRunning: Bool
    var deadline: Duration
    var works: Set<WorkID> = []
    /// Passive work that serves this demand as well.
    var handedOver: Set<WorkID> = []
    /// Meters that were heard for it, in the order of their first advertisement.
    var candidates: [BluetoothAddress] = []
    /// Meters that turned out to be something else, and unknown ones that passive reading has just read.
    var refused: Set<BluetoothAddress> = []
    /// Meters that only advertise, and had nothing new.
    var spent: Set<BluetoothAddress> = []
    var attempts = 0
    var retryAt: Duration?
    /// When the unknown meters among the works that serve this demand are asked to end.
    var strangersEnd: Duration?

    var isBusy: Bool { !works.isEmpty || !handedOver.isEmpty }
  }

  /// The times and bounds.
  public let policy: Policy
  var now = Duration.zero
  var adapters: [ScheduledAdapter] = []
  var demands: [DemandID: StandingDemand] = [:]
  var interactive: InteractiveDemand?
  var works: [WorkID: RunningWork] = [:]
  /// Works that serve a person, those of a demand that was withdrawn included.
  var interactiveWorks = 0
  var book = MeterBook()
  /// The earliest end of a turn that somebody waits for.
  var nextTurnEnd: Duration?
  /// What unknown meters have taken of each medium.
  var strangersTime = (links: StrangersTime(), sessions: StrangersTime())
  /// The unknown meter that last had a turn before known ones, and when.
  var lastOverdueTurn: (meter: Int, time: Duration)?
  var retries = MeterQueue()
  private var lastSerial: UInt64 = 0
  private var lastWork: UInt64 = 0

  /// A schedule without adapters and demands.
  public init(policy: Policy = Policy()) { self.policy = policy }

  /// Takes one input and answers with what to do now.
  ///
  /// - Parameter time: Since some start, the same for all inputs; an earlier one than before counts as the last.
  public mutating func handle(_ input: Input, at time: Duration) -> [Command] {
    now = max(now, time)
    var commands: [Command] = []
    switch input {
    case .adapter(let adapter): update(adapter, &commands)
    case .adapterGone(let id): remove(id, &commands)
    case .listening(let id, let listens):
      if let index = adapterIndex(id) { adapters[index].hearing.set(listens, at: now) }
    case .demand(let demand): accept(demand, &commands)
    case .withdraw(let id): withdraw(id, &commands)
    case .heard(let hearing): hear(hearing, &commands)
    case .connected(let id): connected(id, &commands)
    case .courtesy(let id, let courtesy):
      if let time = courtesy.holdOff { works[id]?.holdOff = min(max(time, .zero), policy.longestHoldOff) }
      works[id]?.readAgain = courtesy.readAgain
      works[id]?.isKnownAgain = courtesy.isKnownAgain
    case .ended(let id, let ending): ended(id, ending, &commands)
    case .served(let address, let ending, let holdOff): served(address, ending, holdOff)
    case .forgive(let address): forgive(address, &commands)
    case .tick: break
    }
    // After the input: what was due earlier is done with what is known now.
    catchUp(&commands)
    expireInteractive(&commands)
    dropOutdatedRetries()
    return commands
  }

  /// When the schedule wants to be asked again, with ``Input/tick`` if there is nothing else; nil if only an input can
  /// change anything. Always later than the last input.
  public var nextWake: Duration? {
    var wake = retries.first?.key
    func consider(_ time: Duration?) {
      guard let time else { return }
      wake = min(wake ?? time, time)
    }
    consider(interactive?.retryAt)
    consider(interactive?.strangersEnd)
    if let interactive, !interactive.isBusy { consider(interactive.deadline) }
    if !isSuspended { consider(nextTurnEnd) }
    return wake
  }

  /// Whether passive work has to wait for a person's.
  public var isSuspended: Bool { interactive != nil || interactiveWorks > 0 }

  /// The interactive demand that is under way.
  public var interactiveDemand: DemandID? { interactive?.id }

  /// The works that run, in the order of their starts.
  public var runningWorks: [Work] { works.values.map(\.work).sorted { $0.id.rawValue < $1.id.rawValue } }

  /// Whether a meter was read and rests, whatever it advertises.
  func isResting(_ address: BluetoothAddress) -> Bool {
    guard let meter = book.position(of: address), case .resting(let rest) = book.meters[meter].phase else {
      return false
    }
    return !rest.endsWithNews
  }

  /// Whether a meter that was read goes on advertising.
  func isStillThere(_ address: BluetoothAddress) -> Bool {
    guard let meter = book.position(of: address), case .resting = book.meters[meter].phase else { return false }
    return isPresent(meter)
  }

  /// How many meters are remembered.
  public var rememberedMeters: Int { book.count }

  /// How many places all queues together hold, outdated ones included.
  var queuedPlaces: Int {
    adapters.reduce(retries.places.count) { sum, adapter in
      [adapter.links, adapter.sessions].reduce(sum) { $0 + $1.line.places.count + $1.strangers.places.count }
    }
  }

  mutating func nextSerial() -> UInt64 {
    lastSerial += 1
    return lastSerial
  }

  mutating func nextWork() -> WorkID {
    lastWork += 1
    return WorkID(lastWork)
  }

  /// Does what was to be done at a time that has come.
  private mutating func catchUp(_ commands: inout [Command]) {
    while let place = retries.first, place.key <= now {
      retries.removeFirst()
      if isCurrentRetry(place) { makeAvailable(place.meter, &commands) }
    }
    if let retryAt = interactive?.retryAt, retryAt <= now {
      interactive?.retryAt = nil
      serveInteractive(&commands)
    }
    if let end = interactive?.strangersEnd, end <= now { endStrangers(&commands) }
    if let nextTurnEnd, nextTurnEnd <= now {
      for index in adapters.indices {
        for medium in [Medium.link, .advertisements] where adapters[index][medium].due != nil {
          serve(index, medium, &commands)
        }
      }
    }
  }

  func isCurrentRetry(_ place: MeterQueue.Place) -> Bool { book.meters[place.meter].retry == place.serial }

  private mutating func dropOutdatedRetries() {
    while let place = retries.first, !isCurrentRetry(place) { retries.removeFirst() }
  }
}
