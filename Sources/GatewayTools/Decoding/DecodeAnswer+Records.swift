import GatewayAPI
import DriverContract
import MeterCore
import MeterDrivers

extension DecodeAnswer {
  /// What a driver made of one value, in the words of the dictionary.
  init(id: String, outcome: DecodeOutcome, driver: DriverEntry) {
    self.init(
      id: id, records: outcome.records.map { Record($0, driver: driver) }, error: Failure(status: outcome.status))
  }
}

extension DecodeAnswer.Failure {
  /// The words for a status of `decode` (`MH_E_*`); nil for success.
  fileprivate init?(status: Int32) {
    switch status {
    case 0: return nil
    case -9:
      self.init(
        code: "no_value",
        message: "the bytes are well formed and hold no reading: not a number, a filler, or a value that cannot be")
    case -3: self.init(code: "malformed_value", message: "the bytes are not what the characteristic's format allows")
    case -2: self.init(code: "unsupported_characteristic", message: "the driver does not decode this characteristic")
    default: self.init(code: "driver_error", message: "the driver answered with status \(status)")
    }
  }
}

extension DecodeAnswer.Record {
  /// - Parameter driver: Knows the names of the driver's own metrics.
  init(_ record: DriverRecord, driver: DriverEntry?) {
    self.init(
      kind: record.kind.word, timestamp: record.timestampText, sequence: record.deviceSequence,
      values: record.values.map { DecodeAnswer.Value($0, driver: driver) }, flags: record.flags.words)
  }
}

extension DecodeAnswer.Value {
  fileprivate init(_ value: DriverValue, driver: DriverEntry?) {
    self.init(
      metric: Metric.withCode(value.metric)?.name ?? driver?.metrics.first { $0.code == value.metric }?.name
        ?? "vendor_\(value.metric)",
      value: ReportedNumber(mantissa: value.raw, exponent: value.exponent).doubleValue,
      // Never a unit that the driver did not say: an unknown one keeps its number.
      unit: MetricUnit.withCode(value.unit)?.ucum ?? "unknown_\(value.unit)",
      qualifier: value.qualifier == .exact ? nil : value.qualifier.name)
  }
}
