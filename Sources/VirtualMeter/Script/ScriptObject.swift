import BluetoothWire
import HostPrimitives

struct ScriptKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

/// A JSON object of a script whose keys are all known, with errors that say what is allowed.
struct ScriptObject {
  private let container: KeyedDecodingContainer<ScriptKey>

  /// - Throws: ``MeterScriptError`` if there is a key outside `allowed`; `note` is allowed everywhere.
  init(_ decoder: any Decoder, allowed: [String]) throws {
    container = try decoder.container(keyedBy: ScriptKey.self)
    for key in container.allKeys where key.stringValue != "note" && !allowed.contains(key.stringValue) {
      throw MeterScriptError(
        .unknownKey, path: MeterScriptError.text(of: container.codingPath + [key]),
        message: "unknown key; allowed are \((allowed + ["note"]).joined(separator: ", "))")
    }
  }

  func has(_ key: String) -> Bool { container.contains(ScriptKey(stringValue: key)) }

  func required<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value {
    try container.decode(type, forKey: ScriptKey(stringValue: key))
  }

  func optional<Value: Decodable>(_ key: String, as type: Value.Type = Value.self) throws -> Value? {
    try container.decodeIfPresent(type, forKey: ScriptKey(stringValue: key))
  }

  func list<Value: Decodable>(_ key: String, of type: Value.Type = Value.self) throws -> [Value] {
    try optional(key, as: [Value].self) ?? []
  }

  func invalid(_ key: String, _ message: String) -> MeterScriptError {
    MeterScriptError(
      .invalidValue, path: MeterScriptError.text(of: container.codingPath + [ScriptKey(stringValue: key)]),
      message: message)
  }

  func int(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let value = try optional(key, as: Int.self) else { return nil }
    guard range.contains(value) else {
      throw invalid(key, "\(value) is out of range; \(range.lowerBound) to \(range.upperBound) are allowed")
    }
    return value
  }

  func choice<Value: RawRepresentable & CaseIterable>(_ key: String, of type: Value.Type = Value.self) throws -> Value?
  where Value.RawValue == String {
    guard let text = try optional(key, as: String.self) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw invalid(key, "“\(text)” is not allowed; write \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return value
  }

  func hex(_ key: String) throws -> [UInt8]? { try optional(key, as: HexBytes.self)?.bytes }
}

/// Bytes written as hexadecimal text; spaces are allowed between bytes.
struct HexBytes: Decodable {
  let bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    var bytes: [UInt8] = []
    for word in text.split(separator: " ") {
      guard let part = [UInt8](hexadecimal: word.utf8) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "“\(text)” is no hexadecimal text; write two digits a byte, such as 06680100"
        )
      }
      bytes += part
    }
    self.bytes = bytes
  }
}

/// A byte written as two hexadecimal digits with or without `0x`, as the specifications write codes.
struct HexByte: Decodable {
  let value: UInt8

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = UInt8(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "“\(text)” is no byte; write two hexadecimal digits, such as 0x0F")
    }
    self.value = value
  }
}
