import BluetoothWire

/// What the schedule knows of one meter.
struct ScheduledMeter: Sendable {
  /// What becomes of the meter when it is heard.
  enum Phase: Sendable {
    /// It may have a turn.
    case idle
    /// It has a place in the line of each adapter that hears it.
    case waiting
    case running(RadioSchedule.WorkID)
    /// It was read: it is ignored until it has been silent.
    case resting(Rest)
    /// It failed: it is left alone until then.
    case retrying(until: Duration)
  }

  struct Rest: Sendable {
    let since: Duration
    let holdOff: Duration
    /// Whether something new in its advertisements ends the rest.
    let endsWithNews: Bool
    /// After how long it is read again although it never was silent; nil: never.
    let again: Duration?
    /// The hearing time of every adapter when the meter was heard last.
    var marks: [Mark]
  }

  /// What decides who goes first.
  struct Standing: Sendable {
    /// When its last turn began.
    var served: Duration?
    /// Since when it has waited for the next, times in which it was not there included.
    var owedSince: Duration?

    /// The time that its place in a line is ordered by.
    func turn(_ memory: Duration) -> Duration {
      let owed = (owedSince ?? .zero) - memory
      return served.map { max($0, owed) } ?? owed
    }
  }

  struct Mark: Sendable {
    let adapter: UInt64
    let hearingTime: Duration
  }

  /// The last time that one adapter heard the meter.
  struct Sighting: Sendable {
    let adapter: UInt64
    var rssi: Int8
    var time: Duration
    var hearingTime: Duration
    /// The meter's place in this adapter's line; 0 when it has none.
    var place: UInt64 = 0

    /// 127 stands for an unknown strength, the weakest.
    var strength: Int { rssi == 127 ? Int(Int8.min) : Int(rssi) }
  }

  /// A demand that this meter is not tried for.
  struct Exclusion: Sendable {
    let demand: RadioSchedule.DemandID
    let revision: UInt64
    let until: Duration
  }

  /// Most demands that a meter is remembered to be excluded from.
  static let maximumExclusions = 16

  let address: BluetoothAddress
  /// Whether this gateway knows the meter, or has read it since it runs.
  var isKnown = false
  var phase = Phase.idle
  /// Whether its last rest ended though it had never been silent: what it may have now is looked for, and was not announced.
  var isSteady = false
  var fits: [RadioSchedule.DemandID] = []
  var medium = RadioSchedule.Medium.link
  var sightings: [Sighting] = []
  var lastHeard: Duration
  var standing = Standing()
  /// Its place in the lines: the serial number and the time that it is ordered by.
  var place: UInt64 = 0
  var turn = Duration.zero
  var failures = 0
  var lastFailure = Duration.zero
  /// The entry in the queue of retries that counts.
  var retry: UInt64 = 0
  var exclusions: [Exclusion] = []

  init(_ address: BluetoothAddress, at now: Duration) {
    self.address = address
    lastHeard = now
  }

  /// Whether forgetting it would break a promise: of a hold-off, of a wait, or of a work that runs.
  func hasObligation(at now: Duration, _ policy: RadioSchedule.Policy) -> Bool {
    if case .running = phase { return true }
    // A meter that has been silent for so long begins anew whatever was before.
    guard now - lastHeard < policy.failureMemory else { return false }
    if exclusions.contains(where: { now < $0.until }) { return true }
    switch phase {
    case .idle, .waiting: return false
    // Asked when the book is full of meters that were heard, so that there is somebody who listens.
    case .resting(let rest): return now - max(lastHeard, rest.since) < rest.holdOff
    case .retrying(let until): return now < until
    case .running: return true
    }
  }

  var isRunning: Bool { if case .running = phase { true } else { false } }

  /// Whether its phase or its past may carry an obligation at all.
  var isBound: Bool {
    switch phase {
    case .idle, .waiting: !exclusions.isEmpty
    case .running, .resting, .retrying: true
    }
  }

  mutating func note(_ sighting: Sighting) {
    for index in sightings.indices where sightings[index].adapter == sighting.adapter {
      let place = sightings[index].place
      sightings[index] = sighting
      sightings[index].place = place
      return
    }
    sightings.append(sighting)
  }

  mutating func leaveLine(of adapter: UInt64) {
    for index in sightings.indices where sightings[index].adapter == adapter { sightings[index].place = 0 }
  }
}
