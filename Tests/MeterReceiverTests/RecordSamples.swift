@testable import MeterReceiver

/// One valid record of each Inform v2 type.
enum RecordSamples {
  static func metric(_ type: String, _ unit: String, _ value: Double) -> JSONValue {
    .object([
      "type": .string(type), "origin": .string("device"), "unit": .string(unit), "value": .number(value),
    ])
  }

  static func series(_ type: String, _ unit: String, key: String, _ values: [Double]) -> JSONValue {
    let points = values.enumerated().map { index, value in
      JSONValue.object([
        "time": .string("2018-09-20T0\(index):00:00Z"), "value": .number(value), "scheduled": .bool(true),
      ])
    }
    return .object([
      "type": .string(type), "origin": .string("device"), "unit": .string(unit), key: .array(points),
    ])
  }

  static func record(
    _ type: RecordType, logID: String = MeterReceiverTests.logID(1), _ change: (inout JSONObject) -> Void = { _ in }
  ) -> JSONObject {
    var record = measurementObject(logID: logID)
    record["type"] = .string(type.rawValue)
    record["start_time"] = .string("2018-09-20T00:00:00Z")
    record["end_time"] = .string("2018-09-20T23:59:59Z")
    switch type {
    case .measurement: break
    case .summary:
      record["category"] = .string("daily")
      record["metrics"] = .array([
        metric("steps", "{count}", 6392), metric("active_energy_burned", "kcal", 809),
        metric("resting_heart_rate", "/min", 70), metric("heart_rate_zone_low", "s", 5220),
      ])
    case .workout:
      record["name"] = .string("Elliptical")
      record["metrics"] = .array([metric("active_duration", "s", 2407), metric("distance", "m", 3638)])
    case .sleep:
      record["metrics"] = .array([metric("sleep_duration", "s", 15360), metric("awake_count", "{count}", 0)])
      record["segments"] = .array([
        .object([
          "type": .string("rem"), "start_time": .string("2018-09-20T01:00:00Z"),
          "end_time": .string("2018-09-20T01:27:00Z"),
        ])
      ])
    case .nutrition: addMeal(to: &record)
    case .intraday:
      record["granularity"] = .object(["interval": .integer(60), "unit": .string("min")])
      record["metrics"] = .array([series("steps", "{count}", key: "data_points", [12, 0, 99])])
    case .cgm: record["metrics"] = .array([series("blood_glucose", "mg/dL", key: "reading_log", [204, 197])])
    }
    change(&record)
    return record
  }

  private static func addMeal(to record: inout JSONObject) {
    record["metrics"] = .array([metric("energy_consumed", "kcal", 1963), metric("sodium", "mg", 3101.43)])
    record["segments"] = .array([
      .object([
        "name": .string("Breakfast"), "metrics": .array([metric("energy_consumed", "kcal", 338)]),
        "food": .array([
          .object([
            "name": .string("Toast"), "brand": .string(""), "metrics": .array([metric("energy_consumed", "kcal", 70)]),
            "serving": .object(["amount": .number(2), "unit_name": .string("piece")]),
          ])
        ]),
      ])
    ])
  }
}

extension JSONObject {
  /// Changes one element of a member that is a list of objects.
  mutating func changeElement(_ index: Int = 0, of name: String, _ change: (inout JSONObject) -> Void) {
    guard case .array(var values)? = self[name], case .object(var element) = values[index] else { return }
    change(&element)
    values[index] = .object(element)
    self[name] = .array(values)
  }
}
