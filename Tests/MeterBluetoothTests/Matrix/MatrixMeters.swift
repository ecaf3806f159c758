import Foundation
import MeterCore

// What the shipped meters hold, written from the notes and bytes of their scripts and not from what the drivers say.
extension MatrixMeter {
  static let glucose: [MatrixMeter] = {
    let contour = [
      record(
        "2018-09-19T22:27:07", "blood_glucose 111 mg/dL", "sample_type 1 1", "sample_location 15 1",
        "relationship_to_meal 2 1"),
      record(
        "2018-10-07T10:11:11", "blood_glucose 118 mg/dL", "sample_type 1 1", "sample_location 15 1",
        "relationship_to_meal 2 1"),
    ]
    return [
      MatrixMeter("contour-next-one", 10000, contour),
      MatrixMeter("contour-next-one", 10000, contour)
        .but("newest first, deleted", behaviour: #"{"order": "newest-first", "delete_on_confirmation": true}"#),
      MatrixMeter(
        "accu-chek-guide", 10001,
        [
          record(
            "2024-01-30T11:37:27", "blood_glucose 111 mg/dL", "sample_type 8 1", "sample_location 15 1",
            "sensor_status 0 1")
        ]),
      MatrixMeter(
        "glucose-molar", 1000,
        [
          record("2019-08-21T09:31:13", "blood_glucose 5.9 mmol/L", "sample_type 1 1", "sample_location 15 1"),
          record(
            "2020-05-14T18:23:29", "blood_glucose 104 mg/dL", "sample_type 8 1", "sample_location 15 1",
            "sensor_status 0 1"),
        ]),
      MatrixMeter(
        "ketone-filler", 1000,
        [record("2020-03-14T23:23:00", "blood_glucose 112 mg/dL", "sample_type 1 1", "sample_location 1 1")]
      ).with { $0.passedOver = 1 },
      MatrixMeter(
        "caresens-dual", 10002,
        [record("2024-03-15T08:30:00", "blood_ketone 0.5 mmol/L", "sample_type 1 1", "sample_location 1 1")]),
    ]
  }()

  static let thermometers: [MatrixMeter] = {
    let clock = MatrixMeter(
      "thermometer-with-clock", 4000,
      [
        record("2018-03-10T20:27:00", "body_temperature 36.8 Cel", "temperature_site 2 1"),
        record("2018-03-10T21:52:00", "body_temperature 36.0 Cel", "temperature_site 2 1"),
      ])
    let pyle = [
      record(nil, "body_temperature 34.2 Cel", "temperature_site 9 1"),
      record(nil, "body_temperature 34.11 Cel", "temperature_site 9 1"),
    ]
    return [
      clock, clock.but("sent once", behaviour: #"{"resend_all": false}"#),
      clock.but("deleted", behaviour: #"{"resend_all": false, "delete_on_confirmation": true}"#),
      MatrixMeter("pyle-thermometer", 1, pyle),
    ]
  }()

  static let bloodPressure: [MatrixMeter] = {
    func values(_ systolic: Int, _ diastolic: Int, mean: Int? = nil, _ pulse: Int, _ status: Int) -> [String] {
      ["systolic \(systolic) mm[Hg]", "diastolic \(diastolic) mm[Hg]", "pulse \(pulse) /min"]
        + ["blood_pressure_status \(status) 1"] + (mean.map { ["mean_arterial_pressure \($0) mm[Hg]"] } ?? [])
    }
    func bm85(_ peripheral: UInt32, ownedBy slot: UInt16?) -> MatrixMeter {
      let (first, second): (DeliveryState, DeliveryState) = (
        slot == 0 ? .pending : .held, slot == 1 ? .pending : .held
      )
      return MatrixMeter(
        "beurer-bm85", peripheral,
        [
          record("2026-08-11T18:31:00", values(106, 71, 63, 0), state: first),
          record("2026-08-11T20:27:00", values(118, 80, 60, 4), state: first),
          record("2026-08-11T20:56:00", values(113, 73, 65, 0), state: second),
          record("2026-08-11T20:57:00", values(119, 70, 87, 64), state: second),
        ]
      ).with {
        $0.slot = slot
        $0.testDescription += slot.map { ", user \($0)" } ?? ", no user"
      }
    }
    let memory = MatrixMeter(
      "blood-pressure-memory", 3000,
      [
        // It names a user of the meter, and nobody has said who that is.
        record("2020-01-20T08:43:00", values(127, 79, 69, 128), state: .held),
        record("2020-06-01T17:51:29", values(102, 60, mean: 72, 63, 0)),
        record("2024-06-15T17:17:27", values(124, 86, mean: 97, 51, 0)),
      ]
    ).with { $0.passedOver = 1 }
    let omron = MatrixMeter(
      "omron-x4-smart", 10101,
      [
        record("2024-06-15T17:17:27", values(124, 86, mean: 97, 51, 0)),
        record("2024-06-16T07:05:00", values(118, 81, mean: 93, 54, 0)),
      ])
    return [
      bm85(10100, ownedBy: 0), bm85(10100, ownedBy: 1), bm85(3000, ownedBy: nil), memory,
      memory.but("deleted", behaviour: #"{"resend_all": false, "delete_on_confirmation": true}"#), omron,
      omron.but("newest first", behaviour: #"{"order": "newest-first"}"#),
    ]
  }()

  static let scales: [MatrixMeter] = {
    let plain = MatrixMeter(
      "weight-scale", 5000,
      [
        record(
          "2024-03-10T07:30:00", "body_weight 74.86 kg", "bmi 24.8 kg/m2", "body_height 181.2 cm", "body_fat 19.4 %",
          "body_muscle_percent 40.7 %", "body_impedance 452 Ohm"),
        record(nil, "body_weight 165.5 [lb_av]"),
      ])
    let beurer = MatrixMeter(
      "beurer-bf720", 10200,
      [
        record(
          "2026-05-12T18:53:54", "body_weight 79.96 kg", "bmi 23.8 kg/m2", "body_height 183 cm", "body_fat 19.4 %",
          "body_muscle_percent 40.7 %", "soft_lean_mass 61.18 kg", "body_water_mass 43.25 kg", "body_impedance 452 Ohm",
          "basal_metabolism 6879 kJ")
      ]
    ).with {
      $0.slot = 1
      $0.answer = "3752"
      $0.passedOver = 1
    }
    let delete = #"{"delete_on_confirmation": true}"#
    return [
      plain, plain.but("deleted", behaviour: delete), beurer, beurer.but("deleted", behaviour: delete),
    ]
  }()

  static let taidoc: [MatrixMeter] = {
    let clock = #"{"behaviour": {"clock": "\#(MeterClockText.taidoc)"}}"#
    let multi = MatrixMeter(
      "fora-multi", 10303,
      [
        record("2024-03-04T07:08:00", "hematocrit 42 %"), record("2024-03-04T07:10:00", "blood_ketone 0.6 mmol/L"),
        record("2024-03-04T07:11:00", "blood_ketone 0.63 mmol/L"),
        record("2024-03-04T07:12:00", "uric_acid 6.3 mg/dL"),
        record("2024-03-04T07:14:00", "total_cholesterol 187 mg/dL"),
        record("2024-03-04T07:16:00", "hemoglobin 14.1 g/dL"), record("2024-03-04T07:18:00", "blood_lactate 18 mg/dL"),
        record("2024-03-05T08:00:00", "blood_glucose 101 mg/dL"),
        // Measured while the meter is read.
        record("2024-03-05T08:30:00", "blood_glucose 112 mg/dL"),
      ]
    ).with { $0.passedOver = -1 }
    let glucose = MatrixMeter(
      "fora-glucose", 10300,
      [
        record("2024-03-04T07:10:00", "blood_glucose 104 mg/dL", "relationship_to_meal 1 1"),
        record("2024-03-04T07:12:00", "control_solution_glucose 121 mg/dL", state: .excluded),
        record("2024-03-04T09:30:00", "blood_glucose 148 mg/dL", "relationship_to_meal 2 1"),
        record("2024-03-05T08:00:00", "blood_glucose 97 mg/dL"),
      ])
    return [
      glucose, glucose.but("in fragments", behaviour: #"{"fragment_size": 5}"#),
      MatrixMeter(
        "fora-blood-pressure", 10301,
        [
          record(
            "2024-03-04T07:10:00", "systolic 128 mm[Hg]", "diastolic 82 mm[Hg]", "mean_arterial_pressure 97 mm[Hg]",
            "pulse 71 /min"),
          record(
            "2024-03-05T07:15:00", "systolic 141 mm[Hg]", "diastolic 88 mm[Hg]", "pulse 84 /min",
            "blood_pressure_status 4 1"),
        ]),
      MatrixMeter(
        "fora-thermometer", 10302,
        [
          record("2024-03-04T07:10:00", "body_temperature 36.6 Cel"),
          record("2024-03-05T08:20:00", "body_temperature 37.19 Cel"),
        ]),
      multi,
      // It has the Glucose Profile too, which does not say what was measured: nothing of it is asked for.
      MatrixMeter(
        "fora-6-connect", 10004,
        [
          record("2024-03-04T07:08:00", "blood_glucose 96 mg/dL"),
          record("2024-03-04T07:09:00", "total_cholesterol 262 mg/dL"),
          record("2024-03-04T07:10:00", "uric_acid 5.8 mg/dL"),
          record("2024-03-04T07:11:00", "blood_ketone 0.4 mmol/L"),
          record("2024-03-05T08:00:00", "blood_glucose 118 mg/dL"),
        ]
      ).with { $0.passedOver = 1 },
    ].map { $0.with { $0.merge = MatrixScript.merge(clock, into: $0.merge) } }
  }()

  static let oneTouch: [MatrixMeter] = {
    let clock = #"{"behaviour": {"clock": \#(MeterClockText.oneTouch)}}"#
    let verio = MatrixMeter(
      "verio-flex", 10400,
      [
        record("2025-04-26T16:26:39", "blood_glucose 105 mg/dL"),
        record("2025-04-26T17:26:39", "control_solution_glucose 112 mg/dL", state: .excluded),
        record("2025-04-27T16:26:39", "blood_glucose 98 mg/dL"),
        // HI and LO: above 600 and below 20.
        record("2025-04-28T16:26:39", "blood_glucose 600 mg/dL"),
        record("2025-04-29T16:26:39", "blood_glucose 20 mg/dL"),
        record("2025-04-30T16:26:39", "blood_glucose 141 mg/dL"),
      ]
    ).with { $0.passedOver = 1 }
    let select = MatrixMeter(
      "select-plus-flex", 10402,
      [
        record("2025-04-26T16:26:39", "blood_glucose 105 mg/dL"),
        record("2025-04-27T16:26:39", "blood_glucose 98 mg/dL"),
        record("2025-04-28T16:26:39", "blood_glucose 141 mg/dL"),
      ])
    return [verio, select, select.but("forgets", behaviour: #"{"forget_acknowledged": true}"#)]
      .map { $0.with { $0.merge = MatrixScript.merge(clock, into: $0.merge) } }
  }()

  static let others: [MatrixMeter] = {
    // Its pairing has tests of its own; here the bond exists.
    let keyed = MatrixMeter(
      "keyed-meter", 10500,
      [
        record("2026-01-05T07:30:00", "inr 2.4 {INR}"), record("2026-01-12T07:45:00", "inr 3.1 {INR}"),
        record("2026-01-12T08:00:00", "inr 1.2 {INR}", state: .excluded),
        record("2026-01-19T07:35:00", "inr 2.8 {INR}"),
      ]
    ).with {
      $0.passedOver = 1
      $0.merge = #"{"pairing": null, "bonded": true}"#
    }
    let oximeter = [
      record(
        nil, "spo2 97 %", "pulse 96 /min", "oximeter_measurement_status 32 1", "oximeter_device_status 32 1")
    ]
    return [
      keyed, keyed.but("deleted", behaviour: #"{"delete_on_acknowledgement": true}"#),
      MatrixMeter("choicemmed-oximeter", 10310, oximeter),
    ]
  }()

  /// Every shipped meter that stores what it has measured, or sends it until it is confirmed.
  static let shipped = glucose + thermometers + bloodPressure + scales + taidoc + oneTouch + others

  /// The same, and a meter of the bench with more records than any of them.
  static let all =
    shipped + [
      .bench("oldest first", behaviour: "{}"), .bench("newest first", behaviour: #"{"order": "newest-first"}"#),
      .bench("deleted", behaviour: #"{"delete_on_confirmation": true}"#),
      .bench("newest first, deleted", behaviour: #"{"order": "newest-first", "delete_on_confirmation": true}"#),
    ]
}

/// The time of this moment as a meter's clock shows it, so that no reading is held for a wrong clock.
enum MeterClockText {
  private static var now: DateComponents {
    Calendar(identifier: .gregorian).dateComponents([.year, .month, .day, .hour, .minute], from: Date())
  }

  /// Day, month and year since 2000 in two bytes, minute, hour.
  static var taidoc: String {
    let time = now
    let date = ((time.year ?? 2000) - 2000) << 9 | (time.month ?? 1) << 5 | (time.day ?? 1)
    return String(
      format: "%02x%02x%02x%02x", date & 0xFF, date >> 8, time.minute ?? 0, time.hour ?? 0)
  }

  /// Seconds of local time since 1999-12-31T23:59:59.
  static var oneTouch: Int {
    Int(Date().timeIntervalSince1970) + TimeZone.current.secondsFromGMT() - 946_684_799
  }
}
