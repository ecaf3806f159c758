import DriverContract
import Foundation
import Testing

@testable import MeterHealth

@Suite("Subscription")
struct HealthSubscriptionTests {
  @Test(
    "A set has HealthKit's types",
    arguments: [
      (HealthSet.routine, 10, "HKCategoryTypeIdentifierMindfulSession"),
      (.diabetes, 1, "HKQuantityTypeIdentifierBloodGlucose"), (.weight, 5, "HKQuantityTypeIdentifierLeanBodyMass"),
      (.fitness, 3, "HKWorkoutTypeIdentifier"), (.sleep, 1, "HKCategoryTypeIdentifierSleepAnalysis"),
      (.nutrition, 13, "HKQuantityTypeIdentifierDietaryFatSaturated"),
      (.reproductive, 6, "HKQuantityTypeIdentifierBasalBodyTemperature"),
      (.biometrics, 6, "HKCorrelationTypeIdentifierBloodPressure"),
    ] as [(HealthSet, Int, String)])
  func types(set: HealthSet, count: Int, one: String) {
    #expect(set.sampleTypes.count == count)
    #expect(set.sampleTypes.contains(one))
    #expect(set.sampleTypes.allSatisfy { HealthSampleType(named: $0)?.name == $0 })
    #expect(set.furtherTypes.allSatisfy { HealthSampleType(named: $0)?.name == $0 })
  }

  @Test("No name stands for two types")
  func names() {
    #expect(Set(HealthSampleType.all.map(\.name)).count == HealthSampleType.all.count)
    #expect(Set(HealthSampleType.all.map(\.shortName)).count == HealthSampleType.all.count)
    for type in HealthSampleType.all { #expect(HealthSampleType(named: type.shortName) == type) }
  }

  @Test(
    "A type is named as HealthKit does, without its prefix, or by the word of what it tells",
    arguments: ["HKQuantityTypeIdentifierRestingHeartRate", "RestingHeartRate", "resting_heart_rate"])
  func spellings(name: String) throws {
    let subscription = try HealthSubscription(names: [name], processesIntraday: false)
    #expect(subscription.types == ["HKQuantityTypeIdentifierRestingHeartRate"] && subscription.sets.isEmpty)
    #expect(subscription.quantities == [.restingHeartRate])
  }

  @Test("bloodPressure is both pressures", arguments: ["bloodPressure", "blood_pressure", "BloodPressure"])
  func pressure(name: String) throws {
    let subscription = try HealthSubscription(names: [name], processesIntraday: false)
    #expect(subscription.quantities == [.bloodPressure, .systolic, .diastolic])
  }

  @Test("A wrong name is refused, with what there is", arguments: ["Sleep", "", "steps ", "other", "series_day"])
  func unknown(name: String) throws {
    let error = #expect(throws: HealthImportError.self) {
      try HealthSubscription(names: ["routine", name], processesIntraday: false)
    }
    #expect(error?.code == .unknownType)
    let hint = try #require(error?.hint)
    #expect(hint.contains("reproductive") && hint.contains("VO2Max") && hint.contains("hrv_rmssd"))
  }

  @Test("Equal subscriptions have one stored text, and are read from it")
  func stored() throws {
    let one = try HealthSubscription(names: ["sleep", "vo2_max", "routine", "bmi"], processesIntraday: true)
    let two = try HealthSubscription(names: ["BodyMassIndex", "routine", "sleep", "VO2Max"], processesIntraday: true)
    #expect(
      one.stored
        == #"{"intraday":true,"sets":["routine","sleep"],"types":["HKQuantityTypeIdentifierBodyMassIndex","#
        + #""HKQuantityTypeIdentifierVO2Max"]}"#)
    #expect(one.stored == two.stored)
    #expect(try HealthSubscription(stored: one.stored) == two)
    #expect(HealthSubscription.off.stored == nil)
    #expect(try HealthSubscription(stored: nil) == .off)
    #expect(try HealthSubscription(stored: HealthSubscription.all.stored) == .all)
  }

  @Test(
    "A stored text that cannot be read is an error, and not off",
    arguments: [
      "", "{}", "null", #"{"intraday":false,"sets":["later"],"types":[]}"#,
      #"{"intraday":false,"sets":[],"types":["Later"]}"#, #"{"intraday":0,"sets":[],"types":[]}"#,
    ])
  func unreadable(text: String) {
    let error = #expect(throws: HealthImportError.self) { try HealthSubscription(stored: text) }
    #expect(error?.code == .storedSubscription)
  }

  @Test("Parts of five minutes go with the routine set only")
  func intraday() throws {
    #expect(try HealthSubscription(names: ["routine"], processesIntraday: true).deliversIntraday)
    #expect(try !HealthSubscription(names: ["routine"], processesIntraday: false).deliversIntraday)
    #expect(try !HealthSubscription(names: ["steps"], processesIntraday: true).deliversIntraday)
    #expect(try HealthSubscription(names: [], processesIntraday: true).isOff)
  }
}
