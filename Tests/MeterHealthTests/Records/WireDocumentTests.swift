import DriverContract
import MeterCore
import Testing

@testable import InformSink
@testable import MeterHealth

/// What receivers get of an export: whole documents, so that no member comes or goes unseen.
@Suite("Records of an import, as receivers get them")
struct WireDocumentTests {
  /// One record of an export, and what is in its documents beside the names that every one has.
  struct Case: Sendable {
    let type: RecordType
    /// Times of start and end in March 2026, such as `02T10:00:00`.
    let start: String
    let end: String
    let model: String?
    let maker: String?
    /// Inform v2: type, the members before the times, and those between the offset and `tags`.
    let inform: (type: String, heading: String, body: String)
    /// Inform v2: tags, and the member for extras.
    var tags = ""
    var informExtras = ""
    /// The members of values in the Legacy form, nil where it has no such record, and those of its extras before and behind the common ones.
    let legacy: String?
    var extrasBefore = ""
    var extrasBehind = ""
    let add: @Sendable (inout Export) -> Void
  }

  private static func metric(_ type: String, _ unit: String, _ value: String) -> String {
    #"{"type":"\#(type)","origin":"device","unit":"\#(unit)","value":\#(value)}"#
  }

  private static func metrics(_ list: (String, String, String)...) -> String {
    "\"metrics\":[" + list.map { metric($0.0, $0.1, $0.2) }.joined(separator: ",") + "]"
  }

  private static let day = Case(
    type: .routine, start: "02T00:00:00", end: "02T23:59:59", model: nil, maker: "Apple",
    inform: (
      "summary", #""category":"daily","#,
      metrics(
        ("steps", "count", "1150"), ("active_energy_burned", "kcal", "40"), ("basal_energy_burned", "kcal", "12.5"),
        ("energy_burned", "kcal", "52.5")) + #","segments":[]"#
    ), informExtras: #""extras":{"manual_steps":50,"device_steps":1100},"#,
    legacy: #""steps":1150,"calories_burned":52.5,"#,
    extrasBefore: #""active_energy_burned":{"value":40,"unit":"kcal"},"#
      + #""basal_energy_burned":{"value":12.5,"unit":"kcal"},"category":"daily","#,
    extrasBehind: #","manual_steps":50,"device_steps":1100"#
  ) { export in
    export.add(.steps, "Riley's Watch", "02 10:00", "02 10:10", "1100")
    export.add(.steps, "Health", "02 11:00", "02 11:10", "50") { $0.flags = .manual }
    export.add(.energyActive, "Riley's Watch", "02 10:00", "02 10:10", "40")
    export.add(.energyBasal, "Riley's Watch", "02 10:00", "02 10:10", "12.5")
  }

  private static let workout = Case(
    type: .fitness, start: "02T17:00:00", end: "02T17:30:00", model: "apple watch", maker: "Apple",
    inform: (
      "workout", #""name":"Social Dance","category":"other","#,
      metrics(
        ("active_duration", "s", "1800"), ("distance", "m", "1500"), ("active_energy_burned", "kcal", "210.5"))
        + #","segments":[]"#
    ),
    legacy: #""start_time":"2026-03-02T17:00:00+00:00","distance":1500,"duration":1800,"calories":210.5,"#
      + #""type":"Social Dance","#, extrasBefore: #""category":"other","#
  ) { export in
    export.add(.workout, "Riley's Watch", "02 17:00", "02 17:30") { sample in
      sample.text = "HKWorkoutActivityTypeSocialDance"
      sample.attributes = [
        HealthAttribute(HealthAttribute.Key.distance, Export.number("1500")),
        HealthAttribute(HealthQuantity.energyActive.word, Export.number("210.5")),
      ]
    }
  }

  private static let night = Case(
    type: .sleep, start: "02T22:00:00", end: "03T05:00:00", model: "apple watch", maker: "Apple",
    inform: (
      "sleep", "",
      metrics(
        ("sleep_duration", "s", "25200"), ("light_sleep", "s", "21600"), ("deep_sleep", "s", "3600"),
        ("rem_sleep", "s", "0"), ("awake_duration", "s", "0"), ("awake_count", "count", "0"),
        ("in_bed_duration", "s", "25200"))
        + #","segments":[{"name":"light","start_time":"2026-03-02T22:00:00Z","end_time":"2026-03-03T04:00:00Z","metrics":[]},"#
        + #"{"name":"deep","start_time":"2026-03-03T04:00:00Z","end_time":"2026-03-03T05:00:00Z","metrics":[]}]"#
    ), legacy: #""awake":0,"deep":3600,"light":21600,"rem":0,"times_woken":0,"total_sleep":25200,"#,
    extrasBefore: #""in_bed_duration":{"value":25200,"unit":"s"},"#
  ) { export in
    export.sleep(.core, "Riley's Watch", "02 22:00", "03 04:00")
    export.sleep(.deep, "Riley's Watch", "03 04:00", "03 05:00")
  }

