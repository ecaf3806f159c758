import Foundation
import MeterCore

let meter = MeterIdentity(serial: "GM-0042", model: "Acme Gluco", systemID: nil, address: "C0:FF:EE:00:00:01")
private let source = RecordSource(
  peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "org.example.probe",
  driverVersion: "1.0.0")

private func reading(_ sequence: Int) -> CommitRecord {
  let moment = 1_772_352_000_000_000 + Int64(sequence) * 60_000_000
  let time = RecordTime(
    startMicroseconds: moment, endMicroseconds: moment, civilMicroseconds: nil, utcOffsetSeconds: nil, zoneSource: nil,
    kind: .utc)
  let value = RecordValue(metric: 1, unit: 2, number: ReportedNumber(mantissa: Int64(80 + sequence % 100), exponent: 0))
  let record = Record(
    logID: .stored(meter: meter, identity: Array("probe \(sequence)".utf8)), identityClass: .stored, type: .diabetes,
    time: time, deviceSequence: UInt64(sequence), values: [value], source: source)
  return CommitRecord(record: record, disposition: .pending)
}

/// Unit N holds the readings 3N-2 to 3N and the cursor N.
///
/// - Parameters:
///   - offset: Added to the numbers of the readings.
///   - hasImage: An image belongs to the first reading.
func unit(
  _ number: UInt8, _ generation: SessionGeneration, family: String = "probe", offset: Int = 0, hasImage: Bool = false
) throws -> CommitUnit {
  let records = ((Int(number) * 3 - 2)...(Int(number) * 3)).map { reading(offset + $0) }
  let images =
    hasImage ? [CommitImage(logID: records[0].record.logID, image: try RecordImage([0xFF, 0xD8, 0xFF, 0xE0, 1]))] : []
  return CommitUnit(
    generation: generation, meter: meter, family: family, records: records,
    writes: [StorageWrite(key: "user/cursor", value: [number])], images: images)
}

func cursor(_ store: MeterStore, _ generation: SessionGeneration, family: String = "probe") throws -> UInt8 {
  try store.storage(generation: generation, family: family, meter: meter)["user/cursor"]?.first ?? 0
}

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// What ends the probe with a line.
struct Problem: Error, CustomStringConvertible {
  let description: String
}
