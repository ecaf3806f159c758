import DriverContract
import MeterCore

/// Reproductive health, which receivers know as extras of biometrics and the dictionary has no metrics for.
extension HealthDraftWriter {
  /// The extras of a measurement that is told in them alone, none for any other one.
  ///
  /// Words are those of the export, so that a store's further ones reach the receiver as they are. A basal body temperature
  /// is a number in Cel, as far as a person can have it.
  static func extras(of measurement: HealthMeasurement) -> [RecordExtra] {
    switch measurement.kind {
    case .reproductive:
      return measurement.words.compactMap { word in
        text(word.word).map { RecordExtra(name: word.name, value: .text($0)) }
      }
    case .vital:
      guard let metric = measurement.metrics.first, metric.name == HealthQuantity.basalTemperature.word,
        isTemperature(metric.value)
      else { return [] }
      return [RecordExtra(name: "basal_body_temperature", value: .number(number(metric.value)))]
    case .body, .glucose: return []
    }
  }

  private static func isTemperature(_ value: HealthDecimal) -> Bool {
    Metric.named("body_temperature").flatMap(\.units).contains { unit in
      unit.ucum == "Cel" && unit.plausible.contains(number(value).doubleValue)
    }
  }
}
