import CMeterDriver
import Foundation

/// One vector of a plug-in's vectors.json.
struct Vector: Decodable, CustomStringConvertible, Sendable {
  struct Record: Decodable, Sendable {
    let kind: String?
    let timestamp: String?
    let sequence: UInt64?
    let values: [Value]
  }

  struct Value: Decodable, Sendable, Equatable {
    let metric: String
    let value: Double
    let unit: String
    var qualifier = "exact"

    init(metric: String, value: Double, unit: String, qualifier: String) {
      (self.metric, self.value, self.unit, self.qualifier) = (metric, value, unit, qualifier)
    }

    enum CodingKeys: String, CodingKey { case metric, value, unit, qualifier }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        metric: try container.decode(String.self, forKey: .metric),
        value: try container.decode(Double.self, forKey: .value),
        unit: try container.decode(String.self, forKey: .unit),
        qualifier: try container.decodeIfPresent(String.self, forKey: .qualifier) ?? "exact")
    }
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
  var hex: String
  let error: String?
  let records: [Record]?
  let value: Primitive?
  /// The driver's parameters that the vector needs, by name.
  let parameters: [String: Int64]?
  /// The entry whose numbers of vendors' characteristics count; nil: they are the same in all.
  let peripheral: UInt32?
  /// The bytes are service data of an advertisement, and the characteristic is the service's id.
  let service_data: Bool?
  /// The records are progress.
  let provisional: Bool?
  /// The records' user slot; without it they must not say whose they are.
  let device_user: UInt16?

  var description: String { id }
  var isPrimitive: Bool { value != nil || characteristic == "SFLOAT" || characteristic == "FLOAT" }
  /// Flags of its slice.
  var flags: UInt16 { service_data == true ? UInt16(MH_SLICE_SERVICE_DATA) : 0 }
  var uuid: UInt16 { UInt16(characteristic, radix: 16) ?? 0 }

  var bytes: [UInt8] {
    let digits = Array(hex)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
  }

  var status: Int32 {
    switch error {
    case nil: MH_OK
    case "no_value": MH_E_NO_VALUE
    case "unsupported": MH_E_UNSUPPORTED
    default: MH_E_PROTOCOL
    }
  }

  /// The same vector with less bytes.
  func cut(to length: Int) -> Vector {
    var shorter = self
    shorter.hex = String(hex.prefix(2 * length))
    return shorter
  }

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

/// Names of codes: the dictionary of registry.json, and one driver's own.
struct MetricNames: Decodable {
  struct Entry: Decodable {
    let code: UInt16
    let name: String?
    let ucum: String?
  }

  let units: [Entry]
  var metrics: [Entry]

  struct Registry: Decodable { let dictionary: MetricNames }

  static func load(_ codes: DriverCodes? = nil) throws -> MetricNames {
    let data = try Data(contentsOf: packageFolder().appendingPathComponent("registry.json"))
    var names = try JSONDecoder().decode(Registry.self, from: data).dictionary
    names.metrics += (codes?.metrics ?? []).map { Entry(code: $0.code, name: $0.name, ucum: nil) }
    return names
  }

  func metric(_ code: UInt16) -> String? { metrics.first { $0.code == code }?.name }

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
  let isUTC = record.timeKind == UInt16(MH_TIME_UTC)
  guard isUTC || record.timeKind == UInt16(MH_TIME_CIVIL) else { return nil }
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss" + (isUTC ? "'Z'" : "")
  return formatter.string(from: Date(timeIntervalSince1970: Double(record.time) / 1_000_000))
}
