import DriverProbe
import DriverContract

extension Check {
  /// Sinks of every size.
  static let sinks: [Check] = [
    Check(
      .r13, "small-sinks", "Sinks that hold one record bring the same as large ones.",
      mend:
        "say MH_E_FULL with the sink unchanged when the next whole record does not fit, and go on with it at MH_EV_CONTINUE"
    ) { try await $0.compare(.smallSinks) }
  ]
}
