package import GatewayAPI
import DriverContract
import Foundation
import HostPrimitives
import MeterCore
package import MeterDrivers
package import MeterOCR

extension DisplayDescription {
  /// Describes a meter.
  package init(_ entry: Peripheral, _ meter: OCRPeripheral) {
    self.init(
      peripheral: PeripheralDescription(entry), units: entry.units, aspect: meter.layout.aspect,
      rows: meter.layout.rows.map { row in
        Row(
          role: row.role.word, optional: row.isOptional, blinks: row.blinks,
          box: [row.box.x, row.box.y, row.box.width, row.box.height], characters: row.characters)
      })
  }
}

extension DisplayReadingDescription {
  /// Describes a reading.
  ///
  /// - Parameters:
  ///   - crop: As a JPEG file.
  ///   - microseconds: When a person says that it was measured.
  package init(_ reading: OCRReading, crop: [UInt8], measuredAt microseconds: Int64? = nil) {
    let values = reading.records.flatMap(\.values).map { value in
      let number = ReportedNumber(mantissa: value.raw, exponent: value.exponent)
      var described = ReadingDescription.Value(RecordValue(metric: value.metric, unit: value.unit, number: number))
      if value.qualifier != .exact { described.qualifier = "\(value.qualifier)" }
      return described
    }
    self.init(
      id: reading.id, peripheral: reading.peripheralID, unit: reading.unit.flatMap { MetricUnit.withCode($0)?.ucum },
      rows: reading.rows.map { row in
        Row(role: row.role.word, text: row.text, read: row.isCorrected ? row.readText : nil)
      }, values: values, confidence: reading.metadata.confidence, held: reading.isHeld,
      photograph: reading.metadata.isPhotograph,
      time: CivilMoment(microseconds: microseconds ?? reading.metadata.moment.utcMicroseconds).text(.millionths) + "Z",
      crop: Picture(width: reading.crop.width, height: reading.crop.height, data: Data(crop)))
  }
}
