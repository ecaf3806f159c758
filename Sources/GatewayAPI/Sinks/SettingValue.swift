import Foundation
import StrictJSON

/// One value of a sink's setting, as its JSON has it.
public enum SettingValue: Codable, Sendable, Hashable {
  /// A JSON string, such as a path or a word.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// Yes or no.
  case flag(Bool)

  /// Reads a value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else {
      self = .number(try container.decode(Double.self))
    }
  }

  /// Writes a value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .flag(let flag): try container.encode(flag)
    }
  }

  /// The value as people write it.
  public var text: String {
    switch self {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    }
  }
}

extension [String: SettingValue] {
  /// A setting's JSON, member by member.
  ///
  /// - Throws: `DecodingError` for JSON that is no object of plain values.
  package init(setting json: [UInt8]) throws {
    self = try JSONDecoder().decode([String: SettingValue].self, from: Data(json))
  }

  /// The setting as JSON.
  package func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(try encoder.encode(self))
  }
}
