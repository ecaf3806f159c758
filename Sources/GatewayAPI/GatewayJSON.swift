import Foundation
import StrictJSON

/// JSON as the command line writes it: one line, sorted keys, slashes as they are, and what no person should see as it
/// is (control characters, marks that turn the direction of reading or cannot be seen) by its number.
public enum GatewayJSON {
  /// One line. A number that JSON lacks becomes a string; an empty object if the value cannot be encoded, which no type
  /// of this package brings about.
  public static func line(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+INF", negativeInfinity: "-INF", nan: "NaN")
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value), let text = String(bytes: data, encoding: .utf8) else { return "{}" }
    return text.utf8.allSatisfy { $0 < 0x7F } ? text : legible(json: text)
  }
}
