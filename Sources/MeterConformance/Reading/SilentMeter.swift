import CMeterDriver
import DriverContract
import MeterDrivers

/// A host whose meter says nothing any more: what is written is taken, what is asked for is refused, and timers run out.
struct SilentMeter {
  private let player: TapePlayer
  /// What the host still owes an answer to, in its order.
  private var asked: [DriverAction] = []
  /// When each timer runs out, by its token.
  private var timers: [UInt64: UInt64] = [:]
  private var now: UInt64 = 0
  private var sequence: UInt64 = 0
  private var wall: Int64 = 0

  /// How often a driver may ask again before it counts as one that never ends.
  private static let patience = 200

  init(_ player: TapePlayer) { self.player = player }

  /// Plays a session so far, and then the silence.
  ///
  /// - Returns: What is wrong; nil: the driver ends the session, or waits for a person.
  mutating func run(after steps: ArraySlice<SessionTape.Step>) throws(DriverFault) -> String? {
    guard try player.open() == MH_OK else { return nil }
    for step in steps {
      take(step.event)
      guard let unit = try player.play(step.event), !player.hasEnded else { return nil }
      // Whoever is told to measure may take their time.
      if unit.actions.contains(.ready) { return nil }
      note(unit)
    }
    for _ in 0..<Self.patience {
      guard let event = next() else {
        try player.close()
        return "the meter does not answer, and no timer runs: the session waits until the host gives it up"
      }
      guard let unit = try player.play(event), !player.hasEnded else {
        try player.close()
        return nil
      }
      if unit.actions.contains(.ready) { return nil }
      note(unit)
    }
    try player.close()
    return "the meter does not answer, and the driver asks again without end"
  }

  /// Plays a session so far, and then the silence, until the driver ends it or nothing comes any more.
  mutating func playOut(after steps: ArraySlice<SessionTape.Step>) throws(DriverFault) {
    guard try player.open() == MH_OK else { return }
    for step in steps {
      take(step.event)
      guard let unit = try player.play(step.event) else { break }
      note(unit)
    }
    for _ in 0..<Self.patience where !player.hasEnded {
      guard let event = next(), let unit = try player.play(event) else { break }
      note(unit)
    }
    try player.close()
  }

  private mutating func take(_ event: DriverEvent) {
    (now, sequence, wall) = (event.monotonicNanoseconds, event.sequence, event.unixMicroseconds)
    guard event.token != 0 else { return }
    if case .timer = event.fact { timers[event.token] = nil } else { asked.removeAll { $0.token == event.token } }
  }

  private mutating func note(_ unit: DriverUnit) {
    for action in unit.actions {
      switch action {
      case .timer(let token, let nanoseconds): timers[token] = now &+ nanoseconds
      case .cancelTimer(let token): timers[token] = nil
      default: if action.token != nil { asked.append(action) }
      }
    }
  }

  /// What comes next: the host's answers first, then the timer that runs out first; nil: nothing will.
  private mutating func next() -> DriverEvent? {
    if !asked.isEmpty {
      let action = asked.removeFirst()
      return event(action.answerOfSilentMeter, token: action.token ?? 0)
    }
    guard let timer = timers.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return nil }
    timers[timer.key] = nil
    wall &+= Int64(clamping: (max(now, timer.value) - now) / 1000)
    now = max(now, timer.value)
    return event(.timer, token: timer.key)
  }

  private mutating func event(_ fact: DriverFact, token: UInt64) -> DriverEvent {
    sequence += 1
    return DriverEvent(
      sequence: sequence, token: token, monotonicNanoseconds: now, unixMicroseconds: wall, fact: fact)
  }
}

extension DriverAction {
  /// The token of an action that the host answers.
  fileprivate var token: UInt64? {
    switch self {
    case .subscribe(_, let token), .unsubscribe(_, let token), .read(_, let token), .write(_, _, let token),
      .exchangeMTU(_, let token), .pair(_, let token), .askUser(_, let token):
      token
    case .writeNoResponse, .timer, .cancelTimer, .ready, .progress, .finish, .fail: nil
    }
  }

  /// How the host answers when the link is up and the meter's application is not: writes and subscriptions go through.
  fileprivate var answerOfSilentMeter: DriverFact {
    switch self {
    case .subscribe(let handle, _), .unsubscribe(let handle, _): .subscribed(handle: handle, status: 0)
    // 0x0E: Unlikely Error (Core Specification, Vol 3 Part F 3.4.1.1).
    case .read(let handle, _): .read(handle: handle, [], status: 0x0E)
    case .write(let handle, _, _): .wrote(handle: handle, status: 0)
    case .exchangeMTU: .mtu(23)
    case .askUser: .userInput([], status: MH_E_DENIED)
    default: .encrypted(level: 2)
    }
  }
}
