import GatewayAPI
import HostPrimitives

/// The values that are kept here over time: a chart for each metric, and its numbers in a table beside it.
struct ChartPage: ConsolePage {
  static let template = PageTemplate.charts
  static let area: PageArea? = .readings

  struct Point: Sendable {
    let time: String
    let number: String
    let x: String
    let y: String
    let meter: String
  }

  struct Chart: Sendable {
    let id: String
    let label: String
    /// nil where there is none.
    let unit: String?
    /// Said instead of a drawing, for which there is one value only.
    let single: String?
    let isDrawn: Bool
    /// Of `<polyline>`.
    let line: String
    let points: [Point]
    /// The greatest value above the least, or one where all are the same.
    let bounds: [String]
    let ticks: [TimeAxis.Tick]
    /// The day, where all values are of one.
    let day: String?
    /// What the drawing shows, for who does not see it.
    let summary: String
  }

  let title = "Charts"
  let charts: [Chart]
  let isEmpty: Bool
  let looked: String

  /// A chart has the newest so many values.
  static let most = 200

  /// - Parameter items: Readings, newest first.
  init(_ items: [QueueItem], times: LocalTimes) {
    var seen: Set<String> = []
    var series: [String: [(time: Int64, value: ReadingDescription.Value, meter: String)]] = [:]
    for item in items {
      // A reading stands there once for each receiver.
      guard let reading = item.reading, seen.insert(item.name).inserted,
        let time = WrittenTime(reading.time)?.utcMicroseconds
      else { continue }
      // What has no unit is a code or a set of flags, and no line leads from one to the next.
      for value in reading.values where value.word == nil && value.unit != "1" && value.value.isFinite {
        series["\(value.metric) \(value.unit)", default: []].append(
          (time, value, reading.model ?? "peripheral \(reading.peripheral)"))
      }
    }
    charts = series.sorted { $0.key < $1.key }.enumerated().map { index, entry in
      Self.chart(index, entry.value.sorted { $0.time < $1.time }.suffix(Self.most), times)
    }
    isEmpty = charts.isEmpty
    looked = "From the newest \(seen.count) reading\(seen.count == 1 ? "" : "s") that are kept here."
  }

  private static func chart(
    _ index: Int, _ values: ArraySlice<(time: Int64, value: ReadingDescription.Value, meter: String)>,
    _ times: LocalTimes
  ) -> Chart {
    let numbers = values.map(\.value.value)
    let (least, greatest) = (numbers.min() ?? 0, numbers.max() ?? 0)
    let (begin, end) = (values.first?.time ?? 0, values.last?.time ?? 0)
    // Within a frame of 1000 to 100, with room for the points that lie at its edge.
    let points = values.map { entry in
      Point(
        time: times.text(microseconds: entry.time), number: ReadingWords.number(entry.value),
        x: place(Double(entry.time &- begin), of: Double(end &- begin), over: 960, from: 20),
        y: place(greatest - entry.value.value, of: greatest - least, over: 80, from: 10), meter: entry.meter.clipped)
    }
    let extremes = values.min { $0.value.value < $1.value.value }.map(\.value.reported)?.clipped ?? ""
    let most = values.max { $0.value.value < $1.value.value }.map(\.value.reported)?.clipped ?? ""
    let name = values.first.map { ReadingWords.metric($0.value.metric) } ?? ""
    let unit = values.first.map { ReadingWords.unit($0.value.unit) }.flatMap { $0.isEmpty ? nil : $0 }
    let (first, last) = (points.first?.time ?? "", points.last?.time ?? "")
    let axis = TimeAxis(from: begin, to: end, times: times)
    let measured = unit.map { " \($0)" } ?? ""
    let single = points.count > 1 ? nil : points.first.map { "One value: \($0.number)\(measured), \($0.time)." }
    return Chart(
      id: "chart-\(index)", label: name, unit: unit, single: single, isDrawn: single == nil,
      line: points.map { "\($0.x),\($0.y)" }.joined(separator: " "), points: points.reversed(),
      bounds: least < greatest ? [most, extremes] : [most], ticks: axis.ticks, day: axis.day,
      summary: "\(points.count) values from \(first) to \(last), between \(extremes) and \(most)\(measured)".clipped)
  }

  /// A coordinate with one decimal; in the middle where all are the same.
  private static func place(_ value: Double, of whole: Double, over length: Double, from start: Double) -> String {
    let share = whole > 0 && whole.isFinite && value.isFinite ? min(max(value / whole, 0), 1) : 0.5
    let tenths = Int64(((start + share * length) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
