import DriverContract
import MeterDrivers

extension Check {
  /// What the host itself finds while a driver reads the meters of its bundle: a check for every rule that it keeps.
  static let sessions: [Check] = [
    session(
      .r9, "open serves the meters of the bundle",
      "serve every purpose and meter that the registry gives to the driver"),
    session(.r10, "event returns what it may", "return one of the statuses that event may return"),
    session(
      .r11, "actions are in form",
      "name the handle, keep to the lengths and kinds, leave zero what an action does not name"
    ),
    session(
      .r12, "records are in form",
      "value is raw * 10^exp10 and finite, runs lie inside the sink, a stored reading has identity"),
    session(.r13, "a full sink is left as it is", "say MH_E_FULL only when the next whole record does not fit"),
    session(.r14, "decode gives one answer a value", "set status, first_record and n_records of every slice"),
    session(.r16, "budgets are kept", "do less in one event: 1 s of CPU time, 4096 records, 64 rounds"),
    session(
      .r23, "keys are in form", "write keys under user/ or meter/, 64 bytes at most, with values of 4096 bytes at most"),
    session(.r24, "no session ends with a crash", "build with -fsanitize=address,undefined and play the events again"),
    session(
      .r25, "nothing is asked of a meter that is gone",
      "after MH_EV_DISCONNECTED give records, keys, finish and fail only"),
    session(.r7, "nothing is asked of the system", "leave files, sockets, threads and processes to the host"),
    session(.r8, "nothing is asked of the system but memory", "take time and random bytes from the host"),
    Check(
      .r16, "cpu", "No event takes more than 10 ms of CPU time.",
      mend: "do less in one event; above 1 s the host ends the session"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        if let step = tape.steps.first(where: { $0.cpuNanoseconds > 10_000_000 }) {
          return .warning(
            "an event took \(step.cpuNanoseconds / 1_000_000) ms of CPU time",
            place: "\(tape.meter): \(step.event.line)")
        }
      }
      return .passed
    },
    Check(
      .r16, "log", "No more than 100 lines a second are logged.",
      mend: "log what a person can do something about"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        for step in tape.steps {
          if let line = step.unit.logs.first(where: { $0.message.hasSuffix("[rule R16]") }) {
            return .warning(line.message, place: "\(tape.meter): \(step.event.line)")
          }
        }
      }
      return .passed
    },
  ]

  private static func session(_ rule: Rule, _ title: String, _ mend: String) -> Check {
    Check(rule, "session", "In sessions with the bundle's own meters \(title).", mend: mend) { context in
      for tape in context.reads.flatMap(\.tapes) {
        guard let fault = tape.fault, fault.brokenRule == rule else { continue }
        context.trace.begin(tape.meter, "open")
        for event in tape.events { context.trace.note(event.line) }
        if let fatal = tape.fatal { context.trace.note(fatal.line) }
        throw fault
      }
      return context.reads.contains { !$0.tapes.isEmpty } ? .passed : .skipped(context.noSession)
    }
  }
}

extension DriverFault {
  /// The rule that a fault is about; a process that died is R24's, unless it is known why.
  var brokenRule: Rule { rule.flatMap { Rule($0) } ?? .r24 }

  /// Whether the driver's process is gone.
  var isDeath: Bool { code == .crashed || code == .hung }
}
