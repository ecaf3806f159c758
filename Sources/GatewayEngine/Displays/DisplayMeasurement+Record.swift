package import GatewayAPI
package import DriverContract
import MeterCore

extension DisplayMeasurement {
  /// A checked record of a driver.
  package init(_ record: DriverRecord) {
    self.init(
      flags: record.flags.rawValue,
      values: record.values.map { value in
        Value(
          metric: value.metric, unit: value.unit, raw: value.raw, exponent: value.exponent,
          qualifier: ValueQualifier(value.qualifier).rawValue, rounded: value.isRounded)
      })
  }

  /// The same, as its driver reported it.
  ///
  /// - Throws: ``GatewayError`` with code `display_values`.
  func reported() throws(GatewayError) -> DriverRecord {
    guard (1...RecordDraft.partLimit).contains(values.count) else {
      throw Self.fault("a measurement has 1 to \(RecordDraft.partLimit) values, not \(values.count)")
    }
    let flags = DriverRecordFlags(rawValue: flags)
    guard flags.isSubset(of: [.control, .held]) else { throw Self.fault("this is no measurement of a display") }
    var reported: [DriverValue] = []
    for value in values {
      let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
      guard let qualifier = ValueQualifier(rawValue: value.qualifier), number.isWritable else {
        throw Self.fault("a value's qualifier or exponent is none that there is")
      }
      reported.append(
        DriverValue(
          metric: value.metric, unit: value.unit, exponent: value.exponent, qualifier: DriverQualifier(qualifier),
          value: number.doubleValue, raw: value.raw, isRounded: value.rounded))
    }
    return DriverRecord(kind: .measurement, flags: flags, values: reported)
  }

  private static func fault(_ message: String) -> GatewayError {
    GatewayError(.usage, code: "display_values", message)
  }
}
