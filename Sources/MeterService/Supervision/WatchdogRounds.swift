import HostPrimitives

/// When systemd is told that the service works: which part has answered and which has not, as a value without sockets and clocks.
///
/// In each round every part is asked something. When all have answered within the limit, systemd is told so, once a round. A part that
/// still owes an answer is not asked again: one question waits at most, whatever hangs. An error is an answer, too: it is told to people,
/// and a new start of the service would not mend it.
struct WatchdogRounds {
  /// What a running host cannot do without.
  enum Part: String, CaseIterable, Sendable {
    case store
    case schedule
  }

  enum Command: Sendable, Equatable {
    /// Ask this part.
    case ask(Part)
    /// Tell systemd that the service works.
    case works
    /// Log that this part has not answered; said once.
    case silent(Part)
    /// Log that this part answers again.
    case answersAgain(Part)
  }

  /// How long an answer may take.
  let limit: Duration
  private var asked: [Part: HostInstant] = [:]
  private var answered: Set<Part> = []
  private var isTold = false
  /// What was last said to be silent.
  private(set) var silent: Set<Part> = []

  init(limit: Duration) { self.limit = limit }

  /// How far apart rounds are, and how long an answer may take in them, for a watchdog of this length. Between two messages there are
  /// three quarters of it at most.
  static func times(watchdog: Duration) -> (interval: Duration, limit: Duration) { (watchdog / 2, watchdog / 4) }

  /// A round begins.
  mutating func begin(at now: HostInstant) -> [Command] {
    answered = []
    isTold = false
    var commands: [Command] = []
    for part in Part.allCases {
      if asked[part] == nil {
        asked[part] = now
        commands.append(.ask(part))
      } else if silent.insert(part).inserted {
        commands.append(.silent(part))
      }
    }
    return commands
  }

  /// A part has answered what it was asked last.
  mutating func answer(of part: Part, at now: HostInstant) -> [Command] {
    guard let began = asked.removeValue(forKey: part) else { return [] }
    // Too late for the round in which it was asked, and none for the next one.
    guard now - began <= limit else { return silent.insert(part).inserted ? [.silent(part)] : [] }
    answered.insert(part)
    var commands: [Command] = silent.remove(part) == nil ? [] : [.answersAgain(part)]
    if !isTold, answered.count == Part.allCases.count {
      isTold = true
      commands.append(.works)
    }
    return commands
  }
}
