/// A point as a database reads it from a line: written from InfluxDB's description of the line protocol, and not from what writes it.
struct ReadPoint: Hashable {
  enum Value: Hashable {
    case float(String)
    case integer(Int64)
    case text(String)
  }

  var measurement = ""
  var tags: [String: String] = [:]
  var fields: [String: Value] = [:]
  var time: Int64 = 0

  /// What a database takes for the same point.
  struct Key: Hashable {
    let measurement: String
    let tags: [String: String]
    let time: Int64
  }

  var key: Key { Key(measurement: measurement, tags: tags, time: time) }
}

/// Reads lines, strictly: a line that is none is nil.
struct LineReader {
  private var rest: ArraySlice<Character>

  /// The points of a text whose lines all end with a line feed.
  static func points(_ bytes: [UInt8]) -> [ReadPoint]? {
    guard let text = String(validating: bytes, as: UTF8.self), text.isEmpty || text.hasSuffix("\n") else { return nil }
    var points: [ReadPoint] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      var reader = LineReader(rest: Array(line)[...])
      guard let point = reader.point() else { return nil }
      points.append(point)
    }
    return points
  }

  private mutating func point() -> ReadPoint? {
    var point = ReadPoint()
    point.measurement = name(until: [",", " "], escaping: [",", " "])
    guard !point.measurement.isEmpty else { return nil }
    while take(",") {
      let key = name(until: ["="], escaping: [",", "=", " "])
      guard take("=") else { return nil }
      let value = name(until: [",", " "], escaping: [",", "=", " "])
      guard !key.isEmpty, !value.isEmpty, point.tags.updateValue(value, forKey: key) == nil else { return nil }
    }
    guard take(" ") else { return nil }
    repeat {
      let key = name(until: ["="], escaping: [",", "=", " "])
      guard take("="), !key.isEmpty, let value = value(), point.fields.updateValue(value, forKey: key) == nil else {
        return nil
      }
    } while take(",")
    guard take(" "), let time = Int64(String(rest)) else { return nil }
    point.time = time
    return point
  }

  private mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func name(until ends: Set<Character>, escaping: Set<Character>) -> String {
    var text = ""
    while let next = rest.first, !ends.contains(next) {
      rest = rest.dropFirst()
      if next == "\\", let escaped = rest.first, escaping.contains(escaped) {
        rest = rest.dropFirst()
        text.append(escaped)
      } else {
        text.append(next)
      }
    }
    return text
  }

  private mutating func value() -> ReadPoint.Value? {
    if take("\"") {
      var text = ""
      while let next = rest.first, next != "\"" {
        rest = rest.dropFirst()
        if next == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
          rest = rest.dropFirst()
          text.append(escaped)
        } else {
          text.append(next)
        }
      }
      return take("\"") ? .text(text) : nil
    }
    let word = String(rest.prefix { $0 != "," && $0 != " " })
    rest = rest.dropFirst(word.count)
    if word.hasSuffix("i") { return Int64(word.dropLast()).map { .integer($0) } }
    guard let number = Double(word), number.isFinite, word.allSatisfy({ $0.isNumber || $0 == "-" || $0 == "." }) else {
      return nil
    }
    return .float(word)
  }
}
