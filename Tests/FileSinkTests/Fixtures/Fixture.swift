import MeterCore

/// The readings that the tests start from.
enum Fixture {
  static let user = SessionUser(userID: "ada", organizationID: "clinic")
  static let credential = SinkCredential(user: user, token: AccessToken("sesame-opens-0815"))
  static let source = RecordSource(
    peripheralID: 1000, manufacturer: "Acme", model: "Gluco", deviceID: "GM-0042", driverID: "glucose",
    driverVersion: "1.0.0")
  /// 2026-03-01T07:00:00Z, which was eight o'clock in Berlin.
  static let morning: Int64 = 1_772_348_400_000_000
  static let time = RecordTime(
    startMicroseconds: morning, endMicroseconds: morning, civilMicroseconds: morning + 3_600_000_000,
    utcOffsetSeconds: 3_600, zoneSource: .gateway, kind: .civil)
  static let value = RecordValue(metric: 1, unit: 3, number: ReportedNumber(mantissa: 620, exponent: -2))
  static let beforeMeal = RecordValue(metric: 100, unit: 1, number: ReportedNumber(mantissa: 1, exponent: 0))
  static let note: UInt16 = 304

  static func logID(_ number: Int) -> LogID { .imported(source: [1], identity: Array("\(number)".utf8)) }

  static func reading(
    _ number: Int, revision: Int = 1, time: RecordTime = Fixture.time, values: [RecordValue] = [Fixture.value],
    notes: [String] = [], flags: RecordFlags = [], source: RecordSource = Fixture.source, type: RecordType = .diabetes,
    details: RecordDetails? = nil
  ) -> Record {
    var record = Record(
      logID: logID(number), identityClass: .stored, type: type, time: time, deviceSequence: UInt64(number),
      values: values, notes: notes.map { RecordNote(field: Fixture.note, text: $0) }, source: source, flags: flags,
      details: details)
    record.revision = revision
    return record
  }

  /// A picture, different for each number.
  static func image(_ number: UInt8, of reading: Int) throws -> SinkImage {
    let image = try RecordImage([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: number, count: 60))
    return SinkImage(image, recordID: logID(reading).description, logID: logID(reading))
  }

  /// A part with food, a series, a tag and an extra.
  static let details = RecordDetails(
    segments: [
      RecordSegment(
        name: "Lunch, \"late\"", startMicroseconds: morning, endMicroseconds: morning + 60_000_000, values: [value],
        foods: [
          RecordFood(
            name: "Soup", brand: "Acme", servingAmount: ReportedNumber(mantissa: 15, exponent: -1),
            servingUnit: "bowl", values: [value])
        ])
    ],
    series: RecordSeries(
      granularity: RecordSeries.Granularity(interval: 5, unit: "min"),
      channels: [
        RecordSeries.Channel(
          metric: 1, unit: 3,
          points: [
            RecordSeries.Point(
              timeMicroseconds: morning + 300_000_000, number: ReportedNumber(mantissa: 70, exponent: -1),
              qualifier: .above, isScheduled: true)
          ])
      ]),
    tags: [RecordTag(name: "arm", value: "left")],
    extras: [RecordExtra(name: "battery", value: .number(ReportedNumber(mantissa: 80, exponent: 0)))])
}