  private static let food = Case(
    type: .nutrition, start: "02T00:00:00", end: "02T23:59:59", model: "Diary", maker: nil,
    inform: (
      "nutrition", #""name":"Daily nutrition","category":"other","#,
      metrics(("energy_consumed", "kcal", "300"), ("protein", "g", "10.5"))
        + #","segments":[{"name":"Soup","start_time":"2026-03-02T12:00:00Z","end_time":"2026-03-02T12:00:00Z","#
        + metrics(("energy_consumed", "kcal", "300"), ("protein", "g", "10.5")) + "}]"
    ), legacy: #""calories":300,"protein":10.5,"meal":"Daily nutrition","#, extrasBefore: #""category":"other","#
  ) { export in
    export.add(.dietEnergy, "Diary", "02 12:00", nil, "300")
    export.add(.dietProtein, "Diary", "02 12:00", nil, "10.5") {
      $0.attributes = [HealthAttribute("hk:HKFoodType", "Soup")]
    }
  }

  private static let weight = Case(
    type: .weight, start: "02T06:00:00", end: "02T06:00:00", model: "Scale", maker: nil,
    inform: (
      "measurement", "",
      metrics(("body_weight", "kg", "81.4"), ("body_fat", "%", "16.1"), ("body_lean_mass", "kg", "68.3"))
    ), legacy: #""weight":81.4,"free_mass":68.3,"fat_percent":16.1,"#
  ) { export in
    export.add(.weight, "Scale", "02 06:00", nil, "81.4")
    export.add(.bodyFat, "Scale", "02 06:00", nil, "16.1")
    export.add(.leanMass, "Scale", "02 06:00", nil, "68.3")
  }

  private static let glucose = Case(
    type: .diabetes, start: "02T07:00:00", end: "02T07:00:00", model: "Meter", maker: nil,
    inform: ("measurement", "", metrics(("blood_glucose", "mg/dL", "99"))),
    tags: #"{"name":"relationship_to_meal","value":"before"}"#,
    legacy: #""blood_glucose":99,"relationship_to_meal":"before","#
  ) { export in
    export.add(.glucose, "Meter", "02 07:00", nil, "99") { $0.attributes = [HealthAttribute("meal", "before")] }
  }

  private static let pressure = Case(
    type: .biometrics, start: "02T08:00:00", end: "02T08:00:00", model: "Cuff", maker: nil,
    inform: (
      "measurement", "", metrics(("systolic", "mmHg", "120"), ("diastolic", "mmHg", "80"), ("pulse", "bpm", "64"))
    ), legacy: #""diastolic":80,"resting_heartrate":64,"systolic":120,"#
  ) { export in
    export.add(.systolic, "Cuff", "02 08:00", nil, "120")
    export.add(.diastolic, "Cuff", "02 08:00", nil, "80")
    export.add(.heartRate, "Cuff", "02 08:00", nil, "64")
  }

  private static let steps = Case(
    type: .intraday, start: "31T00:00:00", end: "31T23:59:59", model: nil, maker: "Apple",
    inform: (
      "intraday", "",
      #""granularity":{"interval":5,"unit":"min"},"metrics":[{"type":"steps","origin":"device","unit":"count","data_points":["#
        + #"{"time":"2026-03-31T10:00:00Z","value":550},{"time":"2026-03-31T10:05:00Z","value":550}]}]"#
    ), legacy: nil
  ) { export in
    export.add(.steps, "Riley's Watch", "31 10:00", "31 10:10", "1100")
  }

  private static func record(_ wanted: Case) throws -> Record {
    var export = Export { $0.intradayDays = 7 }
    wanted.add(&export)
    let drafts = export.result.drafts(of: .apple, driver: "org.meterhost.apple-health", version: "1.0")
    let entry = try #require(drafts.first { $0.draft.type == wanted.type })
    return try entry.draft.record(named: entry.name)
  }

  @Test(
    "are whole documents in both forms",
    arguments: [
      Self.day, Self.workout, Self.night, Self.food, Self.weight, Self.glucose, Self.pressure, Self.steps,
    ])
  func documents(wanted: Case) throws {
    let record = try Self.record(wanted)
    let inform = """
      {"log_id":"\(record.logID)","revision":1,"type":"\(wanted.inform.type)","version":"1.0",\(wanted.inform.heading)\
      "start_time":"2026-03-\(wanted.start)Z","end_time":"2026-03-\(wanted.end)Z","utc_offset":0,\
      "offset_origin":"user_defined",\(wanted.inform.body),"tags":[\(wanted.tags)],"user_notes":[],\
      \(wanted.informExtras)"source":{"type":"apple_health","device":{"id":"","model":"\(wanted.model ?? "")",\
      "manufacturer":"\(wanted.maker ?? "")"}}}
      """
    #expect(String(decoding: try InformV2Encoder().encode(record), as: UTF8.self) == inform)
    guard let values = wanted.legacy else {
      #expect(!WireFormat.legacyV1.takes(record))
      return
    }
    let end = wanted.end == wanted.start ? "" : #","end_time":"2026-03-\#(wanted.end)Z""#
    let peripheral = wanted.model.map { #""source_peripheral":"\#($0)","# } ?? ""
    let origin = wanted.maker ?? wanted.model ?? ""
    let legacy = """
      {"\(wanted.type.rawValue)":{"activity_id":"\(record.logID)","revision":1,\
      "timestamp":"2026-03-\(wanted.start)+00:00","utc_offset":"+00:00",\(values)"source":"apple_health",\
      "source_name":"\(wanted.model ?? "Apple Health")","original_source":"\(origin)",\
      "intermediary_source":"Apple Health",\(peripheral)\
      "extras":{\(wanted.extrasBefore)"origin":"device","offset_origin":"user_defined"\(end)\(wanted.extrasBehind)}}}
      """
    #expect(String(decoding: try LegacyV1Encoder().encode(record), as: UTF8.self) == legacy)
  }
}
