import MeterCore
import Testing

@testable import FHIRBundles

/// A record and the bundle that it has to become, which stands in `Tests/Fixtures/FHIR/bundles`.
///
/// Together they hold every type of record, every fact that stands beside a value and every profile. `scripts/fhir-test bundles`
/// has other programs check the same files.
struct BundleCase: Sendable, CustomTestStringConvertible {
  let name: String
  var subject = FHIRSubject.reference("Patient/123")
  let record: @Sendable () throws -> Record

  var testDescription: String { name }

  func bundle() throws -> FHIRBundle {
    try FHIRBundleMaker(subject: subject, gateway: Fixture.gateway).bundle(for: record())
  }

  static let all = glucose + cardiovascular + body + stores

  private static let glucose: [BundleCase] = [
    BundleCase(name: "glucose-with-all-its-context") {
      var record = try Fixture.glucose([
        Fixture.value("sample_type", "1"), Fixture.value("sample_location", "1"), Fixture.value("sensor_status", "1"),
        Fixture.value("carbohydrate", "45", "g"), Fixture.value("carbohydrate_type", "2"),
        Fixture.value("relationship_to_meal", "2"), Fixture.value("tester", "1"), Fixture.value("health_status", "4"),
        Fixture.value("exercise_duration", "1800", "s"), Fixture.value("exercise_intensity", "50", "%"),
        Fixture.value("medication_mass", "12.5", "mg"), Fixture.value("medication_type", "1"),
        Fixture.value("context_hba1c", "6.8", "%"),
      ])
      record = Fixture.reading(
        .diabetes, record.values, named: "glucose",
        notes: [try Fixture.note("firmware_version", "1.02"), try Fixture.note("note", "before \"breakfast\"")])
      return record
    },
    BundleCase(name: "glucose-keeps-its-digits") {
      try Fixture.glucose([Fixture.value("sample_type", "2")], number: "6.20", unit: "mmol/L")
    },
    BundleCase(name: "glucose-above-what-the-meter-shows") {
      try Fixture.glucose([Fixture.value("sample_type", "1")], number: "600", qualifier: .above)
    },
    BundleCase(name: "glucose-below-at-bedtime-of-a-later-revision") {
      try Fixture.glucose([Fixture.value("relationship_to_meal", "5")], number: "20", qualifier: .below, revision: 2)
    },
    BundleCase(
      name: "glucose-in-tissue-by-a-patient-identifier", subject: .identifier(system: "urn:oid:1.2.3", value: "A 1")
    ) {
      try Fixture.glucose([Fixture.value("sample_type", "9")])
    },
    BundleCase(name: "glucose-that-a-person-entered") {
      try Fixture.glucose(
        [Fixture.value("relationship_to_meal", "3")], number: "5.4", unit: "mmol/L", from: Fixture.person,
        origin: .manual)
    },
    BundleCase(name: "glucose-by-a-clock-that-is-ahead") {
      try Fixture.glucose([Fixture.value("sample_type", "1"), Fixture.value("clock_offset", "78", "s")])
    },
    BundleCase(name: "ketone-medication-of-unknown-kind") {
      Fixture.reading(
        .diabetes,
        [
          try Fixture.value("blood_ketone", "0.6", "mmol/L"), try Fixture.value("medication_type", "4"),
          try Fixture.value("medication_volume", "0.10", "mL"), try Fixture.value("carbohydrate_type", "5"),
        ], named: "ketone")
    },
    BundleCase(name: "hba1c") {
      Fixture.reading(.diabetes, [try Fixture.value("hba1c", "6.8", "%")], named: "hba1c")
    },
    BundleCase(name: "inr") {
      Fixture.reading(.biometrics, [try Fixture.value("inr", "2.5", "{INR}", .questionable)], named: "inr")
    },
  ]

