// A reading in words. Whoever decides about one sees all of it: every value, with what the meter says of it, and every text.

extension ReadingDescription {
  /// The time and everything that was measured, in one line.
  public var summary: String {
    let marks = (flags ?? []).map { "[\($0.replacing("_", with: " "))]" }
    let texts = (notes ?? []).map { "\($0.field) \"\($0.text)\"" }
    let parts = values.map(\.text) + [details?.summary ?? ""] + texts + marks
    let shown = parts.filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(civilTime ?? time)  \(shown.isEmpty ? type : shown)".inOneLine
  }

  /// One line for people: the time, all values, and why it is not delivered.
  public var text: String { summary + (state == "pending" ? "" : "  (\(state): \(reason ?? "no reason"))") }

  /// Everything that is known of it, in lines: the time first, then each value.
  public var lines: [String] {
    let clock = civilTime.map { "\($0) on the meter's or the person's clock, \(time)" } ?? time
    let texts = (notes ?? []).map { "\($0.field)  \($0.text)" }
    let marks = (flags ?? []).map { "marked  \($0.replacing("_", with: " "))" }
    let lines =
      ["\(type)  \(clock)" + (end.map { " to \($0)" } ?? "")] + values.map(\.text) + (details?.lines ?? []) + texts
      + marks
    return lines.map(\.inOneLine)
  }

  /// Without the ".0" of a whole number.
  package static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }
}

extension String {
  /// Texts and names come from outside: none of them can pass for a line of its own, and so for a value.
  package var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension ReadingDescription.Value {
  /// Such as `systolic 121 mmHg`, `blood_glucose above 600 mg/dL`, `meal_relation fasting`.
  public var text: String {
    "\(metric) \(number)" + (word == nil && unit != "1" ? " \(UnitSpelling.readable(unit, of: metric))" : "")
  }

  /// The number or the word, with what the meter says of it.
  package var number: String { (qualifier.map { "\($0) " } ?? "") + (word ?? reported) }
}

extension [ReadingDescription.Value] {
  /// All of them, in one line.
  var text: String { map(\.text).joined(separator: ", ") }
}
