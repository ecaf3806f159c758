import CMeterDriver
import DriverContract
import MeterBluetooth
import MeterCore
import MeterDrivers
import VirtualMeter

extension Check {
  /// What comes of the meters of a bundle, and what of its values.
  static let readings: [Check] = [
    Check(
      .r12, "read", "A read of each virtual meter completes and brings readings that the host takes.",
      mend: "units and metrics are the dictionary's; finish with MH_DO_FINISH when everything has been read"
    ) { context in
      guard !context.subject.meters.isEmpty, context.hasSessions else { return .skipped(context.noSession) }
      var warning: Verdict?
      var skipped: String?
      for read in context.reads {
        let name = read.meter.name
        // It stands under its own rule.
        if read.tapes.contains(where: { $0.fault != nil }) || !read.first.isComplete && read.broken != nil { continue }
        if let reason = read.first.summary.rejected.first {
          return .failed("the host refuses a record: \(reason)", place: name)
        }
        if let entry = read.entries.first(where: { $0.reason == HoldReason.unknownMetric.rawValue }) {
          return .failed(
            "a record has a metric or unit that the dictionary does not have (\(words(entry)))", place: name)
        }
        guard read.first.isComplete else {
          if read.first.needsPerson {
            skipped = "\(name): it needs a key or an answer that is not there: \(read.first.words)"
            continue
          }
          return .failed("the read did not complete: \(read.first.words)", place: name)
        }
        let held = read.meter.readings
        if read.entries.isEmpty, held > 0 {
          return .failed("the meter holds \(held) readings and none came", place: name)
        }
        if let words = read.missed(context.decoded(name)) { return .failed(words, place: name) }
        if let record = read.twice {
          return .failed("one reading came under two names (\(words(record)))", place: name)
        }
        let came = read.readings.count + read.left
        if came < held {
          warning = .warning(
            "the meter holds \(held) readings and \(came) came; a record that is none has \"reading\": false in the script",
            place: name)
        }
        if let entry = read.entries.first(where: { $0.reason == HoldReason.implausibleValue.rawValue }) {
          warning = .warning("a reading is held because it is implausible (\(words(entry)))", place: name)
        }
        if let entry = read.entries.first(where: { $0.reason == HoldReason.notDeliverable.rawValue }) {
          warning = .warning("a reading can be sent to no receiver (\(words(entry)))", place: name)
        }
      }
      if let skipped { return .skipped(skipped) }
      if context.tapes.isEmpty { return .skipped(context.noSession) }
      return warning ?? .passed
    },
    Check(
      .r12, "identity", "A second read of the same memory brings every reading under the name that it has.",
      mend: "identity is sequence, uncorrected time and raw numbers as the meter sent them, and nothing else"
    ) { context in
      let again = context.reads.filter { $0.second != nil }
      guard !again.isEmpty else { return .skipped("no meter of the bundle stores readings that can be read again") }
      for read in again {
        guard let second = read.second else { continue }
        guard second.isComplete || second.error?.code == .communicationFailure else {
          return .failed("the second read did not complete: \(second.words)", place: read.meter.name)
        }
        if let revised = second.summary.revised.first {
          return .failed("the same reading came with other content (\(words(revised.record)))", place: read.meter.name)
        }
        if let suspect = read.entriesAfterSecond.first(where: \.isSuspect) {
          return .failed("two readings came under one name (\(words(suspect)))", place: read.meter.name)
        }
        if let new = second.submitted.first(where: { $0.record.identityClass == .stored }) {
          return .failed("the same reading came under another name (\(words(new.record)))", place: read.meter.name)
        }
      }
      return .passed
    },
    Check(
      .r26, "context", "Where only the context tells the analyte, nothing is delivered without it.",
      mend:
        "with MH_PARAM_CONTEXT_DECIDES hold a record back until its context has come, and leave the cursor before it"
    ) { context in try await context.withoutContexts() },
  ]

  private static func words(_ entry: QueueEntry) -> String {
    entry.record.map(words) ?? entry.reason ?? "unknown"
  }

  private static func words(_ record: MeterCore.Record) -> String {
    record.values.map { "\($0.metricName) \($0.number) \($0.ucum)" }.joined(separator: ", ")
  }
}

extension CheckContext {
  /// Plays the sessions of meters with contexts, without the contexts and with the word that they decide (rule R26).
  fileprivate func withoutContexts() async throws -> Verdict {
    let decides = UInt16(MH_PARAM_CONTEXT_DECIDES)
    guard subject.peripherals.contains(where: { $0.quirks.contains { $0.parameters.contains { $0.name == decides } } })
    else { return .skipped("no entry of the registry gives the driver the quirk context_decides") }
    var hasContexts = false
    for tape in tapes {
      let contexts = try await contexts(of: tape)
      guard !contexts.isEmpty else { continue }
      hasContexts = true
      var opening = tape.opening
      opening.parameters.append(DriverParameter(name: decides, value: .integer(1)))
      let found: (String, String)? = try await probing { [self, opening] probe in
        let player = player(tape, on: probe, opening: opening)
        try player.open()
        for step in tape.steps where !contexts.contains(step.event.sequence) {
          guard let unit = try player.play(step.event) else { break }
          if unit.records.contains(where: { $0.kind == .measurement && !$0.flags.contains(.provisional) }) {
            return ("a reading was delivered whose context never came", step.event.line)
          }
        }
        try player.close()
        return nil
      }
      if let (words, place) = found { return .failed(words, place: "\(tape.meter): \(place)") }
    }
    return hasContexts ? .passed : .skipped("no virtual meter of the bundle sends contexts that the driver decodes")
  }

  /// The events of a tape whose value is a context: their place in the session.
  private func contexts(of tape: SessionTape) async throws -> Set<UInt64> {
    let heard = cases.filter { $0.source?.meter == tape.meter }
    guard let group = DecodeGroup.groups(heard).first else { return [] }
    let outcomes = try await probing { [self] probe in try decode(group, on: probe) }.first ?? []
    let contexts = zip(group.cases, outcomes).filter { one in one.1.records.contains { $0.kind == .context } }
    return Set(contexts.compactMap { $0.0.source?.event })
  }
}
