/// When a worker asks for messages, for how many, and when it waits: a value that is told what happened.
struct ConsumerPace: Sendable {
  /// What is to be done next.
  enum Step: Sendable, Hashable {
    /// Ask for so many messages.
    case pull(Int)
    /// Wait, and then ask the database whether it answers.
    case probe(after: Duration)
    /// Wait, and then go on.
    case wait(Duration)
  }

  private enum State {
    case running
    /// The database is away: nothing is asked for, since nothing could be stored.
    case withoutDatabase(Duration)
    /// The message server is away, or does not give what is asked for.
    case withoutServer(Duration, hasWaited: Bool)
    /// The server has answered at once that there is nothing.
    case idle
  }

  /// The first wait and the longest.
  static let waits: ClosedRange<Duration> = .seconds(1)...Duration.seconds(30)
  /// Of a server that does not wait for messages itself.
  static let idleWait = Duration.milliseconds(500)

  private let limit: Int
  private var state = State.running
  /// The most that are asked for at a time. A batch that fails is tried in halves, so that one message which the database cannot take is
  /// alone in the end.
  private(set) var size: Int

  /// - Parameter limit: The most messages in a batch.
  init(limit: Int) { (self.limit, size) = (max(1, limit), max(1, limit)) }

  /// The next step.
  mutating func next() -> Step {
    switch state {
    case .running: return .pull(size)
    case .idle:
      state = .running
      return .wait(Self.idleWait)
    case .withoutDatabase(let wait): return .probe(after: wait)
    case .withoutServer(_, hasWaited: true): return .pull(size)
    case .withoutServer(let wait, hasWaited: false):
      state = .withoutServer(wait, hasWaited: true)
      return .wait(wait)
    }
  }

  /// How long a message is to stay away that could not be stored.
  var delay: Duration { if case .withoutDatabase(let wait) = state { wait } else { Self.waits.lowerBound } }

  /// How long one stays away that fails alone while the database answers: the longer, the more often it has come.
  static func delay(delivery: Int) -> Duration {
    .seconds(min(3600, 30 << min(max(0, delivery - 1), 7)))
  }

  /// A batch is stored.
  mutating func stored() {
    state = .running
    size = min(limit, size * 2)
  }

  /// There was nothing.
  ///
  /// - Parameter hasWaited: Whether the server has waited for something to come.
  mutating func foundNothing(hasWaited: Bool) { state = hasWaited ? .running : .idle }

  /// The database has failed with a batch.
  ///
  /// - Parameter isAway: Whether it cannot be reached, which says nothing of the batch.
  mutating func databaseFailed(isAway: Bool) {
    var wait = Self.waits.lowerBound
    if case .withoutDatabase(let before) = state { wait = min(Self.waits.upperBound, before * 2) }
    state = .withoutDatabase(wait)
    if !isAway { size = max(1, size / 2) }
  }

  /// The database answers.
  mutating func databaseAnswers() { state = .running }

  /// The message server has failed.
  mutating func serverFailed() {
    var wait = Self.waits.lowerBound
    if case .withoutServer(let before, _) = state { wait = min(Self.waits.upperBound, before * 2) }
    state = .withoutServer(wait, hasWaited: false)
  }
}
