import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// Events at every place of a session.
  static let events: [Check] = [
    Check(
      .r10, "unknown-events",
      "An event of a later minor is answered MH_E_UNSUPPORTED, and the session goes on as if it had not been.",
      mend: "answer MH_E_UNSUPPORTED in the default case of event, before the state is touched"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        let verdict = try await context.probing { probe in try unknownEvents(context, tape, probe) }
        guard case .passed = verdict else { return verdict }
      }
      return .passed
    },
    Check(
      .r10, "cancel", "A cancellation may come after every event, and so may close; it ends the session.",
      mend: "answer MH_EV_CANCEL with MH_DO_FINISH or MH_DO_FAIL wherever the session stands"
    ) { context in
      // The contract grants time: a driver may ask the meter for something first.
      try await context.atEveryEvent { player, step in
        var event = step.event
        event.token = 2_000_000_000
        event.fact = .cancel(graceNanoseconds: 2_000_000_000)
        guard let unit = try player.play(event), !player.hasEnded, !unit.actions.contains(where: \.isAnswered) else {
          return nil
        }
        return "a cancellation neither ends the session nor makes the driver ask for anything: the host waits in vain"
      }
    },
    Check(
      .r10, "disconnected", "The link may go after every event.",
      mend: "after MH_EV_DISCONNECTED give records, keys, finish and fail only, wherever the session stands"
    ) { context in
      try await context.atEveryEvent { player, step in
        var event = step.event
        event.token = 0
        event.fact = .disconnected(reason: 0x13)
        try player.play(event)
        return nil
      }
    },
    Check(
      .r10, "other-answers", "A refusal of the meter is an answer, whatever was asked.",
      mend: "look at the status of subscribed, read and wrote: it is the ATT error"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        try await context.probing { probe in
          for (index, step) in tape.steps.enumerated() {
            guard let refused = step.event.fact.refused else { continue }
            let player = context.player(tape, on: probe)
            try player.open()
            for before in tape.steps.prefix(index) { try player.play(before.event) }
            var event = step.event
            event.fact = refused
            try player.play(event)
            try player.close()
          }
        }
      }
      return .passed
    },
  ]

  private static func unknownEvents(
    _ context: CheckContext, _ tape: SessionTape, _ probe: ProbeProcess
  ) throws(DriverFault) -> Verdict {
    let player = context.player(tape, on: probe)
    try player.open()
    var known: [DriverUnit] = []
    var answersOK = false
    for (step, kind) in zip(tape.steps, [18, 99, 1000, UInt32.max].cycled(tape.steps.count)) {
      var stranger = step.event
      stranger.token = 0
      stranger.fact = .serviceChanged
      guard let unit = try player.play(stranger, kind: kind) else { break }
      guard unit.status == MH_E_UNSUPPORTED || unit.status == MH_OK, unit.isEmpty else {
        return .failed(
          "event answered \(unit.status) and put out \(unit.records.count) records, \(unit.actions.count) actions, "
            + "\(unit.writes.count) keys")
      }
      if unit.status == MH_OK { answersOK = true }
      if let unit = try player.play(step.event) { known.append(unit) }
    }
    try player.close()
    if let difference = UnitDifference(tape.steps.map(\.unit), known) {
      return .differs(
        "after an unknown event the session is another one: \(difference.words)",
        place: context.line(tape, difference.index))
    }
    return answersOK
      ? .warning("event answers MH_OK to an event that the driver cannot know; MH_E_UNSUPPORTED says so") : .passed
  }
}

extension DriverUnit {
  fileprivate var isEmpty: Bool { records.isEmpty && actions.isEmpty && writes.isEmpty }
}

extension Array {
  /// The elements again and again, so many.
  fileprivate func cycled(_ count: Int) -> [Element] { (0..<count).map { self[$0 % self.count] } }
}

extension DriverAction {
  /// Whether an event answers it.
  fileprivate var isAnswered: Bool {
    switch self {
    case .subscribe, .unsubscribe, .read, .write, .exchangeMTU, .pair, .timer, .askUser: true
    case .writeNoResponse, .cancelTimer, .ready, .progress, .finish, .fail: false
    }
  }
}

extension DriverFact {
  /// The answer with which a meter refuses what was asked; nil: it is no answer. 0x0E: Unlikely Error (Core Specification,
  /// Vol 3 Part F 3.4.1.1).
  fileprivate var refused: DriverFact? {
    switch self {
    case .subscribed(let handle, _): .subscribed(handle: handle, status: 0x0E)
    case .read(let handle, _, _): .read(handle: handle, [], status: 0x0E)
    case .wrote(let handle, _): .wrote(handle: handle, status: 0x0E)
    default: nil
    }
  }
}

extension CheckContext {
  /// Most places of a session that are looked at; longer ones are looked at in steps.
  private static let mostPlaces = 150

  /// Plays every tape to each of its events, does something else then, and closes. What the body says is a warning.
  func atEveryEvent(
    _ body: @escaping @Sendable (TapePlayer, SessionTape.Step) throws -> String?
  ) async throws -> Verdict {
    guard !tapes.isEmpty else { return .skipped(noSession) }
    var warning: Verdict?
    for tape in tapes {
      let found: (String, String)? = try await probing { [self] probe in
        var found: (String, String)?
        let step = max(1, tape.steps.count / Self.mostPlaces)
        for count in stride(from: 1, through: tape.steps.count, by: step) {
          let player = player(tape, on: probe)
          try player.open()
          for step in tape.steps.prefix(count) { try player.play(step.event) }
          let last = tape.steps[count - 1]
          if !player.hasEnded, let words = try body(player, last) { found = found ?? (words, last.event.line) }
          try player.close()
        }
        return found
      }
      if let (words, place) = found { warning = warning ?? .warning(words, place: "\(tape.meter): \(place)") }
    }
    return warning ?? .passed
  }
}
