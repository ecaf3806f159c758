import RecordSupport
import Testing

@testable import MeterCore
@testable import InformSink

@Suite("Inform's names of the host's metrics")
struct InformNameTests {
  /// The metric vocabulary of Inform v2, by its public description.
  static let vocabulary = """
    systolic diastolic blood_glucose avg_blood_glucose blood_ketone gmi inr pt insulin spo2 min_spo2 avg_spo2 max_spo2 \
    pulse resting_heart_rate min_heart_rate avg_heart_rate max_heart_rate heart_rate_variability body_weight bmi \
    body_fat body_lean_mass body_muscle_mass body_water body_bone_mass visceral_fat body_height body_temperature steps \
    distance floors_climbed elevation wheelchair_pushes wheelchair_distance active_duration energy_burned \
    active_energy_burned basal_energy_burned stand_hours_count idle_hours_count sleep_duration deep_sleep light_sleep \
    rem_sleep awake_duration awake_count in_bed_duration time_to_fall_asleep energy_consumed carbohydrate protein fat \
    saturated_fat dietary_fiber sugars sodium cholesterol calcium water respiratory_rate fev1 fvc pef mindful_duration
    """.split(separator: " ").map(String.init)

  @Test("are all that Inform's vocabulary has", arguments: vocabulary)
  func complete(name: String) {
    #expect(MetricNames.inform.metrics(named: name).contains { InformName.of($0.code) == name })
  }

  @Test("are given to metrics that exist, the dictionary's and the host's own each in its table")
  func codes() {
    #expect(InformName.ofDictionary.keys.allSatisfy { Metric.ofContract($0) != nil })
    #expect(InformName.ofHost.keys.allSatisfy { Metric.withCode($0)?.isHostsOwn == true })
    #expect(InformName.of(0x8001) == nil, "a driver's own metric has no name")
  }

  @Test("stand for further metrics, and for those that the host calls otherwise")
  func further() {
    #expect(
      InformName.further == [
        "pulse": [24], "body_lean_mass": [47], "body_water": [48, 0x7021], "basal_energy_burned": [50],
        "carbohydrate": [0x7401],
      ])
    for (name, codes) in InformName.further { #expect(InformName.metrics(named: name).map(\.code) == codes) }
    #expect(InformName.metrics(named: "blood_glucose").isEmpty, "its own name is no further one")
    for metric in Metric.all { #expect(MetricNames.inform.metrics(named: metric.name).first == metric) }
  }

  @Test("are told apart by type and unit where one stands for several metrics")
  func twins() {
    func code(_ name: String, _ type: RecordType, _ ucum: String) -> [UInt16] {
      MetricNames.inform.metrics(named: name).filter { metric in
        metric.belongs(to: type) && metric.units.contains { $0.ucum == ucum }
      }.map(\.code)
    }
    #expect(code("carbohydrate", .diabetes, "g") == [101])
    #expect(code("carbohydrate", .nutrition, "g") == [0x7401])
    #expect(code("body_water", .weight, "kg") == [48])
    #expect(code("body_water", .weight, "%") == [0x7021])
    #expect(code("basal_energy_burned", .routine, "kJ") == [0x7209])
    #expect(code("basal_energy_burned", .weight, "kJ") == [50])
    #expect(code("pulse", .biometrics, "/min") == [23, 24])
    #expect(MetricNames.inform.metrics(named: "nonsense").isEmpty)
  }

  @Test(
    "are read in a draft that takes them, and in no other",
    arguments: [
      (.nutrition, "carbohydrate", "60", "g", 0x7401), (.weight, "body_water", "40", "kg", 48),
      (.weight, "body_water", "55", "%", 0x7021), (.weight, "body_lean_mass", "61", "kg", 47),
      (.weight, "basal_energy_burned", "6500", "kJ", 50),
    ] as [(RecordType, String, String, String, UInt16)])
  func drafts(type: RecordType, name: String, value: String, unit: String, code: UInt16) throws {
    var draft = Fixture.draft(type, [.init(name, value, unit)])
    #expect(throws: DraftError.self) { try draft.record() }
    draft.names = .inform
    #expect(try draft.record().values.map(\.metric) == [code])
  }
}
