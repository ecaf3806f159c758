/// When an adapter is told to discover, as a value.
///
/// Linux does not connect while it discovers: whoever connects makes it stop.
///
/// The kernel ends every discovery after some ten seconds, and runs one at a time: somebody else's brings the same
/// advertisements to every listener, so that it is as good as one's own while it lasts.
package struct DiscoveryMachine: Sendable {
  /// What happens.
  package enum Input: Sendable, Hashable {
    /// Whether anybody wants to hear.
    case wanted(Bool)
    /// The kernel has answered to the start.
    case started(ManagementStatus)
    /// The kernel has answered to the stop.
    case stopped
    /// The kernel tells that a discovery runs, or that none does.
    case discovering(Bool)
    /// The time of the last ``Command/retry`` is over.
    case retryTime
  }

  /// What the surroundings have to do.
  package enum Command: Sendable, Hashable {
    /// Start a discovery.
    case start
    case stop
    /// Come back after a while with ``Input/retryTime``.
    case retry
    /// It cannot be: tell those who listen.
    case fail(ManagementStatus)
  }

  private enum State: Sendable, Hashable {
    case idle
    case starting
    case running
    case stopping
    /// Another program discovers, or the adapter needs a moment.
    case waiting
  }

  private var state = State.idle
  private var isWanted = false
  /// The kernel has told of the end of a discovery before it has answered to its start.
  private var hasEnded = false
  private var failures = 0
  /// A discovery may run that was begun here: its start was answered with success, or with nothing that says that it failed.
  private var isOurs = false

  /// Starts that the kernel may refuse one after the other without a reason.
  static let patience = 10

  /// Nobody listens.
  package init() {}

  /// Takes one fact and answers with what to do now.
  package mutating func handle(_ input: Input) -> [Command] {
    switch input {
    case .wanted(let isWanted):
      self.isWanted = isWanted
      switch state {
      case .idle: return isWanted ? start() : []
      case .running where !isWanted: return stop()
      case .waiting where !isWanted:
        if isOurs { return stop() }
        state = .idle
        return []
      default: return []
      }
    case .started(let status): return state == .starting ? started(status) : []
    case .stopped:
      guard state == .stopping else { return [] }
      isOurs = false
      return begin()
    case .discovering(true):
      // What ended before was another one.
      hasEnded = false
      return []
    case .discovering(false):
      isOurs = false
      switch state {
      case .starting:
        hasEnded = true
        return []
      case .running, .waiting: return begin()
      case .idle, .stopping: return []
      }
    case .retryTime: return state == .waiting ? begin() : []
    }
  }

  private mutating func started(_ status: ManagementStatus) -> [Command] {
    switch status {
    case .success:
      failures = 0
      state = .running
      isOurs = !hasEnded
      if !isWanted { return stop() }
      return hasEnded ? begin() : []
    case .notPowered, .blocked, .invalidIndex, .permissionDenied, .notSupported:
      state = .idle
      isWanted = false
      return [.fail(status)]
    case .busy: break
    default:
      isOurs = true
      failures += 1
      guard failures < Self.patience else {
        (state, isWanted, failures) = (.idle, false, 0)
        return [.fail(status)]
      }
    }
    guard isWanted else {
      if isOurs { return stop() }
      state = .idle
      return []
    }
    state = .waiting
    return [.retry]
  }

  private mutating func begin() -> [Command] {
    state = .idle
    return isWanted ? start() : []
  }

  private mutating func start() -> [Command] {
    state = .starting
    hasEnded = false
    return [.start]
  }

  private mutating func stop() -> [Command] {
    state = .stopping
    return [.stop]
  }
}
