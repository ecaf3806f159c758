import DriverContract
import DriverProbe
import HostPrimitives
import MeterDrivers

// What a broken or hostile meter would send, handed to the driver in any manner.
extension CheckContext {
  private static let (hostileValues, hostileSessions, cutValues) = (4000, 60, 40)

  private var often: Int { isThorough ? 20 : 1 }

  /// Decodes spoiled values: nothing but a fault is looked for.
  func decodeSpoiled(_ manner: ProbeManner) async throws {
    let groups = DecodeGroup.groups(cases)
    for group in groups {
      try await probing(manner) { [self] probe in
        var seed = Seed(seed)
        for _ in 0..<max(1, often * Self.hostileValues / group.cases.count / groups.count) {
          var spoiled = group
          for index in spoiled.cases.indices {
            spoiled.cases[index].item.bytes = seed.spoil(spoiled.cases[index].item.bytes)
          }
          trace.begin("decode", "")
          for one in spoiled.cases { trace.note(one.line) }
          do throws(ProbeFailure) {
            _ = try probe.client.decode(driver: driver, spoiled.opening, spoiled.items)
          } catch { throw probe.fault(error) }
        }
      }
    }
  }

  /// Plays every tape with spoiled values.
  func playSpoiled(_ manner: ProbeManner) async throws {
    for tape in tapes {
      try await probing(manner) { [self] probe in
        var seed = Seed(seed)
        for _ in 0..<often * Self.hostileSessions {
          let player = player(tape, on: probe)
          try player.open()
          for event in spoiled(tape, &seed) { try player.play(event) }
          try player.close()
        }
      }
    }
  }

  /// Plays every tape to each of its values, and that one cut at each length.
  func playCut(_ manner: ProbeManner) async throws {
    for tape in tapes {
      try await probing(manner) { [self] probe in
        let values = tape.steps.indices.filter { tape.steps[$0].event.fact.value != nil }
        for index in values.prefix(Self.cutValues) {
          let fact = tape.steps[index].event.fact
          for length in 0..<min(fact.value?.count ?? 0, 32) {
            let player = player(tape, on: probe)
            try player.open()
            for step in tape.steps.prefix(index) { try player.play(step.event) }
            var event = tape.steps[index].event
            event.fact = fact.with(value: Array(fact.value?.prefix(length) ?? []))
            try player.play(event)
            // What follows belongs to another conversation now.
            for step in tape.steps[(index + 1)...].prefix(3) { try player.play(step.event) }
            try player.close()
          }
        }
      }
    }
  }

  /// Whether the driver keeps inside of what it was lent, also when that is short. A crash that comes without guards, too,
  /// is no matter of bounds.
  func untouched() async throws -> Verdict {
    let verdict = try await guarded { manner in try await self.compare(manner) }
    guard case .passed = verdict else { return verdict }
    for body in [decodeSpoiled, playSpoiled, playCut] {
      let verdict = try await guarded { manner in
        try await body(manner)
        return .passed
      }
      guard case .passed = verdict else { return verdict }
    }
    return .passed
  }

  private func guarded(_ body: (ProbeManner) async throws -> Verdict) async throws -> Verdict {
    do { return try await body(.guardsMemory) } catch let fault as DriverFault where fault.code == .crashed {
      let (place, lines) = (trace.place, trace.lines)
      do { _ = try await body([]) } catch {
        return .skipped("it crashes without guards, too: see rule R24")
      }
      trace.restore(place: place, lines)
      throw fault
    }
  }

  /// The events of a tape as a hostile meter would have them. The host's own come in its order.
  private func spoiled(_ tape: SessionTape, _ seed: inout Seed) -> [DriverEvent] {
    tape.events.flatMap { event -> [DriverEvent] in
      guard let value = event.fact.value else { return [event] }
      switch Int.random(in: 0..<8, using: &seed) {
      case 0: return []
      case 1: return [event, event]
      case 2, 3, 4:
        var spoiled = event
        spoiled.fact = event.fact.with(value: seed.spoil(value))
        return [spoiled]
      default: return [event]
      }
    }
  }
}

extension DecodeCase {
  fileprivate var line: String {
    "\(name) \(String(item.characteristic, radix: 16)): \(item.bytes.hexadecimal)"
  }
}
