import Foundation
import HostPrimitives

/// One value of a bundle's vectors.json and what it decodes to. The form is that of the first-party bundles.
struct DecodeVector: Sendable, Decodable {
  struct Record: Sendable, Decodable {
    var kind: String?
    var timestamp: String?
    var sequence: UInt64?
    var values: [Value]
  }

  struct Value: Sendable, Decodable, Hashable {
    var metric: String
    var value: Double
    var unit: String
    var qualifier: String?
  }

  var id: String
  /// Four hexadecimal digits; another word is a vector of a number format, which no driver decodes.
  var characteristic: String
  var hex: String
  /// `no_value`, or another word for bytes that are refused; nil: it has records.
  var error: String?
  var records: [Record]?
  /// The driver's parameters that the value needs, by name.
  var parameters: [String: Int64]?
  /// The bytes are service data of an advertisement.
  var service_data: Bool?

  var code: UInt16? { characteristic.utf8.count == 4 ? UInt16(characteristic, radix: 16) : nil }

  /// None where the text holds anything but pairs of digits.
  var bytes: [UInt8] { [UInt8](hexadecimal: hex.utf8) ?? [] }

  /// The vectors of a file that are values of a characteristic or of an advertisement.
  static func load(_ file: String) throws(ConformanceError) -> [DecodeVector] {
    do {
      let all = try JSONDecoder().decode([DecodeVector].self, from: Data(contentsOf: URL(fileURLWithPath: file)))
      return all.filter { $0.code != nil && $0.records != nil }
    } catch {
      throw ConformanceError(
        .unreadable, "the vectors \(file) cannot be read: \(error); their form is that of the first-party bundles")
    }
  }
}
