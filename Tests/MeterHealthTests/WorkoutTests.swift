import DriverContract
import Foundation
import Testing

@testable import MeterHealth

@Suite("Workouts")
struct WorkoutTests {
  @Test("a statistic counts before the summary's own distance")
  func statistics() throws {
    var export = Export()
    export.add(.workout, "Watch", "01 10:00", "01 10:30") {
      $0.text = "HKWorkoutActivityTypeRunning"
      $0.attributes = [
        HealthAttribute("total_distance", Fraction(2000)), HealthAttribute("distance", Fraction(2500)),
        HealthAttribute("duration", Fraction(1500)), HealthAttribute("energy_active", Export.number("210.5")),
        HealthAttribute("heart_rate_average", Export.number("140.5")),
      ]
    }
    let workout = try #require(export.result.workouts.first)
    #expect(workout.name == "Running")
    #expect(workout.category == "running")
    #expect(workout.metrics["distance"] == "2500")
    #expect(workout.metrics["active_duration"] == "1500")
    #expect(workout.metrics["active_energy_burned"] == "210.5")
    // The total is the sum of active and basal, and only with both.
    #expect(workout.metrics["energy_burned"] == "-")
    #expect(workout.metrics["avg_heart_rate"] == "141")
  }

  @Test(
    "an activity keeps its name",
    arguments: [
      ("HKWorkoutActivityTypeSocialDance", "Social Dance", "other", "socialdance"),
      (
        "HKWorkoutActivityTypeTraditionalStrengthTraining", "Traditional Strength Training", "strength",
        "traditionalstrengthtraining"
      ),
      ("running_treadmill", "Running Treadmill", "running", "runningtreadmill"),
      ("Outdoor Cycling", "Outdoor Cycling", "cycling", "outdoorcycling"), ("Laufen", "Laufen", "other", "laufen"),
      ("HKWorkoutActivityTypeElliptical", "Elliptical", "elliptical", "elliptical"), ("", "Other", "other", "other"),
    ])
  func names(text: String, name: String, category: String, word: String) {
    let activity = WorkoutActivity(text)
    #expect(activity.name == name)
    #expect(activity.category == category)
    #expect(activity.word == word)
  }

  @Test("without a duration of its own the time is that without pauses")
  func pauses() throws {
    var export = Export()
    export.add(.workout, "Watch", "01 10:00", "01 11:00") { workout in
      workout.text = "HKWorkoutActivityTypeSwimBikeRun"
      func part(_ from: Int64, _ to: Int64, _ text: String) -> HealthSample {
        var part = HealthSample(
          .workout, start: workout.start + from * 60_000_000, end: workout.start + to * 60_000_000)
        part.text = text
        return part
      }
      workout.parts = [
        part(10, 15, "pause"), part(12, 20, "pause"), part(50, 90, "pause"),
        part(0, 10, "HKWorkoutActivityTypeSwimming"),
      ]
    }
    let workout = try #require(export.result.workouts.first)
    #expect(workout.metrics["active_duration"] == "2400")
    #expect(workout.segments.map(\.name) == ["Swimming"])
  }

  @Test("the heart rate is that of the best source between start and end, with the mean rounded half up")
  func heartRate() throws {
    var export = Export()
    for (time, value) in [("10:00", "100"), ("10:10", "121"), ("10:30", "110.5"), ("10:31", "180")] {
      export.add(.heartRate, "Watch", "01 \(time)", nil, value)
    }
    export.add(.heartRate, "Strap", "01 10:05", nil, "190")
    export.add(.workout, "Watch", "01 10:00", "01 10:30") { $0.text = "HKWorkoutActivityTypeYoga" }
    export.add(.workout, "Watch", "02 10:00", "02 10:30") { $0.text = "HKWorkoutActivityTypeYoga" }
    let workouts = export.result.workouts
    #expect(workouts[0].metrics["min_heart_rate"] == "100")
    #expect(workouts[0].metrics["avg_heart_rate"] == "111")
    #expect(workouts[0].metrics["max_heart_rate"] == "121")
    #expect(workouts[1].metrics["avg_heart_rate"] == "-")
  }

  @Test("Health Connect's workouts have what the same app recorded meanwhile")
  func swept() throws {
    var export = Export(.healthConnect)
    export.add(.distanceWalking, "app", "01 09:55", "01 10:05", "1000") { $0.modified = 1 }
    export.add(.distanceWalking, "app", "01 10:05", "01 10:30", "2500") { $0.modified = 2 }
    export.add(.distanceWalking, "other", "01 10:00", "01 10:30", "9999") { $0.modified = 3 }
    export.add(.energyTotal, "app", "01 10:00", "01 10:30", "240")
    export.add(.workout, "app", "01 10:00", "01 10:30") {
      $0.text = "running"
      $0.id = "5b2f"
    }
    let workout = try #require(export.result.workouts.first)
    #expect(workout.metrics["distance"] == "3000")
    #expect(workout.metrics["energy_burned"] == "240")
    #expect(workout.identity == .named("5b2f", "workout", of: .healthConnect))
  }

  @Test("a workout that two programs recorded is there once, by the order of the sources")
  func twoPrograms() {
    var export = Export { $0.configured = [.init("App")] }
    export.add(.workout, "Watch", "01 10:00", "01 11:00") { $0.text = "HKWorkoutActivityTypeRunning" }
    export.add(.workout, "App", "01 10:02", "01 11:01") { $0.text = "HKWorkoutActivityTypeRunning" }
    export.add(.workout, "App", "01 10:00", "01 11:00") { $0.text = "HKWorkoutActivityTypeYoga" }
    let workouts = export.result.workouts
    #expect(workouts.map(\.name) == ["Yoga", "Running"])
    #expect(workouts[1].origin.start == Export.time("01 10:02"))
  }
}
