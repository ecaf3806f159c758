import DriverContract
import Foundation
import Testing

@testable import MeterHealth

@Suite("Measured values")
struct MeasurementTests {
  static func pressures(_ result: HealthResult) -> [String] {
    result.measurements.map { "\($0.metrics["systolic"])/\($0.metrics["diastolic"])/\($0.metrics["pulse"])" }
  }

  @Test("a correlation and its two records are one measurement")
  func correlation() {
    var export = Export()
    export.add(.bloodPressure, "Cuff", "01 08:00") {
      $0.flags = .link
      $0.attributes = [HealthAttribute("systolic", Fraction(120)), HealthAttribute("diastolic", Fraction(80))]
    }
    export.add(.systolic, "Cuff", "01 08:00", nil, "120")
    export.add(.diastolic, "Cuff", "01 08:00", nil, "80")
    #expect(Self.pressures(export.result) == ["120/80/-"])
  }

  @Test("a correlation tells apart what two measurements of one moment have")
  func twoCorrelations() {
    var export = Export()
    for (high, low) in [(120, 80), (135, 70)] {
      export.add(.bloodPressure, "Cuff", "01 08:00") {
        $0.flags = .link
        $0.attributes = [HealthAttribute("systolic", Fraction(high)), HealthAttribute("diastolic", Fraction(low))]
      }
      export.add(.systolic, "Cuff", "01 08:00", nil, "\(high)")
      export.add(.diastolic, "Cuff", "01 08:00", nil, "\(low)")
    }
    let result = export.result
    #expect(Set(Self.pressures(result)) == ["120/80/-", "135/70/-"])
    #expect(Set(result.measurements.map(\.identity)).count == 2)
  }

  @Test("without a correlation source and start pair them, with the pulse, and a lone value is kept")
  func noCorrelation() {
    var export = Export()
    export.add(.systolic, "A", "01 08:00", nil, "120")
    export.add(.diastolic, "A", "01 08:00", nil, "80")
    export.add(.heartRate, "A", "01 08:00", nil, "64")
    export.add(.systolic, "A", "02 08:00", nil, "130")
    export.add(.diastolic, "B", "02 08:00", nil, "85")
    #expect(Set(Self.pressures(export.result)) == ["120/80/64", "130/-/-", "-/85/-"])
  }

