public import MeterCore

/// A value as a person types it: `blood_glucose=112 mg/dL`, `steps=8123`.
public struct WrittenValue: Sendable, Hashable, Codable {
  /// The metric's name, as the dictionary has it.
  public var metric: String
  /// The number, with the digits that were typed.
  public var number: String
  /// The unit in UCUM, however it was typed; nil where there is one only.
  public var unit: String?

  /// Reads `METRIC=NUMBER`, with a space and a unit behind it or not; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    let words = parts[1].split(separator: " ")
    // `mm Hg` is two words.
    guard let number = words.first, words.count <= 3 else { return nil }
    metric = String(parts[0])
    self.number = String(number)
    unit = words.count > 1 ? UnitSpelling.ucum(words.dropFirst().joined(separator: " ")) : nil
  }

  /// The same as a part of a record that comes from no driver.
  public var draft: RecordDraft.Value { RecordDraft.Value(metric, number, unit) }
}
