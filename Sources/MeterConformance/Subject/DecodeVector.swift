import DriverContract
import Foundation
import HostPrimitives
import MeterDrivers
import StrictJSON

/// One value of a bundle's vectors.json and what it decodes to.
///
/// Everything that it states is compared; what it does not state may be anything. A key that nobody knows is refused: a
/// misspelt expectation would be no expectation.
struct DecodeVector: Sendable {
  /// A record that comes of the value. Of optional members the outer nil says that the vector does not state it.
  struct Record: Sendable {
    var kind: String?
    var timestamp: String??
    var sequence: UInt64??
    var flags: [String]?
    var values: [Value]
  }

  struct Value: Sendable, Hashable {
    var metric: String
    var value: Double
    var unit: String
    var qualifier: String
  }

  /// What is expected of a value without a record.
  enum Refusal: String, Sendable, CaseIterable {
    /// The bytes are well formed and hold no value.
    case noValue = "no_value"
    /// The bytes are not what the format allows.
    case protocolError = "protocol"
    /// The same in another word.
    case malformed
    /// The driver does not decode the characteristic.
    case unsupported
  }

  var id: String
  /// The characteristic; with ``isServiceData`` the service.
  var uuid: UUIDString
  /// The bytes are service data of an advertisement.
  var isServiceData: Bool
  var bytes: [UInt8]
  /// nil: it has records.
  var refusal: Refusal?
  var records: [Record]
  /// The driver's parameters that the value needs, by name.
  var parameters: [String: Int64]
  /// The entry of the registry that the value is decoded for; nil: any of the driver's.
  var peripheral: UInt32?
  /// Whether its records are progress; nil: the vector does not state it.
  var isProvisional: Bool?
  /// The user slot of its records; the outer nil: the vector does not state it.
  var deviceUser: UInt16??

  /// The vectors of a file that are values of a characteristic or of an advertisement.
  static func load(_ file: String) throws(ConformanceError) -> [DecodeVector] {
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      try checkText([UInt8](data))
      let all = try JSONDecoder().decode([VectorEntry].self, from: data)
      var seen: Set<String> = []
      if let twice = all.first(where: { !seen.insert($0.id).inserted }) {
        throw VectorProblem(words: "the id \(twice.id) stands twice; give one of them another")
      }
      return all.compactMap(\.vector)
    } catch {
      throw ConformanceError(.unreadable, "the vectors \(file) cannot be used: \(VectorProblem.words(of: error))")
    }
  }

  /// Foundation takes one of two members with the same key, and the other would be compared with nothing.
  private static func checkText(_ bytes: [UInt8]) throws(VectorProblem) {
    do throws(JSONSyntaxError) { _ = try JSONDocument(bytes, rules: JSONRules(depth: 32)) } catch {
      throw VectorProblem(words: (error.code == .duplicateKey ? "" : "the file is no JSON: ") + error.description)
    }
  }
}

/// What is wrong with a vector, and what is allowed.
struct VectorProblem: Error {
  var words: String

  /// The words for an error of decoding, with the vector's place in the list.
  static func words(of error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.reduce("$") { text, key in key.intValue.map { "\(text)[\($0)]" } ?? "\(text).\(key.stringValue)" }
    }
    if let problem = error as? VectorProblem { return problem.words }
    guard let error = error as? DecodingError else { return error.localizedDescription }
    return switch error {
    case .keyNotFound(let key, let context): "\(place(context.codingPath)) has no \"\(key.stringValue)\""
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(place(context.codingPath)) is of another type: \(context.debugDescription)"
    case .dataCorrupted(let context) where context.codingPath.isEmpty: "the file is no JSON"
    case .dataCorrupted(let context): "\(place(context.codingPath)): \(context.debugDescription)"
    @unknown default: "\(error)"
    }
  }
}

/// An element of the list: a vector, or one of a number format by itself, which no driver decodes.
private struct VectorEntry: Decodable {
  let id: String
  let vector: DecodeVector?

  /// Numbers by themselves (ISO/IEEE 11073-20601).
  private static let formats = ["SFLOAT", "FLOAT"]
  private static let keys = [
    "id", "characteristic", "hex", "error", "records", "parameters", "service_data", "peripheral", "provisional",
    "device_user", "value", "note", "source", "kind", "device",
  ]

