import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// The bundle as a file, its entry, and what the registry says of it.
  static let loading: [Check] = [
    Check(
      .r1, "verified", "The bundle exports mh_driver_entry and nothing else.",
      mend: "link with SDK/driver.map"
    ) { _ in .passed },
    Check(
      .r1, "entry", "mh_driver_entry gives the same table whenever it is asked, and MH_END behind the last driver.",
      mend: "answer MH_END to every index that you have no driver for, and hand out constant tables"
    ) { context in
      try await context.probing { probe in
        let count = UInt32(probe.drivers.count)
        func ask(_ index: UInt32) throws(DriverFault) -> ProbedEntry {
          context.trace.begin("", "mh_driver_entry(\(index))")
          do throws(ProbeFailure) { return try probe.client.entry(index) } catch { throw probe.fault(error) }
        }
        for index in 0..<count {
          let (first, second) = (try ask(index), try ask(index))
          guard first.status == 0, first == second else {
            return .failed("asked twice for index \(index) it gave two tables, or none (status \(second.status))")
          }
        }
        for index in [count, count + 1, 63, 64, .max] where index >= count {
          let said = try ask(index)
          guard said.status == 1 else {
            return .failed("index \(index), which there is not, got status \(said.status)")
          }
        }
        return .passed
      }
    },
    Check(
      .r2, "layout", "The bundle was built with the headers of the contract that it names.",
      mend: "build with the released headers, unchanged"
    ) { _ in .passed },
    Check(
      .r19, "entry", "Id, version, capabilities and functions of the registry's entry are the bundle's.",
      mend: "correct the entry, or the driver's table"
    ) { context in
      guard !context.subject.hasMadeUpEntry else { return .skipped(Subject.madeUp) }
      let drivers = try await context.probing { $0.drivers }
      return context.subject.entry.disagreement(with: drivers).map { .failed("\($0.reason); \($0.cure)") } ?? .passed
    },
    Check(
      .r20, "verified", "The file is what the host would map: ELF, architecture, libraries, note, hash.",
      mend: "see what `meterhost driver verify` says"
    ) { _ in .passed },
    Check(
      .r20, "sealed", "The registry fragment names the library's SHA-256.",
      mend: "run scripts/seal-registry on the fragment before you ship it"
    ) { context in
      if context.subject.hasMadeUpEntry { return .skipped(Subject.madeUp) }
      return context.subject.entry.sha256 == nil
        ? .skipped("the entry has no sha256 yet: a sealed installation refuses it") : .passed
    },
    Check(
      .r21, "match", "The registry recognises every virtual meter of the bundle as one of the driver's.",
      mend: "correct the match rules of the peripheral, or the meter's advertisement"
    ) { context in
      guard !context.subject.hasMadeUpEntry else { return .skipped(Subject.madeUp) }
      if let stranger = context.subject.strangers.first {
        return .failed("no entry of this driver is chosen for it", place: stranger)
      }
      return context.subject.meters.isEmpty ? .skipped("no virtual meter") : .passed
    },
    Check(
      .r21, "ties", "No two entries of the registry have the same match rule.",
      mend: "make one of the rules more specific"
    ) { context in
      guard !context.subject.hasMadeUpEntry else { return .skipped(Subject.madeUp) }
      let own = Set(context.subject.peripherals.map(\.id))
      let tie = context.subject.registry.ties().first { $0.contains { own.contains($0.id) } }
      guard let tie else { return own.isEmpty ? .skipped("no peripheral is read with this driver") : .passed }
      return .failed("entries \(tie.map { "\($0.id)" }.joined(separator: " and ")) have the same rule")
    },
    Check(
      .r22, "fragment", "The registry fragment has no keys that nobody knows.",
      mend: "correct the key's spelling; docs/reference/registry.md lists all"
    ) { context in
      guard context.subject.staged != nil, !context.subject.hasMadeUpEntry else {
        return .skipped("the fragment is not in the hands of this test")
      }
      return context.subject.registry.warnings.first.map { .warning("\($0)") } ?? .passed
    },
  ]
}
