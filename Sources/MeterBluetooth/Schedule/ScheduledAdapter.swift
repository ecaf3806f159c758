/// How long an adapter has listened in all: a clock that stands while it is deaf.
struct HearingClock: Sendable {
  private var listened = Duration.zero
  private var listensSince: Duration?

  func time(at now: Duration) -> Duration {
    guard let listensSince else { return listened }
    return listened + (now - listensSince)
  }

  mutating func set(_ listens: Bool, at now: Duration) {
    listened = time(at: now)
    listensSince = listens ? now : nil
  }
}

/// An adapter and what it does.
struct ScheduledAdapter: Sendable {
  /// Works over one medium on this adapter, and the meters that wait for theirs.
  struct Lane: Sendable {
    var works: [RadioSchedule.WorkID] = []
    var line = MeterQueue()
    /// Those that nobody knows, who wait behind the line.
    var strangers = MeterQueue()
    /// When the longest work has had its turn, if somebody waits for it to end.
    var turnEnds: Duration?
    /// When an unknown meter may have its turn, if one waits for nothing but the time.
    var strangersDue: Duration?

    /// When the lane has to be looked at again.
    var due: Duration? {
      guard let turnEnds, let strangersDue else { return turnEnds ?? strangersDue }
      return min(turnEnds, strangersDue)
    }
  }

  var properties: RadioSchedule.Adapter
  /// Another one when an adapter comes back: what was known of the former does not hold.
  let serial: UInt64
  var links = Lane()
  var sessions = Lane()
  var connecting: RadioSchedule.WorkID?
  var isAskedToListen = false
  /// Until then it listens rather than connecting to an unknown meter.
  var strangersAfter = Duration.zero
  var hearing = HearingClock()

  init(_ properties: RadioSchedule.Adapter, serial: UInt64) {
    self.properties = properties
    self.serial = serial
  }

  /// Whether it should listen while somebody wants to hear something.
  var mayListen: Bool { properties.isPowered && (connecting == nil || properties.hearsWhileConnecting) }

  /// Whether a work could begin now.
  func hasRoom(_ medium: RadioSchedule.Medium, _ policy: RadioSchedule.Policy) -> Bool {
    guard properties.isPowered else { return false }
    switch medium {
    case .link: return connecting == nil && links.works.count < properties.slots
    case .advertisements: return sessions.works.count < policy.advertisementSessions
    }
  }

  /// Whether a work of another meter must end before one could begin.
  func isFull(_ medium: RadioSchedule.Medium, _ policy: RadioSchedule.Policy) -> Bool {
    switch medium {
    case .link: links.works.count >= properties.slots
    case .advertisements: sessions.works.count >= policy.advertisementSessions
    }
  }

  subscript(medium: RadioSchedule.Medium) -> Lane {
    get { medium == .link ? links : sessions }
    _modify {
      switch medium {
      case .link: yield &links
      case .advertisements: yield &sessions
      }
    }
  }
}
