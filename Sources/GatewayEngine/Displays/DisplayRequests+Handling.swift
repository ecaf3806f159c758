package import GatewayAPI
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import MeterOCR

extension DisplayStartRequest: HandledRequest {
  /// The session in force.
  package func perform(on owner: GatewayOwner) throws -> Ticket {
    let session = try owner.store.currentSession()
    let person = try owner.personZone(else: zone)
    return Ticket(
      generation: session.generation, hasUser: session.user != nil, time: try time.map(person.time))
  }
}

extension DisplaySubmitRequest: HandledRequest {
  /// Records and picture are on disk when it returns, or nothing is.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`, `display_values`, `display_time`, that of an
  ///   `AdmissionRejection`, or that of a `RecordImage.Refusal` behind `image_`; `StoreError` with code
  ///   `stale_generation` when the user has changed since the reading began.
  package func perform(on owner: GatewayOwner) async throws -> Answer {
    let clock = BootClock.now
    let moment = moment.settled(by: clock, isSynchronized: HostClockTrust.kernel.isSynchronized)
    try moment.check(now: clock.utcMicroseconds)
    guard (1...Self.recordLimit).contains(measurements.count) else {
      throw GatewayError(
        .usage, code: "display_values",
        "a display gives 1 to \(Self.recordLimit) records, not \(measurements.count)")
    }
    var batch = IntakeBatch(try measurements.map { measurement throws(GatewayError) in try measurement.reported() })
    batch.images = try [picture].compactMap(\.self).map { picture throws(GatewayError) in
      try RecordImage.taken(Array(picture))
    }
    let session = try owner.store.currentSession()
    batch.circumstances = circumstances(moment, session, arrival: moment.arrival(in: clock))
    let receipt = try await take(batch, at: moment, of: session, in: owner)
    noteSuccess(in: owner.store)
    let names = measurements.indices.map { LogID.live(submission: reading, number: $0) }
    let left = delivers && session.user != nil ? try await owner.deliver(names, of: generation) : nil
    return Answer(
      records: try names.map { try SubmittedRecord($0, .init(receipt, of: $0), in: owner.store, left) },
      hasPicture: picture != nil && session.user != nil)
  }

  private func take(
    _ batch: IntakeBatch, at moment: DisplayMoment, of session: Session, in owner: GatewayOwner
  ) async throws -> CommitReceipt {
    let registry = owner.gateway.registry
    guard let entry = registry.peripheral(id: peripheral, kind: .ocr), !entry.isDisabled,
      let driver = entry.driverID.flatMap({ registry.driver(id: $0) })
    else { throw GatewayError.unknownDisplay(peripheral, in: registry) }
    var context = IntakeContext(display: entry, driver: driver, in: session)
    context.generation = generation
    let clock = HostClockReading(utcMicroseconds: moment.microseconds, isSynchronized: moment.isSynchronized)
    do {
      return try await Intake(owner.store).take(batch, context, clock: clock).commit
    } catch let error as AdmissionRejection {
      throw GatewayError(error)
    }
  }

  private func circumstances(
    _ moment: DisplayMoment, _ session: Session, arrival: BootClock?
  ) -> IntakeBatch.Circumstances {
    var time: RecordTime?
    if moment.isStated {
      // The same moment, with the offset that a person wrote beside it.
      let stated = moment.time.flatMap { $0.startMicroseconds == moment.microseconds ? $0 : nil }
      let zone = session.options.timeZone
      time = stated ?? .utc(moment.microseconds, zone: zone ?? .gateway, source: zone == nil ? .gateway : .user)
    }
    var result = IntakeBatch.Circumstances(reading: reading, time: time, arrival: arrival)
    result.isCorrected = isCorrected
    result.notes = drawnNote
    return result
  }

  /// A receiver that gets what was tried out must be able to tell it from what was measured.
  private var drawnNote: [RecordNote] {
    guard isDrawn, let note = Metric.named("note").first else { return [] }
    return [RecordNote(field: note.code, text: "drawn by meterhost snap --demo: nothing was measured")]
  }
}
