import DriverContract
import MeterDrivers
import VirtualMeter

extension Check {
  /// What a session says of itself when it ends before its time.
  static let finishes: [Check] = [
    Check(
      .r12, "finished",
      "A session whose link breaks, or whose meter falls silent, ends as finished only when all stored readings have "
        + "come.",
      mend: "answer MH_EV_DISCONNECTED and a timeout with MH_DO_FAIL until the meter has said that it is through"
    ) { context in
      let tapes = context.reads.filter(\.meter.saysThatItIsThrough).flatMap(\.tapes)
        .filter { $0.fault == nil && $0.endsWithAnAnswer && !$0.storedReadings.isEmpty }
      guard !tapes.isEmpty else {
        return .skipped("no virtual meter of the bundle stores readings and says that it has sent all of them")
      }
      for tape in tapes {
        let step = max(1, tape.steps.count / (context.isThorough ? mostPlacesOfAThoroughRun : mostPlaces))
        let counts = Array(stride(from: 1, to: tape.steps.count, by: step))
        let wanted = tape.storedReadings
        let found: (EarlyEnd, Int, Int)? = try await context.probing { probe in
          for count in counts {
            for end in EarlyEnd.allCases {
              let player = context.player(tape, on: probe)
              try end.play(player, after: count)
              let missing = wanted.subtracting(player.storedReadings).count
              if player.hasFinished, missing > 0 { return (end, count, missing) }
            }
          }
          return nil
        }
        guard let (end, count, missing) = found else { continue }
        return .failed(
          "\(end.rawValue), \(missing) of \(wanted.count) stored readings have not come, and the driver says that it has "
            + "finished", place: context.line(tape, count - 1))
      }
      return .passed
    }
  ]

  /// Places of a session at which it is cut off; longer ones are looked at in steps.
  private static let (mostPlaces, mostPlacesOfAThoroughRun) = (40, 150)
}

/// How a session loses its meter.
private enum EarlyEnd: String, CaseIterable, Sendable {
  case disconnected = "the link breaks"
  case silent = "the meter falls silent"

  /// Plays the first steps of a tape, and the end.
  func play(_ player: TapePlayer, after count: Int) throws(DriverFault) {
    let steps = player.tape.steps.prefix(count)
    switch self {
    case .silent:
      var meter = SilentMeter(player)
      try meter.playOut(after: steps)
    case .disconnected:
      guard try player.open() == 0 else { return }
      for step in steps { try player.play(step.event) }
      if var event = steps.last?.event {
        event.token = 0
        event.fact = .disconnected(reason: 0x13)
        try player.play(event)
      }
      try player.close()
    }
  }
}

extension SubjectMeter {
  /// Whether its protocol has an end, so that a link that breaks or a meter that is silent is none.
  fileprivate var saysThatItIsThrough: Bool {
    switch script.behaviour {
    case .glucose, .taidoc, .oneTouch, .keyed: true
    default: false
    }
  }
}

extension SessionTape {
  /// Whether it was something from the meter that made the driver finish, and not a timer or the end of the link.
  fileprivate var endsWithAnAnswer: Bool {
    guard let last = steps.last(where: { $0.unit.actions.contains(.finish) }) else { return false }
    switch last.event.fact {
    case .notification, .indication, .read, .wrote: return true
    default: return false
    }
  }

  /// The identities of stored readings.
  fileprivate var storedReadings: Set<[UInt8]> { records.storedReadings }
}

extension TapePlayer {
  fileprivate var hasFinished: Bool { units.contains { $0.actions.contains(.finish) } }
  fileprivate var storedReadings: Set<[UInt8]> { units.flatMap(\.records).storedReadings }
}

extension [DriverRecord] {
  fileprivate var storedReadings: Set<[UInt8]> {
    Set(filter { $0.isReading && $0.identityClass == .stored }.map(\.identity))
  }
}