  init(from decoder: any Decoder) throws {
    let object = try VectorObject(decoder, allowed: Self.keys)
    id = try object.required("id")
    let characteristic: String = try object.required("characteristic")
    guard !Self.formats.contains(characteristic) else {
      vector = nil
      return
    }
    guard let uuid = UUIDString(characteristic) else {
      throw object.invalid("characteristic", "“\(characteristic)” is no UUID of 4, 8 or 32 digits")
    }
    let hex: String = try object.required("hex")
    guard let bytes = [UInt8](hexadecimal: hex.utf8) else {
      throw object.invalid("hex", "must be an even number of hexadecimal digits")
    }
    let word: String? = try object.optional("error")
    let refusal = word.flatMap { DecodeVector.Refusal(rawValue: $0) }
    if let word, refusal == nil {
      let allowed = DecodeVector.Refusal.allCases.map(\.rawValue).joined(separator: ", ")
      throw object.invalid("error", "“\(word)” is no reason; write \(allowed), or null")
    }
    let records: [DecodeVector.Record]? = try object.optional("records")
    guard refusal != nil || records != nil else {
      throw object.invalid("records", "the vector says neither what the value decodes to nor why it is refused")
    }
    guard refusal == nil || records?.isEmpty ?? true else {
      throw object.invalid("records", "a value that is refused has no records")
    }
    vector = DecodeVector(
      id: id, uuid: uuid, isServiceData: try object.optional("service_data") ?? false, bytes: bytes,
      refusal: refusal, records: records ?? [], parameters: try object.optional("parameters") ?? [:],
      peripheral: try object.optional("peripheral"), isProvisional: try object.optional("provisional"),
      deviceUser: try object.stated("device_user"))
  }
}

extension DecodeVector.Record: Decodable {
  init(from decoder: any Decoder) throws {
    let object = try VectorObject(decoder, allowed: ["kind", "timestamp", "sequence", "flags", "values", "note"])
    kind = try object.optional("kind")
    if let kind, !DriverRecordKind.allCases.contains(where: { $0.word == kind }) {
      throw object.invalid("kind", "“\(kind)” is no kind of record")
    }
    timestamp = try object.stated("timestamp")
    sequence = try object.stated("sequence")
    flags = try object.optional("flags")
    if let flag = flags?.first(where: { !DriverRecordFlags.allWords.contains($0) }) {
      throw object.invalid("flags", "“\(flag)” is no flag; write \(DriverRecordFlags.allWords.joined(separator: ", "))")
    }
    values = try object.required("values")
  }
}

extension DecodeVector.Value: Decodable {
  init(from decoder: any Decoder) throws {
    let object = try VectorObject(decoder, allowed: ["metric", "value", "unit", "qualifier"])
    metric = try object.required("metric")
    value = try object.required("value")
    unit = try object.required("unit")
    qualifier = try object.optional("qualifier") ?? DriverQualifier.exact.name
    guard DriverQualifier.allCases.contains(where: { $0.name == qualifier }) else {
      throw object.invalid("qualifier", "“\(qualifier)” is no qualifier")
    }
  }
}

/// A JSON object of a vector whose keys are all known.
private struct VectorObject {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  private let container: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder, allowed: [String]) throws {
    container = try decoder.container(keyedBy: Key.self)
    for key in container.allKeys where !allowed.contains(key.stringValue) {
      throw invalid(key.stringValue, "unknown key; allowed are \(allowed.joined(separator: ", "))")
    }
  }

  func required<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value {
    try container.decode(type, forKey: Key(stringValue: key))
  }

  func optional<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value? {
    try container.decodeIfPresent(type, forKey: Key(stringValue: key))
  }

  /// A member whose null says that there must be none; nil where the member is not there.
  func stated<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value?? {
    container.contains(Key(stringValue: key)) ? .some(try optional(key, as: type)) : .none
  }

  func invalid(_ key: String, _ words: String) -> DecodingError {
    .dataCorruptedError(forKey: Key(stringValue: key), in: container, debugDescription: words)
  }
}
