import GatewayAPI
import InformSink
import MeterCore
import StrictJSON

extension WrittenValue {
  /// What it changes of a record that has the metric.
  ///
  /// - Throws: ``GatewayError`` as a draft with this value: `unknown_metric`, `unknown_word`, `not_a_number`,
  ///   `unit_not_allowed` or `implausible`.
  func change(of record: Record) throws(GatewayError) -> (metric: UInt16, RecordEdit.Value) {
    let named = MetricNames.inform.metrics(named: metric)
    guard let value = record.values.first(where: { value in named.contains { $0.code == value.metric } }),
      let metric = Metric.withCode(value.metric)
    else {
      throw GatewayError(
        .usage, code: "unknown_metric",
        "the reading has no \(metric); it has \(record.values.map(\.metricName).joined(separator: ", "))")
    }
    let number = metric.kind == .code ? try code(of: metric) : try decimal
    guard let unit = unit.map({ MetricUnit.withUCUM($0) }) ?? MetricUnit.withCode(value.unit),
      let allowed = metric.allowed(unit)
    else {
      throw GatewayError(
        .usage, code: "unit_not_allowed",
        "\(metric.name) is not reported in this unit; allowed: \(metric.units.map(\.ucum).joined(separator: ", "))")
    }
    guard allowed.plausible.contains(number.doubleValue) else {
      let range = allowed.plausible
      throw GatewayError(
        .usage, code: DraftError.Code.implausible.rawValue,
        "\(metric.name) is outside what a person can have; allowed: "
          + "\(range.lowerBound)...\(range.upperBound) \(allowed.ucum)")
    }
    return (value.metric, RecordEdit.Value(number: number, unit: unit.code))
  }

  private var decimal: ReportedNumber {
    get throws(GatewayError) {
      guard let decimal = ReportedNumber(decimal: number) else {
        throw GatewayError(
          .usage, code: "not_a_number",
          "\(shown(number)) is no decimal number of at most 18 digits, 18 places on either side of the point")
      }
      return decimal
    }
  }

  /// The number that a coded metric has for its word.
  private func code(of metric: Metric) throws(GatewayError) -> ReportedNumber {
    // Control solution is never a value of a person.
    let words = metric.codes.filter { $0.value != "control_solution" }.sorted { $0.key < $1.key }
    guard let code = words.first(where: { $0.value == number || String($0.key) == number })?.key else {
      throw GatewayError(
        .usage, code: DraftError.Code.unknownWord.rawValue,
        "\(metric.name) has no such word; allowed: \(words.map(\.value).joined(separator: ", "))")
    }
    return ReportedNumber(mantissa: Int64(code), exponent: 0)
  }
}
