import Foundation
import Testing

@testable import MeterHealth

/// What a later export of one phone may change, and what it must not.
@Suite("A second export", .timeLimit(.minutes(60))) struct SecondExportTests {
  /// What a person can change between two exports.
  struct Settings: Sendable {
    /// The phone's offset when it writes the file.
    var hours: Int64 = 1
    var isMetric = true
    var watch = "Riley\u{2019}s Watch"
    var isReversed = false
  }

  /// A value as Health prints it: with six digits, in the unit that was chosen.
  private static func printed(_ value: Double) -> String { String(format: "%.6g", value) }

  /// Three weeks with everything that has a name of its own.
  static func file(_ settings: Settings) -> AppleDocument {
    var file = AppleDocument(hours: settings.hours)
    let (watch, isMetric) = (settings.watch, settings.isMetric)
    let days = Array(2..<23)
    for number in settings.isReversed ? days.reversed() : days {
      let (day, share) = ("\(number < 10 ? "0" : "")\(number)", Double(number) * 0.137)
      let address =
        "&lt;&lt;HKDevice: 0x\(String(number * 4_099 + Int(settings.hours), radix: 16))&gt;, name:Apple Watch&gt;"
      file.record(
        "StepCount", watch, "\(day) 10:00", "\(day) 10:30", "\(1_000 + number)", unit: "count", device: address)
      file.record("StepCount", "iPhone", "\(day) 10:15", "\(day) 11:00", "\(900 + number)", unit: "count")
      let (meters, energy, mass) = (812.5 + share, 210.25 + share, 80 + share)
      file.record(
        "DistanceWalkingRunning", "iPhone", "\(day) 10:15", "\(day) 11:00",
        printed(isMetric ? meters / 1_000 : meters / 1_609.344), unit: isMetric ? "km" : "mi")
      file.record(
        "ActiveEnergyBurned", watch, "\(day) 10:00", "\(day) 11:00", printed(isMetric ? energy * 4.184 : energy),
        unit: isMetric ? "kJ" : "kcal")
      file.record(
        "BodyMass", "Scale", "\(day) 07:00", nil, printed(isMetric ? mass : mass / 0.453_592_37),
        unit: isMetric ? "kg" : "lb")
      file.record(
        "BloodGlucose", "Meter", "\(day) 08:00", nil, printed(isMetric ? 5.4 + share : (5.4 + share) * 18.0156),
        unit: isMetric ? "mmol&lt;180.1558800000541&gt;/L" : "mg/dL")
      file.record(
        "BodyTemperature", "Meter", "\(day) 08:05", nil, printed(isMetric ? 36.5 : 97.7),
        unit: isMetric ? "degC" : "degF")
      file.pressure("Cuff", "\(day) 08:30", "\(118 + number)", "\(70 + number)")
      file.record("HeartRate", "Oximeter", "\(day) 08:40", nil, "61", unit: "count/min")
      file.record("DietaryProtein", "Diary", "\(day) 12:00", nil, "20.5", unit: "g")
      file.record("SleepAnalysis", watch, "\(day) 00:30", "\(day) 03:00", "AsleepCore")
      file.record("SleepAnalysis", watch, "\(day) 03:00", "\(day) 06:30", "AsleepDeep")
      file.workout("Running", watch, "\(day) 17:00", "\(day) 17:40")
    }
    return file
  }

  @Test(
    "names nothing anew, whatever was changed on the phone between the two",
    arguments: [
      Settings(hours: 2), Settings(hours: 9), Settings(isMetric: false), Settings(watch: "Riley's\u{a0}Watch"),
      Settings(hours: 2, isMetric: false, watch: "Rileys neue Watch", isReversed: true),
    ])
  func names(settings: Settings) async throws {
    let first = try await Self.file(Settings()).read()
    let second = try await Self.file(settings).read()
    // A day, a night, a workout, food, and five measurements: a pressure is one.
    #expect(first.identities.count == 21 * 9 && first.refusedCount == 0)
    #expect(second.identities == first.identities)
  }

  @Test("the same data by the phone's archive and by an automation have the same names") func automation() async throws
  {
    var file = AppleDocument()
    file.record("StepCount", "Watch", "01 10:00:05", "01 10:09:05", "812", unit: "count")
    file.record("StepCount", "Watch", "01 12:00:05", "01 12:09:05", "300", unit: "count")
    file.record("BodyMass", "Scale", "01 07:00:10", nil, "81.6", unit: "kg")
    file.record("BloodGlucose", "Meter", "01 08:00:20", nil, "99", unit: "mg/dL")
    file.pressure("Cuff", "01 08:30:30", "120", "80")
    file.record("DietaryProtein", "Diary", "01 12:00:40", nil, "20.5", unit: "g")
    file.record("SleepAnalysis", "Watch", "01 23:00:00", "02 01:00:00", "AsleepCore")
    file.record("SleepAnalysis", "Watch", "02 01:00:00", "02 06:00:00", "AsleepDeep")
    file.workout("Running", "Watch", "01 17:00:00", "01 17:40:00")
    let posted = #"""
      {"data":{"metrics":[
       {"name":"step_count","units":"count","data":[
        {"date":"2026-03-01 10:00:05 +0100","qty":812,"source":"Watch"},
        {"date":"2026-03-01 12:00:05 +0100","qty":300,"source":"Watch"}]},
       {"name":"weight_body_mass","units":"lb","data":[{"date":"2026-03-01 07:00:10 +0100","qty":179.897,"source":"Scale"}]},
       {"name":"blood_glucose","units":"mg/dL","data":[{"date":"2026-03-01 08:00:20 +0100","qty":99,"source":"Meter"}]},
       {"name":"blood_pressure","units":"mmHg","data":[
        {"date":"2026-03-01 08:30:30 +0100","systolic":120,"diastolic":80,"source":"Cuff"}]},
       {"name":"protein","units":"g","data":[{"date":"2026-03-01 12:00:40 +0100","qty":20.5,"source":"Diary"}]},
       {"name":"sleep_analysis","units":"hr","data":[
        {"startDate":"2026-03-01 23:00:00 +0100","endDate":"2026-03-02 01:00:00 +0100","value":"Core","source":"Watch"},
        {"startDate":"2026-03-02 01:00:00 +0100","endDate":"2026-03-02 06:00:00 +0100","value":"Deep","source":"Watch"}]}],
       "workouts":[{"id":"A1","name":"Running","start":"2026-03-01 17:00:00 +0100","end":"2026-03-01 17:40:00 +0100",
        "duration":2400}]}}
      """#
    let stage = try ImportStage.shared.get()
    let (archive, document) = (
      try await stage.read(file.archive).result, try await stage.read(Array(posted.utf8)).result
    )
    #expect(archive.identities.count == 7 && document.identities == archive.identities)
    #expect(document.value("steps", on: "2026-03-01") == "1112" && document.refusedCount == 0)
    #expect(document.measured("body_weight") == archive.measured("body_weight"))
  }
}
