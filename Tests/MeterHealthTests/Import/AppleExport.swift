/// An export.xml of March 2026 as a phone in Berlin writes it.
enum AppleExport {
  /// One record. Times are `DD HH:MM`, those of the phone.
  static func record(
    _ type: String, _ source: String, _ start: String, _ end: String? = nil, _ value: String, unit: String? = nil
  ) -> String {
    func time(_ text: String) -> String { "2026-03-\(text):00 +0100" }
    let unit = unit.map { " unit=\"\($0)\"" } ?? ""
    return " <Record type=\"\(type)\" sourceName=\"\(source)\"\(unit) creationDate=\"\(time(start))\""
      + " startDate=\"\(time(start))\" endDate=\"\(time(end ?? start))\" value=\"\(value)\"/>\n"
  }

  static func file(_ body: String) -> [UInt8] {
    Array(
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_US\">\n"
        + " <ExportDate value=\"2026-03-31 22:00:00 +0200\"/>\n" + body + "</HealthData>\n").utf8)
  }

  private static let sleep = "HKCategoryTypeIdentifierSleepAnalysis"
  private static func quantity(_ name: String) -> String { "HKQuantityTypeIdentifier\(name)" }

  /// Two sources that overlap, values in several units, a night, a workout, two pressures, and one unit that nobody knows.
  static let small =
    record(quantity("StepCount"), "iPhone", "01 10:00", "01 10:10", "1000", unit: "count")
    + record(quantity("StepCount"), "Riley\u{2019}s Watch", "01 10:00", "01 10:10", "1100", unit: "count")
    + record(quantity("StepCount"), "iPhone", "01 15:00", "01 15:10", "700", unit: "count")
    + record(quantity("DistanceWalkingRunning"), "iPhone", "01 15:00", "01 15:10", "0.5", unit: "mi")
    + record(quantity("ActiveEnergyBurned"), "iPhone", "01 15:00", "01 15:10", "418.4", unit: "kJ")
    + record(quantity("HeartRate"), "Riley\u{2019}s Watch", "01 10:05", nil, "72", unit: "count/min")
    + record(quantity("BodyMass"), "Scale", "01 08:00", nil, "180", unit: "lb")
    + record(quantity("BodyMass"), "Scale", "02 08:00", nil, "13", unit: "stones and more")
    + record(quantity("BodyFatPercentage"), "Scale", "01 08:00", nil, "0.161", unit: "%")
    + record(quantity("BloodPressureSystolic"), "Cuff", "01 09:00", nil, "120", unit: "mmHg")
    + record(quantity("BloodPressureDiastolic"), "Cuff", "01 09:00", nil, "80", unit: "mmHg")
    + record(sleep, "Riley\u{2019}s Watch", "01 23:00", "02 01:00", "HKCategoryValueSleepAnalysisAsleepCore")
    + record(sleep, "Riley\u{2019}s Watch", "02 01:00", "02 06:00", "HKCategoryValueSleepAnalysisAsleepDeep")
    + workout

  private static let workout = """
     <Workout workoutActivityType="HKWorkoutActivityTypeSocialDance" duration="30" durationUnit="min" \
    sourceName="Riley\u{2019}s Watch" creationDate="2026-03-01 18:30:00 +0100" startDate="2026-03-01 18:00:00 +0100" \
    endDate="2026-03-01 18:35:00 +0100">
      <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-03-01 18:10:00 +0100"/>
      <WorkoutEvent type="HKWorkoutEventTypeResume" date="2026-03-01 18:15:00 +0100"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="2.5" unit="km"/>
      <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="120" minimum="80" maximum="160" \
    unit="count/min"/>
     </Workout>

    """
}
