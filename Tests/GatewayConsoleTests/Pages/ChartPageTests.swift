import GatewayAPI
import Testing

@testable import GatewayConsole

/// Charts as values: where points lie, and what stands beside them.
@Suite("Charts") struct ChartPageTests {
  private static func weight(_ kilograms: String, _ time: String) -> QueueItem {
    let value = ReadingDescription.Value(
      metric: "body_weight", value: Double(kilograms) ?? 0, reported: kilograms, unit: "kg")
    let reading = ReadingDescription(
      logID: time, revision: 1, type: "weight", time: time, values: [value], model: "scale", peripheral: 5000,
      state: "held")
    return QueueItem(
      position: 1, logID: time, name: time, revision: 1, sink: "inform", state: "held", reason: nil, attempts: 0,
      reading: reading)
  }

  /// In a zone two hours ahead of UTC.
  private static func chart(_ weights: [(String, String)]) throws -> ChartPage.Chart {
    try #require(ChartPage(weights.map { weight($0.0, $0.1) }, times: Samples.times).charts.first)
  }

  @Test func pointsLieByTimeAndValueWithinTheirFrame() throws {
    let chart = try Self.chart([
      ("72.0", "2026-03-11T08:00:00Z"), ("70.0", "2026-03-01T08:00:00Z"), ("71.00", "2026-03-06T08:00:00Z"),
    ])
    // The table has the newest first, the line the oldest.
    #expect(chart.line == "20.0,90.0 500.0,50.0 980.0,10.0")
    #expect(chart.points.map(\.number) == ["72.0", "71.00", "70.0"])
    #expect(chart.bounds == ["72.0", "70.0"] && chart.unit == "kg" && chart.isDrawn && chart.day == nil)
    #expect(chart.ticks.map(\.day) == ["2026-03-01", "2026-03-06", "2026-03-11"])
    #expect(chart.ticks.allSatisfy { $0.time == nil })
  }

  @Test func valuesOfOneDayHaveTheirTimes() throws {
    let chart = try Self.chart([("70.0", "2026-03-01T06:00:00Z"), ("71.0", "2026-03-01T18:00:00Z")])
    #expect(chart.day == "2026-03-01")
    #expect(chart.ticks.map(\.time) == ["08:00", "14:00", "20:00"] && chart.ticks.allSatisfy { $0.day == nil })
    let close = try Self.chart([("70.0", "2026-03-01T06:00:00Z"), ("71.0", "2026-03-01T06:00:10Z")])
    #expect(close.ticks.map(\.time) == ["08:00:00", "08:00:05", "08:00:10"])
  }

  @Test func aNightHasDayAndTime() throws {
    let chart = try Self.chart([("70.0", "2026-03-01T20:00:00Z"), ("71.0", "2026-03-02T04:00:00Z")])
    #expect(chart.ticks.map(\.day) == ["2026-03-01", "2026-03-02", "2026-03-02"])
    #expect(chart.ticks.map(\.time) == ["22:00", "02:00", "06:00"] && chart.day == nil)
  }

  @Test func oneValueSaysSoInsteadOfADrawing() throws {
    let page = ChartPage([Self.weight("70.5", "2026-03-01T08:00:00Z")], times: Samples.times)
    #expect(page.charts.first?.single == "One value: 70.5 kg, 2026-03-01 10:00:00.")
    let document = try HTMLDocument(try Samples.html(page))
    #expect(document.all("svg").isEmpty && document.text.contains("One value: 70.5 kg"))
  }

  @Test func whatIsAllTheSameLiesInTheMiddle() throws {
    let page = ChartPage((0..<10).map { Samples.item($0) }, times: Samples.times)
    #expect(page.charts.map(\.label) == ["blood glucose"])
    let chart = try #require(page.charts.first)
    #expect(chart.points.count == 10 && chart.points.allSatisfy { $0.x == "500.0" && $0.y == "50.0" })
    #expect(chart.bounds.count == 1 && chart.ticks.count == 1)
    let document = try HTMLDocument(try Samples.html(page))
    #expect(document.all("polyline").count == 1)
    #expect(document.all("div") { $0.attributes["role"] == "img" }.first?.attributes["aria-label"]?.isEmpty == false)
  }
}
