import DriverContract
import MeterDrivers

extension Check {
  /// The same session twice.
  static let replaying: [Check] = [
    Check(
      .r8, "same-bytes", "The same session gives the same records, actions and keys in another process.",
      mend:
        "let nothing into the output but what open and the events say: no address, clock, chance, or order of a hash table"
    ) { context in
      for _ in 0..<2 {
        let verdict = try await context.compare([])
        guard case .passed = verdict else { return verdict }
      }
      return .passed
    },
    Check(
      .r8, "second-session", "A session leaves nothing in the library that a later one could see.",
      mend: "keep the state of a session in what open returns, never in a static variable"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        let found = try await context.probing { probe in
          // Once cut off in the middle, once whole, and the third is compared.
          let broken = context.player(tape, on: probe)
          try broken.open()
          for step in tape.steps.prefix(tape.steps.count / 2) { try broken.play(step.event) }
          try broken.close()
          try context.player(tape, on: probe).playAll()
          let last = context.player(tape, on: probe)
          try last.playAll()
          return UnitDifference(tape.steps.map(\.unit), last.units).map { ($0.words, context.line(tape, $0.index)) }
        }
        if let (words, place) = found { return .differs(words, place: place) }
      }
      return .passed
    },
    Check(
      .r8, "two-sessions", "Two sessions side by side do not see each other.",
      mend: "keep the state of a session in what open returns, never in a static variable"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        let found = try await context.probing { probe in
          let players = [1, 2].map { context.player(tape, on: probe, session: $0) }
          for player in players { try player.open() }
          for step in tape.steps { for player in players { try player.play(step.event) } }
          for player in players { try player.close() }
          return players.lazy.compactMap { UnitDifference(tape.steps.map(\.unit), $0.units) }.first
            .map { ($0.words, context.line(tape, $0.index)) }
        }
        if let (words, place) = found { return .differs(words, place: place) }
      }
      return .passed
    },
  ]
}
