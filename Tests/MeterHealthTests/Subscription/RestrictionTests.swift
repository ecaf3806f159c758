import DriverContract
import Foundation
import Testing

@testable import MeterHealth

@Suite("A result as it is subscribed to")
struct RestrictionTests {
  /// One of everything.
  private static func result() -> HealthResult {
    var result = HealthRecordTests.result()
    result.quantities = Set(HealthQuantity.allCases)
    return result
  }

  private static func restricted(_ names: String..., intraday: Bool = false) throws -> HealthResult {
    try result().restricted(to: HealthSubscription(names: names, processesIntraday: intraday))
  }

  private static func names(_ result: HealthResult) -> Set<String> {
    Set(result.days.flatMap { $0.metrics.map(\.name) })
  }

  @Test("Everything is what it was, but for parts of five minutes")
  func all() {
    let whole = Self.result()
    let result = whole.restricted(to: .all)
    #expect(result.days == whole.days && result.sleep == whole.sleep && result.workouts == whole.workouts)
    #expect(result.measurements == whole.measurements && result.nutrition == whole.nutrition)
    #expect(!whole.intraday.isEmpty && result.intraday.isEmpty)
  }

  @Test("Off leaves nothing but what is of the export")
  func off() {
    let whole = Self.result()
    let result = whole.restricted(to: .off)
    #expect(result.days.isEmpty && result.sleep.isEmpty && result.workouts.isEmpty && result.intraday.isEmpty)
    #expect(result.measurements.isEmpty && result.nutrition.isEmpty && result.quantities.isEmpty)
    #expect(result.refused == whole.refused && result.sources == whole.sources)
    #expect(result.samples == whole.samples)
  }

  @Test("The routine set is the days without heart rates")
  func routine() throws {
    let result = try Self.restricted("routine")
    let names = Self.names(result)
    #expect(names.isSuperset(of: ["steps", "distance", "energy_burned", "stand_hours_count", "mindful_duration"]))
    #expect(!names.contains("avg_heart_rate"))
    #expect(result.measurements.isEmpty && result.workouts.isEmpty && result.intraday.isEmpty)
    #expect(try !Self.restricted("routine", intraday: true).intraday.isEmpty)
    #expect(try Self.restricted("steps", intraday: true).intraday.isEmpty)
  }

  @Test("A single type of a day is that type alone")
  func single() throws {
    let steps = try Self.restricted("steps")
    #expect(Self.names(steps) == ["steps"])
    #expect(steps.days.contains { $0.manualSteps != nil })
    let distance = try Self.restricted("DistanceWalkingRunning")
    #expect(Self.names(distance) == ["distance"])
    #expect(distance.days.allSatisfy { $0.manualSteps == nil })
  }

  @Test("The sum of both energies needs both, or its own type")
  func energy() throws {
    #expect(try Self.names(Self.restricted("energy_active")) == ["active_energy_burned"])
    #expect(
      try Self.names(Self.restricted("energy_active", "energy_basal"))
        == ["active_energy_burned", "basal_energy_burned", "energy_burned"])
    #expect(try Self.names(Self.restricted("energy_total")) == ["energy_burned"])
  }

  @Test("A day's heart rates go with the type of heart rates", arguments: ["heart_rate", "biometrics"])
  func heartRate(name: String) throws {
    #expect(try Self.names(Self.restricted(name)) == ["min_heart_rate", "avg_heart_rate", "max_heart_rate"])
  }

  @Test("A record of the body keeps what is wanted of it")
  func body() throws {
    let result = try Self.restricted("weight")
    let body = try #require(result.measurements.first)
    #expect(result.measurements.count == 1)
    #expect(Set(body.metrics.map(\.name)).isSuperset(of: ["body_weight", "body_fat", "basal_rate"]))
    #expect(!body.metrics.contains { $0.name == "waist" })
    let whole = try #require(Self.result().measurements.first { $0.kind == .body && $0.metrics["body_fat"] != "-" })
    let fat = try Self.restricted("body_fat").measurements
    #expect(fat.map { $0.metrics.map(\.name) } == [["body_fat"]])
    #expect(fat.map(\.identity) == [whole.identity])
  }

  @Test("A pressure has its pulse where heart rates are wanted, too")
  func pulse() throws {
    let pressure = try Self.restricted("bloodPressure").measurements
    #expect(pressure.map { $0.metrics.map(\.name) } == [["systolic", "diastolic"]])
    let both = try Self.restricted("biometrics").measurements
    #expect(both.contains { $0.metrics.map(\.name) == ["systolic", "diastolic", "pulse"] })
  }

  @Test("Food is restricted by nutrient, in the day and in its items")
  func nutrition() throws {
    let iron = try Self.restricted("iron").nutrition
    #expect(iron.map { $0.metrics.map(\.name) } == [["iron"]])
    #expect(iron.flatMap(\.items).allSatisfy { $0.metrics.map(\.name) == ["iron"] })
    #expect(iron.map(\.identity) == Self.result().nutrition.map(\.identity))
    #expect(try Self.restricted("water").nutrition.isEmpty)
  }

  @Test("Words of reproductive health go with their type")
  func reproductive() throws {
    #expect(try Self.restricted("MenstrualFlow").measurements.map(\.kind) == [.reproductive])
    #expect(try Self.restricted("reproductive").measurements.map(\.kind) == [.reproductive])
    #expect(try Self.restricted("OvulationTestResult").measurements.isEmpty)
  }

  @Test("Nights and workouts go with theirs")
  func sessions() throws {
    let nights = try Self.restricted("sleep")
    #expect(!nights.sleep.isEmpty && nights.workouts.isEmpty && nights.days.isEmpty)
    let workouts = try Self.restricted("fitness")
    #expect(workouts.sleep.isEmpty && !workouts.workouts.isEmpty)
  }
}
