import DriverRuntime
import Foundation
import MeterCore
import MeterDrivers
package import MeterOCR

extension DisplayMeter {
  /// Puts a reading that a person has confirmed into the queue: records and picture are on disk when this returns, or nothing
  /// is. An uploader of the store delivers them.
  ///
  /// - Parameter picture: The reading's crop as a JPEG file.
  /// - Returns: What has become of it, for a person.
  package func submit(_ reading: OCRReading, picture: [UInt8]) async throws -> String {
    let image = try RecordImage(picture)
    let records = try measured(in: reading)
    // Without a user nothing is ever delivered: the picture would wait for ever.
    let images = session.user == nil ? [] : records.map { CommitImage(logID: $0.record.logID, image: image) }
    // All in one unit: half a blood pressure must not be.
    let receipts = try await store.submit([
      CommitUnit(generation: session.generation, records: records, images: images)
    ])
    guard session.user != nil else { return "There is no session: the reading is kept and never delivered." }
    for case .held(let reason) in receipts.flatMap({ $0.new + $0.revised + $0.suspects }).map(\.disposition) {
      return "The reading is kept until a person decides (\(reason.rawValue))."
    }
    return "Submitted: the reading is saved and will be delivered."
  }

  private func measured(in reading: OCRReading) throws -> [CommitRecord] {
    guard let name = UUID(uuidString: reading.id) else { throw ExampleError("the reading has no name; read it again") }
    let (moment, isRight) = (reading.metadata.moment, reading.metadata.isClockSynchronized)
    let clock = HostClockReading(utcMicroseconds: moment.utcMicroseconds, isSynchronized: isRight)
    var admission = RecordAdmission(context: context)
    var records: [CommitRecord] = []
    for (number, record) in reading.records.filter({ $0.kind == .measurement }).enumerated() {
      switch admission.admit([ReportedRecord(display: record)], clock: clock).first {
      case .commit(let admitted):
        records.append(
          CommitRecord(
            record: named(admitted.record, .live(submission: name, number: number), reading),
            disposition: admitted.disposition, isUntimed: admitted.isUntimed, arrival: moment))
      case .rejected(let rejection): throw rejection
      default: throw ExampleError("this is no measurement of a display")
      }
    }
    return records
  }

  /// A display does not tell which meter of its kind it belongs to.
  private var context: AdmissionContext {
    AdmissionContext(
      meter: MeterIdentity(serial: nil, model: nil, systemID: nil, address: ""),
      source: RecordSource(
        peripheralID: Int(entry.id), manufacturer: entry.manufacturer.isEmpty ? nil : entry.manufacturer,
        model: entry.model.isEmpty ? nil : entry.model, deviceID: "", driverID: driver.id,
        driverVersion: "\(driver.version)"), gatewayZone: .gateway, userZone: session.options.timeZone)
  }

  /// The record under the reading's own name: submitted twice, it is one.
  private func named(_ record: Record, _ name: LogID, _ reading: OCRReading) -> Record {
    Record(
      logID: name, identityClass: .live, type: record.type, time: record.time, values: record.values,
      notes: record.notes + drawnNote, source: record.source, origin: reading.isCorrected ? .manual : record.origin,
      flags: record.flags)
  }

  /// A receiver that gets what was tried out must be able to tell it from what was measured.
  private var drawnNote: [RecordNote] {
    guard case .drawn = pictures, let note = Metric.named("note").first else { return [] }
    return [RecordNote(field: note.code, text: "drawn by an example: nothing was measured")]
  }
}

extension ReportedRecord {
  /// What a driver says that a display means. It has no time: the reading is as old as its picture.
  fileprivate init(display record: DriverRecord) {
    self.init(
      flags: Flags(rawValue: record.flags.rawValue), timeKind: .none, startMicroseconds: 0, identity: [],
      identityClass: .live, values: record.values.map { ReportedValue(display: $0) })
  }
}

extension ReportedValue {
  fileprivate init(display value: DriverValue) {
    let qualifier: ValueQualifier =
      switch value.qualifier {
      case .exact: .exact
      case .above: .above
      case .below: .below
      case .questionable: .questionable
      }
    self.init(
      metric: value.metric, unit: value.unit, raw: value.raw, exponent: value.exponent, value: value.value,
      qualifier: qualifier, isRounded: value.isRounded)
  }
}
