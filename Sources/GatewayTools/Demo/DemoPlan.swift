import GatewayAPI
import Foundation

/// A reading that the receiver must hold, from the vectors and not from the decoder.
struct ExpectedReading: Sendable, Decodable, Hashable {
  var meter: String
  var metric: String
  var value: Double
  var unit: String
  /// Nil for a meter without a clock: any time will do.
  var civilTime: String?
  var vector: String

  enum CodingKeys: String, CodingKey {
    case meter, metric, value, unit, vector
    case civilTime = "civil_time"
  }

  /// Whether a stored reading is this one.
  func matches(_ reading: DemoReading) -> Bool {
    meter == reading.meter && metric == reading.metric && unit == reading.unit && abs(value - reading.value) < 1e-9
      && (civilTime == nil || civilTime == reading.civilTime)
  }

  /// Whether a stored reading can be a spoilt form of this one: the same meter and metric, and the time or the value.
  func resembles(_ reading: DemoReading) -> Bool {
    guard meter == reading.meter, metric == reading.metric else { return false }
    return civilTime == nil || civilTime == reading.civilTime || (value == reading.value && unit == reading.unit)
  }

  var text: String {
    "\(meter): \(metric) \(ReadingDescription.number(value)) \(unit) at \(civilTime ?? "any time") (\(vector))"
  }
}

/// Which meters the demonstration reads and what must come of it.
struct DemoPlan: Sendable, Decodable {
  /// Names of the meters' scripts.
  var meters: [String]
  var readings: [ExpectedReading]

  /// Reads `demo/expected-readings.json` below a folder.
  static func load(from folder: String) throws(GatewayError) -> DemoPlan {
    let file = "\(folder)/demo/expected-readings.json"
    guard let data = FileManager.default.contents(atPath: file) else {
      throw GatewayError(
        .unavailable, code: "no_plan", "\(file) is not there or cannot be read",
        hint: "--meters takes the folder with the meters' scripts, SDK/meters in a checkout")
    }
    do {
      return try JSONDecoder().decode(DemoPlan.self, from: data)
    } catch {
      throw GatewayError(.unavailable, code: "no_plan", "\(file) is damaged: \(error)", cause: error)
    }
  }

  /// Compares what is stored with what must be: each expected reading once, and nothing else.
  func problems(in stored: [DemoReading]) -> [DemoProblem] {
    var unclaimed = stored
    var missing: [ExpectedReading] = []
    // Readings of a known time choose first, so that one of any time does not take theirs.
    for expected in readings.filter({ $0.civilTime != nil }) + readings.filter({ $0.civilTime == nil }) {
      guard let index = unclaimed.firstIndex(where: expected.matches) else {
        missing.append(expected)
        continue
      }
      unclaimed.remove(at: index)
    }
    // A second copy is told as such, whatever else it resembles.
    let doubled = unclaimed.filter { reading in readings.contains { $0.matches(reading) } }
    unclaimed.removeAll { reading in readings.contains { $0.matches(reading) } }
    var problems: [DemoProblem] = []
    for expected in missing {
      guard let index = unclaimed.firstIndex(where: expected.resembles) else {
        problems.append(DemoProblem(kind: .missing, message: expected.text))
        continue
      }
      let found = unclaimed.remove(at: index)
      problems.append(DemoProblem(kind: .different, message: "\(expected.text) is stored as \(found.text)"))
    }
    problems += doubled.map { DemoProblem(kind: .doubled, message: $0.text) }
    return problems + unclaimed.map { DemoProblem(kind: .unexpected, message: $0.text) }
  }
}

extension DemoReading {
  fileprivate var text: String {
    "\(meter): \(metric) \(valueText) \(unit) at \(civilTime ?? time) (\(logID))"
  }
}
