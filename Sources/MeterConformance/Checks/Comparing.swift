import DriverContract
import DriverProbe
import MeterDrivers

extension CheckContext {
  /// Plays every tape, and decodes every value, in a manner that must make no difference.
  func compare(_ manner: ProbeManner) async throws -> Verdict {
    if tapes.isEmpty, cases.isEmpty { return .skipped("\(noSession); \(nothingToDecode)") }
    for tape in tapes {
      let found = try await probing(manner) { [self] probe in
        let player = player(tape, on: probe)
        try player.playAll()
        return UnitDifference(tape.steps.map(\.unit), player.units).map { ($0.words, line(tape, $0.index)) }
      }
      if let (words, place) = found { return .differs(words, place: place) }
    }
    for group in DecodeGroup.groups(cases) {
      let plain = try await probing { [self] probe in try decode(group, on: probe) }
      let other = try await probing(manner) { [self] probe in try decode(group, on: probe) }
      if let verdict = difference(plain, other, group) { return verdict }
    }
    return .passed
  }

  /// The same for sessions alone.
  func compareSessions(
    _ manner: ProbeManner, opening change: @escaping @Sendable (DriverOpening) -> DriverOpening = { $0 }
  ) async throws -> Verdict {
    guard !tapes.isEmpty else { return .skipped(noSession) }
    for tape in tapes {
      let found = try await probing(manner) { [self] probe in
        let player = player(tape, on: probe, opening: change(tape.opening))
        try player.playAll()
        return UnitDifference(tape.steps.map(\.unit), player.units).map { ($0.words, line(tape, $0.index)) }
      }
      if let (words, place) = found { return .differs(words, place: place) }
    }
    return .passed
  }

  /// Whether everything is as it was before when nothing special is tried.
  func isSameTwice() async throws -> Bool {
    for tape in tapes {
      let isSame = try await probing { [self] probe in
        let player = TapePlayer(tape, on: probe, driver: driver, trace: Trace())
        try player.playAll()
        return UnitDifference(tape.steps.map(\.unit), player.units) == nil
      }
      guard isSame else { return false }
    }
    let before = firstOutcomes
    for (index, group) in DecodeGroup.groups(cases).enumerated() where index < before.count {
      let now = try await probing { [self] probe in try decode(group, on: probe) }
      guard now == before[index] else { return false }
    }
    return true
  }

  /// Whether two ways of decoding the same values came to the same; nil: they did.
  func difference(_ plain: [[DecodeOutcome]], _ other: [[DecodeOutcome]], _ group: DecodeGroup) -> Verdict? {
    guard let expected = plain.first else { return nil }
    for run in other {
      guard let index = run.indices.first(where: { run[$0] != expected[$0] }) else { continue }
      let (before, after) = (expected[index], run[index])
      return .differs(
        "it decodes to status \(after.status) and \(after.records.count) records, before to status \(before.status) and "
          + "\(before.records.count)" + (before.records.count == after.records.count ? " with other content" : ""),
        place: group.cases[index].name)
    }
    return nil
  }

  /// The event of a tape with its meter.
  func line(_ tape: SessionTape, _ index: Int) -> String {
    let event = index < tape.steps.count ? tape.steps[index].event.line : "the end"
    return "\(tape.meter): \(event)"
  }
}
