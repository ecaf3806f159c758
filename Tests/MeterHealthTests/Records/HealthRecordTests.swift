import DriverContract
import Foundation
import MeterCore
import Testing

@testable import MeterHealth

@Suite("Records of an import")
struct HealthRecordTests {
  /// One of everything.
  static func result() -> HealthResult {
    var export = Export(zone: "Europe/Berlin") { $0.intradayDays = 7 }
    export.add(.steps, "Riley's Watch", "31 10:00", "31 10:10", "1100")
    export.add(.steps, "Health", "31 11:00", "31 11:10", "50") { $0.flags = .manual }
    export.add(.distanceWalking, "Riley's Watch", "31 10:00", "31 10:10", "800.25")
    export.add(.energyActive, "Riley's Watch", "31 10:00", "31 10:10", "40")
    export.add(.energyBasal, "Riley's Watch", "31 10:00", "31 10:10", "12.5")
    export.add(.standHour, "Riley's Watch", "31 10:00", "31 11:00") { $0.text = "stood" }
    export.add(.mindful, "App", "31 10:00", "31 10:10")
    export.sleep(.core, "Riley's Watch", "30 22:00", "31 04:00", zone: "Europe/Berlin")
    export.sleep(.rem, "Riley's Watch", "31 12:00", "31 12:30")
    export.add(.workout, "Riley's Watch", "31 17:00", "31 17:30") { $0.text = "HKWorkoutActivityTypeSocialDance" }
    export.add(.weight, "Scale", "31 06:00", nil, "81.4")
    export.add(.bodyFat, "Scale", "31 06:00", nil, "16.1", unit: "%")
    export.add(.basalRate, "Scale", "31 06:00", nil, "1700")
    export.add(.waist, "Tape", "31 06:00", nil, "88")
    export.add(.glucose, "Meter", "31 07:00", nil, "5.5", unit: "mmol/L") {
      $0.attributes = [HealthAttribute("meal", "before")]
    }
    export.add(.systolic, "Cuff", "31 08:00", nil, "120")
    export.add(.diastolic, "Cuff", "31 08:00", nil, "80")
    export.add(.heartRate, "Cuff", "31 08:00", nil, "64")
    export.add(.restingHeartRate, "Riley's Watch", "31 00:00", "31 20:00", "58")
    export.add(.hrvSDNN, "Riley's Watch", "31 02:00", "31 02:01", "43.2187")
    export.add(.oxygenSaturation, "Riley's Watch", "31 03:00", nil, "97", unit: "%")
    export.add(.bodyTemperature, "T", "31 09:00", nil, "98.6", unit: "degF")
    export.add(.respiratoryRate, "Riley's Watch", "31 03:00", nil, "14.5")
    export.add(.vo2Max, "Riley's Watch", "31 09:30", nil, "42.5")
    export.add(.menstrualFlow, "App", "31 09:30") { $0.text = "Light" }
    export.add(.dietProtein, "Diary", "31 12:00", nil, "10.5") {
      $0.attributes = [HealthAttribute("hk:HKFoodType", "So\u{B}up")]
    }
    export.add(.dietIron, "Diary", "31 12:00", nil, "2")
    return export.result
  }

  @Test("all drafts are records, each with a name of its own")
  func records() throws {
    let drafts = Self.result().drafts(of: .apple, driver: "apple-health", version: "1.0")
    var records: [Record] = []
    for entry in drafts { records.append(try entry.draft.record(named: entry.name)) }
    #expect(Set(records.map(\.logID)).count == records.count)
    let types = Dictionary(grouping: records, by: \.type).mapValues(\.count)
    #expect(
      types == [
        .routine: 1, .intraday: 1, .nutrition: 1, .sleep: 2, .fitness: 1, .weight: 1, .diabetes: 1, .biometrics: 7,
      ])
    let day = try #require(records.first { $0.type == .routine })
    #expect(day.identityClass == .summary)
    #expect(day.time.utcOffsetSeconds == 7200)
    #expect(day.time.endMicroseconds - day.time.startMicroseconds == 86_399_000_000)
    func value(_ record: Record, _ name: String) -> String? {
      record.values.first { $0.metricName == name }?.number.description
    }
    #expect(value(day, "steps") == "1150")
    #expect(value(day, "energy_burned") == "52.5")
    let weight = try #require(records.first { $0.type == .weight })
    #expect(value(weight, "body_fat") == "16.1")
    #expect(value(weight, "basal_metabolism") == "7113")
    #expect(weight.identityClass == .stored)
    let glucose = try #require(records.first { $0.type == .diabetes })
    #expect(glucose.values.compactMap(\.word) == ["before"])
    let night = try #require(records.first { $0.type == .sleep })
    #expect(night.time.zoneSource == .meter)
    #expect(night.source.model == "apple watch")
  }

  @Test("what no record can hold is told")
  func withoutForm() {
    #expect(Self.result().withoutForm == ["waist": 1, "vo2_max": 1])
  }

  @Test("sums of a partial export are no records")
  func partial() {
    var result = Self.result()
    result.isPartial = true
    let types = Set(result.drafts(of: .apple, driver: "apple-health", version: "1.0").map(\.draft.type))
    #expect(types.isDisjoint(with: [.routine, .intraday, .nutrition]))
    #expect(types.contains(.sleep))
  }

  @Test("a second export makes the same records, and no revision where nothing has changed")
  func again() throws {
    func hashes() throws -> [LogID: [UInt8]] {
      var result: [LogID: [UInt8]] = [:]
      for entry in Self.result().drafts(of: .apple, driver: "apple-health", version: "1.0") {
        let record = try entry.draft.record(named: entry.name)
        result[record.logID] = record.contentHash
      }
      return result
    }
    #expect(try hashes() == hashes())
  }
}
