import MeterCore
import ReadingJSON

/// One line: a point of a measurement.
struct LinePoint: Sendable, Hashable {
  /// The measurement.
  let measurement: String
  /// Tags by their keys, without empty ones.
  var tags: [String: String] = [:]
  private(set) var fields: [(key: String, value: String)] = []
  private var keys: Set<String> = []
  /// Since 1970-01-01T00:00Z.
  var nanoseconds: Int64

  init(_ measurement: String, at nanoseconds: Int64) {
    (self.measurement, self.nanoseconds) = (measurement, nanoseconds)
  }

  static func == (first: LinePoint, second: LinePoint) -> Bool { first.bytes == second.bytes }
  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// Whether there is nothing to write: a line needs a field.
  var isEmpty: Bool { fields.isEmpty }

  /// Adds a measured value, and what belongs to it: the word of a coded one, and how to read it.
  mutating func add(_ value: RecordValue) {
    let key = free(FieldName.of(value))
    put(key, value.number.description)
    if let word = value.word { put("\(key)_word", LineText.quoted(word)) }
    if let qualifier = value.qualifierText { put("\(key)_qualifier", LineText.quoted(qualifier)) }
  }

  /// Adds a text.
  mutating func add(_ key: String, text: String) { put(free(key), LineText.quoted(text)) }
  /// Adds a whole number.
  mutating func add(_ key: String, integer: Int) { put(free(key), "\(integer)i") }
  /// Adds a number.
  mutating func add(_ key: String, number: ReportedNumber) { put(free(key), number.description) }

  private mutating func put(_ key: String, _ value: String) {
    keys.insert(key)
    fields.append((key, value))
  }

  /// The key, with a number behind it where there is one already: of two fields of a name the first would be lost.
  private func free(_ key: String) -> String {
    var (candidate, number) = (key, 1)
    while keys.contains(candidate) {
      number += 1
      candidate = "\(key)_\(number)"
    }
    return candidate
  }

  /// The line with its line feed. Tags are in the order of their keys, as the database likes them.
  var bytes: [UInt8] {
    var line = LineText.name(measurement)
    for (key, value) in tags.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
      line += ",\(LineText.name(key))=\(LineText.name(value))"
    }
    line += " " + fields.map { "\(LineText.name($0.key))=\($0.value)" }.joined(separator: ",")
    return Array("\(line) \(nanoseconds)\n".utf8)
  }
}

/// What a value's field is called: the metric, and the unit by the dictionary's name, which no other unit has.
enum FieldName {
  static func of(_ value: RecordValue) -> String {
    guard let unit = MetricUnit.withCode(value.unit) else { return "\(value.metricName)_unit_\(value.unit)" }
    // The unit 1.
    return unit.ucum == "1" ? value.metricName : "\(value.metricName)_\(unit.name)"
  }
}
