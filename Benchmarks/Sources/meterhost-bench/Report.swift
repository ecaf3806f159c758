import Foundation

/// What was measured of one thing: the distribution, never a single number.
struct Measurement: Codable {
  var benchmark: String
  var name: String
  var unit: String
  var minimum: Double
  var median: Double
  var percentile99: Double
  var maximum: Double
  var samples: Int
  var note: String?

  init(_ benchmark: String, _ name: String, unit: String, _ samples: [Double], note: String? = nil) {
    let sorted = samples.sorted()
    self.benchmark = benchmark
    self.name = name
    self.unit = unit
    minimum = sorted.first ?? .nan
    median = Self.quantile(sorted, 0.5)
    percentile99 = Self.quantile(sorted, 0.99)
    maximum = sorted.last ?? .nan
    self.samples = sorted.count
    self.note = note
  }

  /// The value at a quantile, between two samples where it falls between them.
  static func quantile(_ sorted: [Double], _ quantile: Double) -> Double {
    guard let last = sorted.indices.last else { return .nan }
    let place = quantile * Double(last)
    let below = Int(place)
    let above = min(below + 1, last)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}

/// A goal and whether this run met it.
struct Goal: Codable {
  var benchmark: String
  var goal: String
  var limit: Double
  var measured: Double
  var isMet: Bool

  init(_ benchmark: String, _ goal: String, limit: Double, measured: Double) {
    self.benchmark = benchmark
    self.goal = goal
    self.limit = limit
    self.measured = measured
    isMet = measured <= limit
  }
}

/// Everything that one run has found.
struct Report: Codable {
  var measurements: [Measurement] = []
  var goals: [Goal] = []
  /// What could not be measured, and why.
  var notes: [String] = []

  func print(asJSON: Bool) throws {
    guard !asJSON else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      return Swift.print(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
    var rows = [["BENCHMARK", "MEASURED", "UNIT", "MINIMUM", "MEDIAN", "P99", "MAXIMUM", "SAMPLES", ""]]
    rows += measurements.map {
      [
        $0.benchmark, $0.name, $0.unit, number($0.minimum), number($0.median), number($0.percentile99),
        number($0.maximum), "\($0.samples)", $0.note ?? "",
      ]
    }
    table(rows)
    if !goals.isEmpty { Swift.print() }
    table(
      goals.map {
        [$0.isMet ? "met" : "MISSED", $0.benchmark, $0.goal, "\(number($0.measured)) (goal \(number($0.limit)))"]
      })
    for note in notes { Swift.print("note: \(note)") }
  }

  private func table(_ rows: [[String]]) {
    guard let first = rows.first else { return }
    let widths = first.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = zip(row, widths).map { $0.padding(toLength: max($1, 1), withPad: " ", startingAt: 0) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      Swift.print(line)
    }
  }

  private func number(_ value: Double) -> String {
    String(format: value == value.rounded() || abs(value) >= 1000 ? "%.0f" : value < 10 ? "%.2f" : "%.1f", value)
  }
}

/// Why a benchmark cannot run.
struct BenchmarkError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

extension Duration {
  /// Nanoseconds.
  var nanoseconds: Double { Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9 }
}

/// Runs the body and says how many nanoseconds it took.
func nanoseconds<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start).nanoseconds
}
