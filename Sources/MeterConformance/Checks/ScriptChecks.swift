import BluetoothWire
import CMeterDriver
import DriverContract
import MeterDrivers
import VirtualMeter

extension Check {
  /// What the script of a meter knows of its values, and of what has to be written to it.
  static let scripts: [Check] = [
    Check(
      .r11, "expected", "Everything is written that the script of a virtual meter asks for.",
      mend: "send what the meter's protocol asks for: an acknowledgement, the end of a transfer, a clock"
    ) { context in
      let reads = context.reads.filter(\.meter.isScripted)
      guard !reads.isEmpty else { return .skipped(noScript) }
      for read in reads {
        if let words = read.broken { return .failed(words, place: read.meter.name) }
      }
      return .passed
    },
    Check(
      .r11, "silence",
      "While a driver waits for an answer a timer runs, and when the meter stays silent the session ends.",
      mend: "start a timer with every question, and ask again or fail with MH_FAIL_TIMEOUT when it runs out"
    ) { context in
      let asked = Set(context.reads.filter(\.meter.isScripted).map(\.meter.name))
      let tapes = context.tapes.filter { asked.contains($0.meter) }
      guard !tapes.isEmpty else { return .skipped(noScript) }
      for tape in tapes {
        for place in tape.answers.evenly(mostPlaces) {
          let words = try await context.probing { probe in
            var silence = SilentMeter(context.player(tape, on: probe))
            return try silence.run(after: tape.steps.prefix(place))
          }
          if let words { return .failed(words, place: context.line(tape, place)) }
        }
      }
      return .passed
    },
    Check(
      .r12, "settling", "A value that the meter still settles is provisional, and never a reading.",
      mend: "set MH_REC_PROVISIONAL until the meter says that the value stands"
    ) { context in
      let reads = context.reads.filter { !$0.testimony.settling.isEmpty }
      guard !reads.isEmpty else { return .skipped("no script of the bundle's meters marks a value as settling") }
      for read in reads {
        let found = read.records(of: read.testimony.settling) { !$0.flags.contains(.provisional) }
        if let place = found { return .failed("a value that is still settling came as a reading", place: place) }
        let (came, held) = (read.readings.count, read.meter.readings)
        if held > 0, came > held {
          return .failed(
            "the meter settles its values and holds \(held) readings; \(came) came", place: read.meter.name)
        }
      }
      return .passed
    },
    Check(
      .r12, "live", "A reading that the meter does not keep has a live identity.",
      mend:
        "set MH_IDENT_LIVE where there is neither a sequence number nor the time of a set clock: the same value again is "
        + "another reading"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for read in context.reads {
        let found = read.records(of: read.testimony.live) { $0.identityClass == .stored }
        if let place = found { return .failed("a reading that is kept nowhere has a stored identity", place: place) }
        for tape in read.tapes {
          for step in tape.steps where step.unit.records.contains(where: \.isNamedByItsValueAlone) {
            return .failed(
              "a reading without a sequence number and without a time has a stored identity: measured twice, it is one",
              place: "\(tape.meter): \(step.event.line)")
          }
        }
      }
      return .passed
    },
  ]

  private static let noScript = "no virtual meter of the bundle has its questions and answers in its script"
  /// Places of a session at which the meter falls silent.
  private static let mostPlaces = 40
}

extension DriverRecord {
  /// Whether nothing but the value tells two readings of it apart.
  fileprivate var isNamedByItsValueAlone: Bool {
    kind == .measurement && identityClass == .stored && deviceSequence == nil && timeKind == .none
  }
}

extension SessionTape {
  /// The places of events with which the meter answers what was written before.
  fileprivate var answers: [Int] {
    var hasAsked = false
    return steps.indices.filter { place in
      defer { hasAsked = hasAsked || steps[place].unit.actions.contains(where: \.isWrite) }
      switch steps[place].event.fact {
      case .notification, .indication: return hasAsked
      default: return false
      }
    }
  }

  /// The characteristic that carried an event's value; nil: an advertisement.
  func characteristic(of fact: DriverFact) -> BluetoothUUID? {
    switch fact {
    case .notification(let handle, _), .indication(let handle, _), .read(let handle, _, _):
      characteristics.first { $0.handle == handle }.flatMap { BluetoothUUID(bytes: $0.uuid.bigEndianBytes) }
    default: nil
    }
  }
}

extension RecordedRead {
  /// What the meter waited for in vain; nil: nothing, or something else ended the read.
  var broken: String? {
    guard first.isComplete || !first.needsPerson && tapes.allSatisfy({ $0.fault == nil }) else { return nil }
    return testimony.unmet.first
  }

  /// The first place at which one of these values has brought a measurement that is so.
  fileprivate func records(
    of values: Set<MeterTestimony.SentValue>, where isSo: (DriverRecord) -> Bool
  ) -> String? {
    guard !values.isEmpty else { return nil }
    for tape in tapes {
      for step in tape.steps {
        guard let value = step.event.fact.value,
          values.contains(.init(tape.characteristic(of: step.event.fact), value)),
          step.unit.records.contains(where: { $0.kind == .measurement && isSo($0) })
        else { continue }
        return "\(tape.meter): \(step.event.line)"
      }
    }
    return nil
  }
}

extension DriverAction {
  fileprivate var isWrite: Bool {
    switch self {
    case .write, .writeNoResponse: true
    default: false
    }
  }
}

extension Array {
  /// So many of the elements at most, over the whole length.
  fileprivate func evenly(_ most: Int) -> [Element] {
    stride(from: 0, to: count, by: Swift.max(1, (count + most - 1) / most)).map { self[$0] }
  }
}
