package import MeterCore

extension Fixture {
  package static let person = RecordSource(
    peripheralID: 0, manufacturer: nil, model: nil, deviceID: "", driverID: "manual", driverVersion: "1")

  /// From 2026-03-01T08:00:00Z on, so many seconds long.
  package static func draft(_ type: RecordType, seconds: Int64 = 0) -> RecordDraft {
    RecordDraft(
      type: type, time: .utc(morning, to: morning + seconds * 1_000_000, zone: berlin, source: .user), source: person)
  }

  package static func draft(_ type: RecordType, _ values: [RecordDraft.Value]) -> RecordDraft {
    var draft = draft(type)
    draft.values = values
    return draft
  }

  package static func night() -> RecordDraft {
    var draft = draft(.sleep, seconds: 28_800)
    draft.values = [.init("sleep_duration", "25200", "s"), .init("awake_count", "2", "{count}")]
    draft.segments = [
      .init(
        name: "rem", startMicroseconds: morning, endMicroseconds: morning + 60_000_000,
        values: [.init("rem_sleep", "60", "s")])
    ]
    draft.tags = [RecordTag(name: "mood", value: "rested")]
    draft.extras = [
      RecordExtra(name: "score", value: .number(ReportedNumber(mantissa: 825, exponent: -1))),
      RecordExtra(name: "nap", value: .flag(false)), RecordExtra(name: "room", value: .text("north")),
    ]
    return draft
  }

  /// Biometrics in extras alone.
  package static func words() -> RecordDraft {
    var draft = draft(.biometrics, [])
    draft.extras = [RecordExtra(name: "menstrual_flow", value: .text("Light"))]
    draft.isOfWords = true
    return draft
  }

  package static func glucoseSeries(_ type: RecordType = .cgm) -> RecordDraft {
    var draft = draft(type, seconds: 86_399)
    draft.granularity = .init(interval: 5, unit: "min")
    draft.channels = [
      .init(
        "blood_glucose", unit: "mg/dL",
        points: [
          .init(morning + 300_000_000, "118", isScheduled: true), .init(morning, "112"),
          .init(morning + 600_000_000, "400", qualifier: .above),
        ])
    ]
    return draft
  }

  package static func meal() -> RecordDraft {
    var draft = draft(
      .nutrition, [.init("energy_consumed", "338", "kcal"), .init("carbohydrate_consumed", "0.50", "g")])
    draft.texts = [.init("meal", "Breakfast"), .init("category", "meal")]
    draft.segments = [
      .init(
        name: "Breakfast", values: [.init("energy_consumed", "338", "kcal")],
        foods: [
          .init(
            name: "Toast", brand: "La Cena", servingAmount: "2", servingUnit: "piece",
            values: [.init("energy_consumed", "70", "kcal"), .init("sodium", "405.77", "mg")])
        ])
    ]
    return draft
  }
}
