import CMeterDriver
import DriverContract
import DriverProbe
import MeterDrivers

extension Check {
  /// What is borrowed, and what is left behind.
  static let memory: [Check] = [
    Check(
      .r6, "borrowed", "Nothing that was lent for a call is used after it.",
      mend: "copy names, values and handles that you need later; what a call hands you is valid until it returns"
    ) { try await $0.compare(.takesBack) },
    Check(
      .r7, "any-thread", "Calls may come on any thread.",
      mend: "keep the session's state in what open returns, never in thread-local storage"
    ) { try await $0.compareSessions(.changesThreads) },
    Check(
      .r7, "nothing-left", "After close nothing of a session is left in memory.",
      mend: "free in close whatever open and event have allocated, wherever the session stands"
    ) { context in
      guard !context.tapes.isEmpty else { return .skipped(context.noSession) }
      for tape in context.tapes {
        // A whole session, and one that is closed in the middle.
        for count in Set([tape.steps.count, tape.steps.count / 2]) {
          let events = Array(tape.events.prefix(count))
          let left = try await context.probing { probe -> Int64 in
            context.trace.begin(tape.meter, "\(times) sessions of \(count) events, opened and closed")
            do throws(ProbeFailure) {
              return try probe.client.growth(
                driver: context.driver, tape.opening, events, times: times, services: TapeServices(tape.exchanges))
            } catch { throw probe.fault(error) }
          }
          if left >= Int64(times) * smallest {
            return .failed("\(times) sessions left \(left) bytes behind, \(left / Int64(times)) each")
          }
        }
      }
      return .passed
    },
  ]

  /// So often that a few bytes of each session cannot be missed.
  private static let times: UInt32 = 100
  /// The least that malloc takes for anything.
  private static let smallest: Int64 = 16
}
