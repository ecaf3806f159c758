import Foundation
import Testing

@testable import MeterReceiver

@Suite struct VocabularyTests {
  /// A value that a driver may report and Inform has a name for must not die at the receiver.
  @Test func everythingThatMetersReportIsAccepted() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let bytes = Array(try Data(contentsOf: root.appendingPathComponent("registry.json")))
    guard case .object(let registry) = try JSONValue.parse(bytes),
      case .object(let dictionary)? = registry["dictionary"],
      case .array(let metrics)? = dictionary["metrics"]
    else {
      Issue.record("registry.json has no dictionary")
      return
    }
    var count = 0
    for case .object(let metric) in metrics {
      guard case .string(let name)? = metric["inform"], case .array(let units)? = metric["units"] else { continue }
      #expect(RecordType.measurement.admits(metric: name), "\(name)")
      for case .object(let unit) in units {
        guard case .string(let ucum)? = unit["ucum"], case .array(let range)? = unit["plausible"] else { continue }
        for case .number(let bound, _) in range {
          count += 1
          let refusal = MeasurementVocabulary.standard.refusal(type: name, unit: ucum, value: bound)
          #expect(refusal == nil, "\(name) \(bound) \(ucum)")
        }
      }
    }
    #expect(count > 40)
  }

  /// The metric names of the record types, each in at least one of them.
  @Test(arguments: [
    "systolic", "diastolic", "blood_glucose", "avg_blood_glucose", "blood_ketone", "gmi", "inr", "pt", "insulin",
    "spo2",
    "min_spo2", "avg_spo2", "max_spo2", "pulse", "resting_heart_rate", "min_heart_rate", "avg_heart_rate",
    "max_heart_rate", "heart_rate_variability", "body_weight", "bmi", "body_fat", "body_lean_mass", "body_muscle_mass",
    "body_water", "body_bone_mass", "visceral_fat", "body_height", "body_temperature", "steps", "distance",
    "floors_climbed", "elevation", "wheelchair_pushes", "wheelchair_distance", "active_duration", "energy_burned",
    "active_energy_burned", "basal_energy_burned", "stand_hours_count", "idle_hours_count", "sleep_duration",
    "deep_sleep", "light_sleep", "rem_sleep", "awake_duration", "awake_count", "in_bed_duration",
    "time_to_fall_asleep", "energy_consumed", "carbohydrate", "protein", "fat", "saturated_fat", "dietary_fiber",
    "sugars", "sodium", "cholesterol", "calcium", "water", "respiratory_rate", "fev1", "fvc", "pef", "mindful_duration",
  ])
  func informsMetricsAreKnown(metric: String) {
    #expect(MeasurementVocabulary.standard.metrics[metric]?.isEmpty == false)
    #expect(RecordType.allCases.contains { $0.admits(metric: metric) })
  }
}
