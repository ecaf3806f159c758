import CMeterDriver
import Foundation

/// One vector of a plug-in's vectors.json.
struct Vector: Decodable, CustomStringConvertible, Sendable {
  struct Record: Decodable, Sendable {
    let kind: String
    let timestamp: String?
    let sequence: UInt64?
    let values: [Value]
  }

  struct Value: Decodable, Sendable, Equatable {
    let metric: String
    let value: Double
    let unit: String
    let qualifier: String
  }

  /// A number, or the name of a special.
  enum Primitive: Decodable, Sendable, Equatable {
    case number(Double)
    case special(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .special(try container.decode(String.self))
      }
    }
  }

  let id: String
  let characteristic: String
  let hex: String
  let error: String?
  let records: [Record]?
  let value: Primitive?

  var description: String { id }
  var isPrimitive: Bool { records == nil }
  var uuid: UInt16 { UInt16(characteristic, radix: 16) ?? 0 }

  var bytes: [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
  }

  var status: Int32 { error == nil ? MH_OK : error == "no_value" ? MH_E_NO_VALUE : MH_E_PROTOCOL }

  static func load(_ plugin: String) -> [Vector] {
    let file = packageFolder().appendingPathComponent("Plugins/\(plugin)/vectors.json")
    guard let data = try? Data(contentsOf: file), let all = try? JSONDecoder().decode([Vector].self, from: data) else {
      return []
    }
    return all
  }

  static let glucose = load("Glucose")
  static let thermometer = load("Thermometer")
}

/// Names of codes: the dictionary of registry.json, and the glucose driver's own.
struct MetricNames: Decodable {
  struct Entry: Decodable {
    let code: UInt16
    let name: String?
    let ucum: String?
  }

  let units: [Entry]
  let metrics: [Entry]

  struct Registry: Decodable { let dictionary: MetricNames }

  static func load() throws -> MetricNames {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    return try JSONDecoder().decode(Registry.self, from: data).dictionary
  }

  /// As Plugins/Glucose/README.md lists them.
  static let glucoseMetrics: [UInt16: String] = [
    0x8000: "racp_opcode", 0x8001: "racp_operator", 0x8002: "racp_request_opcode", 0x8003: "racp_response",
    0x8004: "racp_record_count", 0x8005: "racp_filter_type", 0x8006: "racp_operand", 0x8007: "glucose_features",
    0x8008: "racp_operand_upper",
  ]

  func metric(_ code: UInt16) -> String? {
    metrics.first { $0.code == code }?.name ?? MetricNames.glucoseMetrics[code]
  }

  func ucum(_ code: UInt16) -> String? { units.first { $0.code == code }?.ucum }

  func values(_ record: TestRecord) -> [Vector.Value] {
    let qualifiers = ["exact", "above", "below", "questionable"]
    return record.values.map {
      Vector.Value(
        metric: metric($0.metric) ?? "?", value: $0.value, unit: ucum($0.unit) ?? "?",
        qualifier: qualifiers[Int($0.qualifier)])
    }
  }
}

func timestamp(_ record: TestRecord) -> String? {
  guard record.timeKind == UInt16(MH_TIME_CIVIL) else { return nil }
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
  return formatter.string(from: Date(timeIntervalSince1970: Double(record.time) / 1_000_000))
}
