import Foundation
import Testing

@testable import MeterHealth

/// Values that were taken in the wrong unit, and clocks that were never set.
@Suite("Values that were wrong elsewhere", .timeLimit(.minutes(60))) struct UnitFailureTests {
  @Test(
    "a value has the unit that stands beside it",
    arguments: [
      ("BodyMass", "180", "lb", "body_weight", "81.65"), ("BodyMass", "12.5", "st", "body_weight", "79.38"),
      ("BodyMass", "81600", "g", "body_weight", "81.6"), ("Height", "5.9", "ft", "body_height", "179.8"),
      ("BloodGlucose", "5.5", "mmol&lt;180.1558800000541&gt;/L", "blood_glucose", "99.1"),
      ("BodyTemperature", "98.6", "degF", "body_temperature", "37"),
      // A share under the unit of percent.
      ("BodyFatPercentage", "0.161", "%", "body_fat", "16.1"), ("OxygenSaturation", "0.97", "%", "spo2", "97"),
      ("OxygenSaturation", "1", "%", "spo2", "100"), ("BodyMassIndex", "24.5", "count", "bmi", "24.5"),
      ("RestingHeartRate", "1", "count/s", "resting_heart_rate", "60"),
    ])
  func measured(type: String, value: String, unit: String, metric: String, expected: String) async throws {
    var file = AppleDocument()
    file.record(type, "Scale", "01 08:00", nil, value, unit: unit)
    let result = try await file.read()
    #expect(result.measured(metric) == [expected] && result.refusedCount == 0)
  }

  @Test(
    "a sum has the unit that stands beside it",
    arguments: [
      ("DistanceWalkingRunning", "1.5", "mi", "distance", "2414.016"),
      ("DistanceWalkingRunning", "2.5", "km", "distance", "2500"),
      ("DistanceWalkingRunning", "1000", "ft", "distance", "304.8"),
      ("ActiveEnergyBurned", "418.4", "kJ", "active_energy_burned", "100"),
      ("ActiveEnergyBurned", "100", "Cal", "active_energy_burned", "100"),
      ("ActiveEnergyBurned", "100", "kcal", "active_energy_burned", "100"),
      ("ActiveEnergyBurned", "1500", "cal", "active_energy_burned", "1.5"),
      ("AppleExerciseTime", "0.5", "hr", "active_duration", "1800"),
    ])
  func summed(type: String, value: String, unit: String, metric: String, expected: String) async throws {
    var file = AppleDocument()
    file.record(type, "iPhone", "01 10:00", "01 10:30", value, unit: unit)
    let result = try await file.read()
    #expect(result.value(metric, on: "2026-03-01") == expected && result.refusedCount == 0)
  }

  @Test(
    "a unit that is not known, or not of the quantity, is refused and counted",
    arguments: [
      ("BodyMass", "jin"), ("BodyMass", "m"), ("StepCount", "km"), ("ActiveEnergyBurned", "kg"), ("BodyMass", "KG"),
    ])
  func unknown(type: String, unit: String) async throws {
    var file = AppleDocument()
    file.record(type, "iPhone", "01 10:00", "01 10:30", "80", unit: unit)
    let result = try await file.read()
    #expect(result.days.isEmpty && result.measurements.isEmpty && result.refused(.unit) == 1)
    #expect(result.samples[AppleDocument.type(type)] == 1)
  }

  @Test(
    "a clock that was never set, and one that is ahead, are refused",
    arguments: ["1970-01-01 00:00:00", "1999-12-31 12:00:00", "2226-01-01 00:00:00", "2026-04-02 12:00:00"])
  func clocks(time: String) async throws {
    var file = AppleDocument()
    file.record("BodyMass", "Scale", time, nil, "80", unit: "kg")
    file.record("BodyMass", "Scale", "01 08:00", nil, "81", unit: "kg")
    let result = try await file.read()
    #expect(result.measured("body_weight") == ["81"] && result.refusedCount == 1)
    #expect(result.samples["HKQuantityTypeIdentifierBodyMass"] == 2)
  }

  @Test("what no sensor can have measured is refused: 17,730 floors in an hour") func implausible() async throws {
    var file = AppleDocument()
    file.record("FlightsClimbed", "iPhone", "01 10:00", "01 11:00", "17730", unit: "count")
    file.record("FlightsClimbed", "iPhone", "01 11:00", "01 12:00", "3", unit: "count")
    let result = try await file.read()
    #expect(result.value("floors_climbed", on: "2026-03-01") == "3" && result.refused(.implausible) == 1)
  }
}
