import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// What a driver does to the process around it, and asks of the system.
  static let surroundings: [Check] = [
    Check(
      .r7, "imports", "The library asks libc for no thread, process, file, socket, locale or exit.",
      mend: "leave it out: the host owns files, sockets and threads, and the driver answers by records and actions"
    ) { context in
      try forbidden(context, .surroundings)
    },
    Check(
      .r7, "undisturbed", "Locale, environment, rounding, descriptors and threads are left as they were.",
      mend: "change nothing that belongs to the whole process"
    ) { context in
      try await context.probing { probe in
        func look() throws(DriverFault) -> ProbedProcess {
          do throws(ProbeFailure) { return try probe.client.look() } catch { throw probe.fault(error) }
        }
        let before = try look()
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let after = try look()
        if after.locale != before.locale { return .failed("the locale is \(after.locale), before \(before.locale)") }
        if after.environment != before.environment { return .failed("the environment has changed") }
        if after.rounding != before.rounding { return .failed("the rounding of numbers has changed") }
        if after.descriptors != before.descriptors {
          return .failed("\(after.descriptors) descriptors are open, before \(before.descriptors)")
        }
        if after.threads != before.threads {
          return .failed("\(after.threads) threads run, before \(before.threads)")
        }
        return .passed
      }
    },
    Check(
      .r7, "silent", "Nothing is written to standard output or standard error.",
      mend: "log with host.log; what a driver prints is seen by nobody"
    ) { context in
      try await context.probing { probe in
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let words = probe.printed()
        return words.isEmpty ? .passed : .failed("it wrote \"\(words.prefix(80))\"")
      }
    },
    Check(
      .r7, "in-call", "Host services are used inside of driver calls only.",
      mend: "ask the host in open, event, decode and close only; log and extension may be called at any time"
    ) { context in
      try await context.probing { probe in
        for tape in context.tapes { try context.player(tape, on: probe).playAll() }
        for group in DecodeGroup.groups(context.cases) { _ = try context.decode(group, on: probe) }
        let process: ProbedProcess
        do throws(ProbeFailure) { process = try probe.client.look() } catch { throw probe.fault(error) }
        guard let name = process.servicesOutside.first else { return .passed }
        return .failed("it called \(name) outside of every driver call")
      }
    },
    Check(
      .r8, "imports", "The library asks libc for no clock, random numbers or environment.",
      mend: "take the time from the event (mono_ns, unix_us) and random bytes from host.random"
    ) { context in
      try forbidden(context, .sources)
    },
  ]

  /// As `driver verify` judges it, without running anything.
  private static func forbidden(_ context: CheckContext, _ kind: ForbiddenImport) throws -> Verdict {
    let found = kind.found(in: try context.subject.bundle.imports())
    return found.isEmpty ? .passed : .failed("it needs \(found.joined(separator: ", "))")
  }
}