  private static let cardiovascular: [BundleCase] = [
    BundleCase(name: "blood-pressure") {
      Fixture.reading(
        .biometrics,
        [
          try Fixture.value("systolic", "124", "mm[Hg]"), try Fixture.value("diastolic", "81", "mm[Hg]"),
          try Fixture.value("mean_arterial_pressure", "95", "mm[Hg]"), try Fixture.value("pulse", "67", "/min"),
          // An irregular pulse, and an arm that lies wrong.
          try Fixture.value("blood_pressure_status", "36"),
        ], named: "pressure", from: Fixture.serialMeter)
    },
    BundleCase(name: "blood-pressure-in-kilopascal-off-a-display") {
      Fixture.reading(
        .biometrics,
        [try Fixture.value("systolic", "16.0", "kPa"), try Fixture.value("diastolic", "10.7", "kPa")],
        named: "kilopascal",
        from: Fixture.display)
    },
    BundleCase(name: "one-pressure-alone") {
      Fixture.reading(
        .biometrics, [try Fixture.value("systolic", "124", "mm[Hg]")], named: "systolic", from: Fixture.serialMeter)
    },
    BundleCase(name: "oximeter") {
      Fixture.reading(
        .biometrics,
        [
          try Fixture.value("pulse", "61", "/min"), try Fixture.value("spo2", "97", "%"),
          try Fixture.value("pulse_amplitude_index", "4.2", "%"), try Fixture.value("spo2_fast", "96", "%"),
          try Fixture.value("spo2_slow", "97", "%"), try Fixture.value("pulse_rate_fast", "62", "/min"),
          try Fixture.value("pulse_rate_slow", "61", "/min"),
          // Low perfusion.
          try Fixture.value("oximeter_device_status", "32"), try Fixture.value("oximeter_measurement_status", "256"),
        ], named: "oximeter")
    },
    BundleCase(name: "heart-rate-with-its-intervals") {
      Fixture.reading(
        .biometrics,
        [
          try Fixture.value("heart_rate", "72", "/min"), try Fixture.value("sensor_contact", "3"),
          try Fixture.value("energy_expended", "120", "kJ"), try Fixture.value("rr_interval", "0.8320", "s"),
          try Fixture.value("rr_interval", "0.8291", "s"),
        ], named: "heart", from: Fixture.addressMeter, time: arrival, identity: .live)
    },
  ]

  private static let body: [BundleCase] = [
    BundleCase(name: "temperature-in-the-mouth") {
      Fixture.reading(
        .biometrics,
        [try Fixture.value("body_temperature", "98.60", "[degF]"), try Fixture.value("temperature_site", "6")],
        named: "temperature",
        time: withoutOffset)
    },
    BundleCase(name: "weight-and-composition") {
      Fixture.reading(
        .weight,
        [
          try Fixture.value("bmi", "23.1", "kg/m2"), try Fixture.value("body_height", "180", "cm"),
          try Fixture.value("body_weight", "75.00", "kg"), try Fixture.value("body_fat", "18.2", "%"),
          try Fixture.value("body_bone_mass", "3.1", "kg"), try Fixture.value("body_water_mass", "42.0", "kg"),
          try Fixture.value("body_muscle_percent", "40.1", "%"), try Fixture.value("body_impedance", "500", "Ohm"),
          try Fixture.value("basal_metabolism", "6800", "kJ"), try Fixture.value("battery_level", "90", "%"),
        ], named: "weight", from: Fixture.addressMeter)
    },
    BundleCase(name: "weight-in-pounds") {
      Fixture.reading(
        .weight, [try Fixture.value("body_weight", "165.3", "[lb_av]")], named: "pounds", from: Fixture.addressMeter)
    },
  ]

  private static let stores: [BundleCase] = [
    BundleCase(name: "a-day-as-it-grows") {
      Fixture.reading(
        .routine,
        [
          try Fixture.value("resting_heart_rate", "58", "/min"), try Fixture.value("steps", "8421", "{count}"),
          try Fixture.value("distance", "6100.5", "m"),
        ], named: "day", from: Fixture.store, time: Fixture.interval(hours: 24), identity: .summary, revision: 3)
    },
    BundleCase(name: "a-night") {
      Fixture.reading(
        .sleep,
        [
          try Fixture.value("sleep_duration", "412", "min"), try Fixture.value("rem_sleep", "96", "min"),
          try Fixture.value("respiratory_rate", "13.5", "/min"),
        ], named: "night", from: Fixture.store, time: Fixture.interval(hours: 7))
    },
    BundleCase(name: "a-workout") {
      Fixture.reading(
        .fitness,
        [
          try Fixture.value("active_duration", "1800", "s"), try Fixture.value("heart_rate", "131", "/min"),
          try Fixture.value("active_energy_burned", "240", "kcal"),
        ], named: "workout", from: Fixture.store, time: Fixture.interval(hours: 1))
    },
    BundleCase(name: "a-laboratory-value-that-a-person-entered") {
      Fixture.reading(
        .biometrics,
        [try Fixture.value("hemoglobin", "13.9", "g/dL"), try Fixture.value("crp", "3", "mg/L")], named: "hemoglobin",
        from: Fixture.person, origin: .manual)
    },
  ]

  /// No time but that of arrival.
  private static let arrival = RecordTime(
    startMicroseconds: Fixture.morning + 250_000, endMicroseconds: Fixture.morning + 250_000, civilMicroseconds: nil,
    utcOffsetSeconds: 3_600, zoneSource: .gateway, kind: .none)
  /// UTC is known, and how far local time was ahead is not.
  private static let withoutOffset = RecordTime(
    startMicroseconds: Fixture.morning, endMicroseconds: Fixture.morning, civilMicroseconds: nil,
    utcOffsetSeconds: nil, zoneSource: nil, kind: .utc)
}
