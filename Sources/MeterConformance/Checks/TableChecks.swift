import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// Hosts of other builds, and tables that have grown.
  static let tables: [Check] = [
    Check(
      .r3, "grown-tables", "Tables that are longer than the driver knows change nothing.",
      mend: "read a struct's fields only as far as your headers go, and never copy it by its struct_size"
    ) { try await $0.compare(.growsTables) },
    Check(
      .r3, "table-ends", "Nothing is read behind the end of a table.",
      mend: "ask with MH_HAS before you use a field that came after your first minor"
    ) { try await $0.compare(.guardsTables) },
    Check(
      .r4, "later-host", "A host of the next minor is served as this one is.",
      mend: "judge the host with mh_host_fits in mh_driver_entry: the same major, and every minor of it"
    ) { context in
      let count = try await context.probing { $0.drivers.count }
      let served: Int
      do {
        served = try await context.probing(.laterHost) { $0.drivers.count }
      } catch let fault as DriverFault where fault.code == .refused {
        return .failed("it refuses a host of the next minor (\(fault.cause ?? ""))")
      }
      guard served == count else { return .failed("a host of the next minor is shown \(served) drivers, not \(count)") }
      let verdict = try await context.compare(.laterHost)
      if case .skipped = verdict { return .passed }
      return verdict
    },
    Check(
      .r4, "other-major", "A host of another major is refused.",
      mend: "answer MH_REFUSED with mh_refusal() when mh_host_fits says no"
    ) { context in
      do {
        _ = try await context.probing(.otherMajor) { $0.drivers.count }
        return .failed("it gives its table to a host of the next major")
      } catch let fault as DriverFault where fault.code == .refused {
        return .passed
      } catch let fault as DriverFault where fault.rule == "R1" {
        return .failed("it holds nothing for a host of the next major, and does not say MH_REFUSED")
      }
    },
    Check(
      .r5, "unknown-table", "A table that the driver does not have is NULL.",
      mend: "compare the whole id in mh_driver.extension, and answer NULL to every other"
    ) { context in
      try await context.probing { probe in
        context.trace.begin("", "extension")
        do throws(ProbeFailure) {
          for id in ["", "org.example.nothing/1", MH_EXT_CRYPTO + "x"]
          where try probe.client.hasExtension(driver: context.driver, id) {
            return .failed("it has a table under \"\(id)\", which nobody has defined")
          }
        } catch { throw probe.fault(error) }
        return .passed
      }
    },
    Check(
      .r5, "host-without-tables", "A host without extensions is no reason to crash.",
      mend:
        "look at what host.extension returns, and fail with MH_FAIL_UNSUPPORTED_METER when you need what is not there"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        try await context.probing(.withoutExtensions) { probe in
          let player = context.player(tape, on: probe)
          guard try player.open() == MH_OK else { return }
          for step in tape.steps { try player.play(step.event) }
          try player.close()
        }
      }
      return .passed
    },
  ]
}
