import FHIRBundles
package import GatewayAPI
import MeterCore

extension FHIRExportRequest: HandledRequest {
  /// - Throws: ``GatewayError``: `fhir_patient`, `unknown_zone`; `DraftError` for a time that the zone's clocks have not shown, or have
  ///   shown twice; `StoreError`.
  package func perform(on owner: GatewayOwner) throws -> Answer {
    let subject = try subject()
    let person = try owner.personZone(else: zone)
    let first = try from.map { try person.time($0).startMicroseconds } ?? .min
    let end = try to.map { try person.time($0).startMicroseconds } ?? .max
    let maker = FHIRBundleMaker(
      subject: subject,
      gateway: FHIRGateway(
        id: try owner.store.gatewayID(), clock: HostClockTrust.kernel.isSynchronized ? .network : .unknown))
    let most = min(max(limit, 1), Self.longest)
    let entries = try owner.store.queueSnapshot(states: Self.states, after: after, limit: most)
    var answer = Answer(
      bundles: [], refused: [], held: try owner.store.tally()[.held] ?? 0,
      next: entries.count < most ? nil : entries.last?.position)
    var known: Set<Int64> = []
    // A reading has a line for each receiver.
    for entry in entries where known.insert(entry.position).inserted {
      guard let record = entry.record else {
        answer.refused.append(entry.damaged)
        continue
      }
      let start = record.time.startMicroseconds
      if start >= first, start < end { answer.add(record, maker) }
    }
    return answer
  }

  /// What is, or would be, sent: what a person has not decided about is nobody's reading yet.
  private static let states: Set<DeliveryState> = [.pending, .inFlight, .dead]

  private func subject() throws(GatewayError) -> FHIRSubject {
    switch (patient, patientIdentifier) {
    case (let patient?, nil):
      if let subject = FHIRSubject(patient: patient) { return subject }
      throw Self.patient(
        "the patient is not written like Patient/123",
        hint: "an id has 1 to 64 letters, digits, - and .; the server's operator knows it")
    case (nil, let identifier?):
      if let subject = FHIRSubject(patientIdentifier: identifier) { return subject }
      throw Self.patient(
        "the patient's identifier is not written like SYSTEM|VALUE",
        hint: "such as 'https://clinic.example/mrn|4711', in quotes: a shell would take the | for itself")
    default:
      throw Self.patient(
        "a bundle is about one patient, who is named by one of both: an id at the server, or an identifier",
        hint: "name one with --patient Patient/123 or --patient-identifier 'SYSTEM|VALUE'")
    }
  }

  private static func patient(_ message: String, hint: String) -> GatewayError {
    GatewayError(.usage, code: "fhir_patient", message, hint: hint)
  }
}

extension FHIRExportRequest.Answer {
  fileprivate mutating func add(_ record: Record, _ maker: FHIRBundleMaker) {
    let (logID, revision) = (record.logID.description, record.revision)
    do throws(FHIRRefusal) {
      let bundle = try maker.bundle(for: record)
      bundles.append(
        FHIRExportRequest.Bundle(
          logID: logID, revision: revision, bundle: String(decoding: bundle.json, as: UTF8.self)))
    } catch {
      refused.append(
        FHIRExportRequest.Refused(
          logID: logID, revision: revision, code: error.code.rawValue, message: error.message))
    }
  }
}

extension QueueEntry {
  fileprivate var damaged: FHIRExportRequest.Refused {
    FHIRExportRequest.Refused(
      logID: logID.description, revision: revision, code: "damaged_content",
      message: "the stored content of the reading is damaged; run `meterhost doctor`")
  }
}
