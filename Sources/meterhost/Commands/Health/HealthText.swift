import HostPrimitives
import MeterHealth

/// What an import comes to, for a person.
struct HealthText {
  private let file: String
  private let found: HealthImporter.Outcome
  private let result: HealthResult
  private let terminal: Terminal

  /// Columns of the table of days: heading, metric.
  private static let columns = [
    ("STEPS", "steps"), ("DISTANCE m", "distance"), ("FLOORS", "floors_climbed"),
    ("ACTIVE kcal", "active_energy_burned"), ("ALL kcal", "energy_burned"), ("HEART RATE /min", "avg_heart_rate"),
  ]

  init(_ file: String, _ found: HealthImporter.Outcome, _ result: HealthResult, _ terminal: Terminal) {
    (self.file, self.found, self.result, self.terminal) = (file, found, result, terminal)
  }

  func show() {
    terminal.list([
      ("file", file), ("format", "\(found.format), read by \(found.driver)"),
      ("written", found.exportedMicroseconds.map { CivilMoment.utcSeconds(microseconds: $0) } ?? ""),
      ("samples", "\(result.samples.values.reduce(0, +)) of \(result.samples.count) types"),
      ("days", days), ("sleep", count(result.sleep.count, "session")),
      ("workouts", count(result.workouts.count, "workout")),
      ("measured", count(result.measurements.count, "measurement")),
      ("food", count(result.nutrition.count, "daily record")),
      ("refused", result.refusedCount == 0 ? "" : "\(result.refusedCount)"),
      ("partial", result.isPartial ? "yes" : ""),
    ])
    table(
      ["DAY"] + Self.columns.map(\.0) + ["SLEEP h"],
      result.days.map { day in
        [day.day.text] + Self.columns.map { day.value($0.1)?.description ?? "" } + [sleep(onDay: day.day.text)]
      })
    table(["TYPE", "SAMPLES"], result.samples.sorted { $0.key < $1.key }.map { [$0.key, "\($0.value)"] })
    table(
      ["REFUSED", "SAMPLES", "FIRST AT"], result.refused.map { [$0.reason.rawValue, "\($0.count)", "\($0.first)"] })
    table(
      ["DIFFERS ON", "METRIC", "SUM", "THE EXPORT SAYS"],
      result.differences.map { [$0.day, $0.metric, "\($0.ours)", "\($0.theirs)"] })
  }

  private var days: String {
    guard let first = result.days.first, let last = result.days.last else { return "none of those that were asked for" }
    return "\(result.days.count), \(first.day.text) to \(last.day.text)"
  }

  private func count(_ count: Int, _ name: String) -> String {
    count == 0 ? "" : "\(count) \(name)\(count == 1 ? "" : "s")"
  }

  private func table(_ heading: [String], _ rows: [[String]]) {
    guard !rows.isEmpty else { return }
    terminal.out("")
    terminal.table(heading, rows)
  }

  /// Hours of the main session, to a tenth.
  private func sleep(onDay day: String) -> String {
    let main = result.sleep.first { $0.day == day && $0.isMain }
    let slept = main?.metrics.first { $0.name == "sleep_duration" }
    return slept?.value.fraction.divided(by: Fraction(3600))?.rounded(places: 1)?.description ?? ""
  }
}