  @Test("the nearest within a minute is a pair only if it is the only one")
  func nearest() {
    var export = Export()
    export.add(.systolic, "A", "01 08:00:00".full, nil, "120")
    export.add(.diastolic, "A", "01 08:00:40".full, nil, "80")
    export.add(.systolic, "A", "02 08:00:00".full, nil, "121")
    export.add(.diastolic, "A", "02 08:01:01".full, nil, "81")
    export.add(.systolic, "A", "03 08:00:30".full, nil, "122")
    export.add(.diastolic, "A", "03 08:00:20".full, nil, "82")
    export.add(.diastolic, "A", "03 08:00:40".full, nil, "83")
    #expect(
      Set(Self.pressures(export.result))
        == ["120/80/-", "121/-/-", "-/81/-", "122/-/-", "-/82/-", "-/83/-"])
  }

  @Test("a store's own pressure is a measurement without records beside it")
  func ownPressure() throws {
    var export = Export(.healthConnect)
    export.add(.bloodPressure, "app", "01 08:00") {
      $0.id = "77aa"
      $0.attributes = [HealthAttribute("systolic", Fraction(118)), HealthAttribute("diastolic", Fraction(77))]
    }
    #expect(Self.pressures(export.result) == ["118/77/-"])
    #expect(try #require(export.result.measurements.first).identity == .named("77aa", "systolic", of: .healthConnect))
  }

  @Test("units are converted: pounds, mmol/L, Fahrenheit")
  func units() throws {
    var export = Export()
    export.add(.weight, "Scale", "01 08:00", nil, "180", unit: "lb")
    export.add(.bodyFat, "Scale", "01 08:00", nil, "16.1", unit: "%")
    export.add(.bmi, "Scale", "01 08:00", nil, "24.5", unit: "count")
    export.add(.glucose, "Meter", "01 09:00", nil, "5.5", unit: "mmol<180.1558800000541>/L") {
      $0.attributes = [HealthAttribute("hk:HKBloodGlucoseMealTime", "1")]
    }
    export.add(.bodyTemperature, "T", "01 10:00", nil, "98.6", unit: "degF")
    export.add(.oxygenSaturation, "Watch", "01 11:00", nil, "97", unit: "%")
    let list = export.result.measurements
    #expect(list.map(\.metrics.count) == [3, 1, 1, 1])
    #expect(list[0].metrics["body_weight"] == "81.65")
    #expect(list[0].metrics["body_fat"] == "16.1")
    #expect(list[0].metrics["bmi"] == "24.5")
    #expect(list[1].metrics["blood_glucose"] == "99.1")
    #expect(list[1].words == [HealthWord("relationship_to_meal", "before")])
    #expect(list[2].metrics["body_temperature"] == "37")
    #expect(list[3].metrics["spo2"] == "97")
  }

  @Test("two scales at one moment are two records, and one value in both is one")
  func sources() {
    var export = Export()
    export.add(.weight, "A", "01 08:00", nil, "80")
    export.add(.weight, "B", "01 08:00", nil, "80.001")
    export.add(.weight, "C", "01 08:00", nil, "80.5")
    let result = export.result
    #expect(result.measurements.map { $0.metrics["body_weight"] }.sorted() == ["80", "80.5"])
    #expect(result.refusals(.duplicate) == 1)
  }

  @Test("one line twice is one record and is counted")
  func twice() {
    var export = Export()
    for _ in 0..<2 { export.add(.glucose, "Meter", "01 08:00", nil, "112") }
    #expect(export.result.measurements.count == 1)
    #expect(export.result.refusals(.duplicate) == 1)
  }

  @Test("heart rates of a series are a day's range, and single ones are measurements")
  func heartRates() {
    var export = Export()
    for minute in 10..<60 { export.add(.heartRate, "Watch", "01 10:\(minute)", nil, "\(minute + 50)") }
    export.add(.heartRate, "Oximeter", "01 12:00", nil, "72")
    export.add(.heartRate, "Watch", "02 12:00", nil, "70") {
      $0.attributes = [HealthAttribute("hk:HKMetadataKeyHeartRateMotionContext", "1")]
    }
    let result = export.result
    #expect(result.measurements.map { $0.metrics["heart_rate"] } == ["72"])
    #expect(result.value("2026-03-01", "min_heart_rate") == "60")
    #expect(result.value("2026-03-01", "avg_heart_rate") == "85")
    #expect(result.value("2026-03-01", "max_heart_rate") == "109")
  }

  @Test("words of reproductive health are kept")
  func reproductive() throws {
    var export = Export()
    export.add(.sexualActivity, "App", "01 08:00") { $0.attributes = [HealthAttribute("protection", "yes")] }
    export.add(.menstrualFlow, "App", "02 08:00") { $0.text = "Light" }
    let list = export.result.measurements
    #expect(list[0].words == [HealthWord("sexual_activity", "present"), HealthWord("protection", "yes")])
    #expect(list[1].words == [HealthWord("menstrual_flow", "Light")])
  }

  @Test("food is summed up by source and day; equal items of one time count both where they were written apart")
  func nutrition() throws {
    var export = Export()
    for modified in [1, 2, 2] as [Int64] {
      export.add(.dietProtein, "Diary", "01 12:00", nil, "10.5") {
        $0.modified = modified
        $0.attributes = [HealthAttribute("hk:HKFoodType", "Soup")]
      }
    }
    export.add(.dietEnergy, "Diary", "01 12:00", nil, "300") {
      $0.attributes = [HealthAttribute("hk:HKFoodType", "Soup")]
    }
    export.add(.meal, "Diary", "01 19:00", nil) {
      $0.attributes = [
        HealthAttribute("energy", Fraction(500)), HealthAttribute("protein", Fraction(20)),
        HealthAttribute("food", "Rice"),
        HealthAttribute("meal", "Dinner"),
      ]
    }
    export.add(.dietProtein, "Other diary", "01 12:00", nil, "10.5")
    let list = export.result.nutrition
    #expect(list.count == 2)
    #expect(list[0].metrics["protein"] == "41")
    #expect(list[0].metrics["energy_consumed"] == "800")
    #expect(list[0].items.map(\.food) == ["Soup", "Rice"])
    #expect(list[0].items[1].meal == "Dinner")
    #expect(list[1].metrics["protein"] == "10.5")
    #expect(list[0].identity != list[1].identity)
    #expect(export.result.refusals(.duplicate) == 1)
  }
}

extension String {
  /// A day of March 2026 with seconds.
  fileprivate var full: String { "2026-03-" + self }
}
