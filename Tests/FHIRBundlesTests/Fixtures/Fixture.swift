import MeterCore

@testable import FHIRBundles

/// The readings that the tests start from.
enum Fixture {
  /// A metric or unit that the dictionary does not have.
  struct Unknown: Error { let name: String }

  /// 2026-03-01T07:00:00Z, which was eight o'clock in Berlin.
  static let morning: Int64 = 1_772_348_400_000_000
  static let hour: Int64 = 3_600_000_000

  static let gateway = FHIRGateway(id: "0e0f5d1c-3a9b-4f5c-9b73-0c7b6a1d2e3f", version: "0.1.0", clock: .network)
  static let maker = FHIRBundleMaker(subject: .reference("Patient/123"), gateway: gateway)

  /// A meter that is known by its System ID.
  static let meter = source(model: "Gluco", device: "feedabeedead77c3")
  /// One that is known by its maker's serial number.
  static let serialMeter = source(model: "Pressure", device: "BP-0042")
  /// One that is known by its address.
  static let addressMeter = source(model: "Scale", device: "00:E5:DE:AD:77:C3")
  /// A display, of which a camera has read.
  static let display = source(peripheral: 10_101, model: "UA-611", device: "")
  /// What people enter.
  static let person = source(peripheral: 0, manufacturer: nil, model: nil, device: "", driver: "manual")
  /// What a phone's health store has exported.
  static let store = source(
    peripheral: 0, manufacturer: "Apple", model: "apple watch", device: "", driver: "org.meterhost.apple-health")

  static func source(
    peripheral: Int = 1000, manufacturer: String? = "Acme", model: String?, device: String,
    driver: String = "org.meterhost.glucose"
  ) -> RecordSource {
    RecordSource(
      peripheralID: peripheral, manufacturer: manufacturer, model: model, deviceID: device, driverID: driver,
      driverVersion: "1.2.0")
  }

  /// What a meter's clock showed in Berlin.
  static let civil = RecordTime(
    startMicroseconds: morning, endMicroseconds: morning, civilMicroseconds: morning + hour, utcOffsetSeconds: 3_600,
    zoneSource: .gateway, kind: .civil)

  /// An interval, by a clock that knows UTC.
  static func interval(hours: Int64) -> RecordTime {
    RecordTime(
      startMicroseconds: morning, endMicroseconds: morning + hours * hour, civilMicroseconds: nil,
      utcOffsetSeconds: 3_600, zoneSource: .user, kind: .utc)
  }

  static func value(
    _ metric: String, _ number: String, _ ucum: String = "1", _ qualifier: ValueQualifier = .exact
  ) throws -> RecordValue {
    guard let code = Metric.named(metric).first?.code, let unit = MetricUnit.withUCUM(ucum)?.code,
      let number = ReportedNumber(decimal: number)
    else { throw Unknown(name: "\(metric) \(number) \(ucum)") }
    return RecordValue(metric: code, unit: unit, number: number, qualifier: qualifier)
  }

  static func note(_ field: String, _ text: String) throws -> RecordNote {
    guard let code = Metric.named(field).first?.code else { throw Unknown(name: field) }
    return RecordNote(field: code, text: text)
  }

  static func logID(_ name: String) -> LogID { .imported(source: [1], identity: Array(name.utf8)) }

  /// The name by which a server finds a person's reading.
  static func name(_ logID: LogID, of patient: String = "Patient/123") -> LogID {
    .imported(source: Array("fhir reading of \(patient)".utf8), identity: Array("\(logID)".utf8))
  }

  static func reading(
    _ type: RecordType, _ values: [RecordValue], named name: String = "reading", from source: RecordSource = meter,
    origin: ValueOrigin = .device, time: RecordTime = civil, identity: IdentityClass = .stored, revision: Int = 1,
    notes: [RecordNote] = [], flags: RecordFlags = [], details: RecordDetails? = nil
  ) -> Record {
    var record = Record(
      logID: logID(name), identityClass: identity, type: type, time: time, values: values, notes: notes,
      source: source, origin: origin, flags: flags, details: details)
    record.revision = revision
    return record
  }

  /// One glucose value, with what stands beside it.
  static func glucose(
    _ beside: [RecordValue] = [], number: String = "111", unit: String = "mg/dL",
    qualifier: ValueQualifier = .exact, from source: RecordSource = meter, origin: ValueOrigin = .device,
    time: RecordTime = civil, revision: Int = 1
  ) throws -> Record {
    reading(
      .diabetes, [try value("blood_glucose", number, unit, qualifier)] + beside, named: "glucose", from: source,
      origin: origin, time: time, revision: revision)
  }

  static func series() throws -> RecordDetails {
    let glucose = try value("blood_glucose", "7.0", "mmol/L")
    return RecordDetails(
      series: RecordSeries(
        granularity: RecordSeries.Granularity(interval: 5, unit: "min"),
        channels: [
          RecordSeries.Channel(
            metric: glucose.metric, unit: glucose.unit,
            points: [RecordSeries.Point(timeMicroseconds: morning, number: glucose.number)])
        ]))
  }
}
