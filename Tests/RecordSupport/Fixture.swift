package import Foundation
package import MeterCore

/// The records and folders that the tests start from.
package enum Fixture {
  package static let meter = MeterIdentity(
    serial: "GM-0042", model: "Acme Gluco", systemID: nil, address: "C0:FF:EE:00:00:01")
  package static let user = SessionUser(userID: "ada", organizationID: "clinic")
  package static let otherUser = SessionUser(userID: "grace", organizationID: "clinic")
  package static let token = AccessToken("sesame-opens-0815")
  package static let source = RecordSource(
    peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "glucose",
    driverVersion: "1.0.0")
  package static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  /// 2026-03-01T08:00:00Z.
  package static let morning: Int64 = 1_772_352_000_000_000

  package static func glucose(
    _ sequence: UInt64, mantissa: Int64 = 112, exponent: Int8 = 0, unit: UInt16 = 2, context: [RecordValue] = [],
    identityClass: IdentityClass = .stored, flags: RecordFlags = [], civil: Int64 = morning
  ) -> Record {
    let time = RecordTime(
      startMicroseconds: civil - 3_600_000_000, endMicroseconds: civil - 3_600_000_000, civilMicroseconds: civil,
      utcOffsetSeconds: 3600, zoneSource: .gateway, kind: .civil)
    return Record(
      logID: .stored(meter: meter, identity: Array("glucose \(sequence)".utf8)), identityClass: identityClass,
      type: .diabetes, time: time, deviceSequence: sequence,
      values: [RecordValue(metric: 1, unit: unit, number: ReportedNumber(mantissa: mantissa, exponent: exponent))]
        + context,
      source: source, flags: flags)
  }

  package static let beforeMeal = RecordValue(metric: 100, unit: 1, number: ReportedNumber(mantissa: 1, exponent: 0))

  package static func unit(
    _ generation: SessionGeneration, _ records: [Record], disposition: Disposition = .pending,
    writes: [StorageWrite] = []
  ) -> CommitUnit {
    CommitUnit(
      generation: generation, meter: meter, family: "glucose",
      records: records.map { CommitRecord(record: $0, disposition: disposition) }, writes: writes)
  }
}

extension Fixture {
  /// Bytes that pass for a JPEG image, different for each number.
  package static func image(_ number: UInt8, length: Int = 64) throws -> RecordImage {
    try RecordImage([0xFF, 0xD8, 0xFF, 0xE0, number] + [UInt8](repeating: number, count: max(0, length - 5)))
  }

  /// Bytes that pass for a PNG image.
  package static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
}
