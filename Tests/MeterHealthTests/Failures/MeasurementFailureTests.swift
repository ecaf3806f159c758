import Foundation
import Testing

@testable import MeterHealth

/// Pressures and workouts that were doubled, torn apart or emptied.
@Suite("Measurements and workouts that were wrong elsewhere", .timeLimit(.minutes(60))) struct MeasurementFailureTests {
  private static let times = ("01 18:00", "01 18:30")

  @Test("a pressure in a correlation and its two records beside it are one measurement") func correlation() async throws
  {
    var file = AppleDocument()
    file.pressure("Cuff", "01 08:00", "120", "80")
    let result = try await file.read()
    #expect(result.measurements.count == 1)
    #expect(MeasurementTests.pressures(result) == ["120/80/-"])
  }

  @Test("pressures without a correlation are paired by their start, and a lone one is kept") func noCorrelation()
    async throws
  {
    var file = AppleDocument()
    file.pressure("A", "01 08:00", "120", "80", isLinked: false)
    file.record("BloodPressureSystolic", "A", "02 08:00", nil, "131", unit: "mmHg")
    file.record("BloodPressureDiastolic", "B", "03 08:00", nil, "79", unit: "mmHg")
    let result = try await file.read()
    #expect(MeasurementTests.pressures(result) == ["120/80/-", "131/-/-", "-/79/-"])
  }

  @Test("a workout has its statistics, and the summary's values only where they are missing") func statistics()
    async throws
  {
    var file = AppleDocument()
    let summary =
      "duration=\"25\" durationUnit=\"min\" totalDistance=\"2.0\" totalDistanceUnit=\"km\" totalEnergyBurned=\"150\" "
      + "totalEnergyBurnedUnit=\"kcal\""
    file.workout(
      "Running", "Watch", Self.times.0, Self.times.1, attributes: summary,
      "<WorkoutStatistics type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" sum=\"2.5\" unit=\"km\"/>"
        + "<WorkoutStatistics type=\"HKQuantityTypeIdentifierActiveEnergyBurned\" sum=\"836.8\" unit=\"kJ\"/>")
    file.workout("Cycling", "Watch", "02 18:00", "02 18:30", attributes: summary)
    let workouts = try await file.read().workouts
    #expect(workouts.map { $0.metrics["distance"] } == ["2500", "2000"])
    #expect(workouts.map { $0.metrics["active_energy_burned"] }.first == "200")
    #expect(workouts.map { $0.metrics["active_duration"] } == ["1500", "1500"])
  }

  @Test(
    "a workout keeps what it was, also where no table has it",
    arguments: [
      ("SocialDance", "Social Dance"), ("FunctionalStrengthTraining", "Functional Strength Training"),
      ("Underwater", "Underwater"), ("HighIntensityIntervalTraining", "High Intensity Interval Training"),
    ])
  func activity(type: String, name: String) async throws {
    var file = AppleDocument()
    file.workout(type, "Watch", Self.times.0, Self.times.1)
    #expect(try await file.read().workouts.map(\.name) == [name])
  }

  @Test("the heart rate of a workout comes from the samples meanwhile; no route has one") func heartRate() async throws
  {
    var file = AppleDocument()
    for (minute, value) in [("17:59", "60"), ("18:00", "100"), ("18:15", "121"), ("18:30", "110.5"), ("18:31", "180")] {
      file.record("HeartRate", "Watch", "01 \(minute)", nil, value, unit: "count/min")
    }
    file.workout(
      "Running", "Watch", Self.times.0, Self.times.1,
      "<WorkoutRoute sourceName=\"Watch\"><FileReference path=\"/workout-routes/route_1.gpx\"/></WorkoutRoute>")
    let route = "<gpx><trkpt lat=\"52\" lon=\"13\"><extensions><speed>2.5</speed></extensions></trkpt></gpx>"
    let archive = StoredZip([
      .init(name: "apple_health_export/workout-routes/route_1.gpx", content: Array(route.utf8)),
      .init(name: "apple_health_export/export.xml", content: file.bytes),
    ])
    let result = try await ImportStage.shared.get().read(archive.bytes).result
    #expect(result.workout("min_heart_rate") == "100" && result.workout("max_heart_rate") == "121")
    #expect(result.workout("avg_heart_rate") == "111" && result.refusedCount == 0)
  }
}
