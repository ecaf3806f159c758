package import MeterCore

/// Makes of a record the transaction bundle by which a FHIR R4 server gets it (docs/reference/fhir.md).
///
/// A pure value: the same record, gateway and subject are the same bytes each time, so that what is sent again is what was sent
/// before.
///
/// ```swift
/// let maker = FHIRBundleMaker(subject: .reference("Patient/123"), gateway: FHIRGateway(id: gatewayID))
/// let bundle = try maker.bundle(for: record)
/// ```
package struct FHIRBundleMaker: Sendable {
  /// The system of the identifiers by which observations are found again.
  package static let identifierSystem = "https://meterhost.org/fhir/sid/reading"
  /// The system of the identifier that the main observation has besides: the record's `LOG_ID`, for people who look for a reading by the
  /// name that it has here. Two people's readings may have the same one, so that nothing is created or updated by it.
  package static let logIDSystem = EntryIdentity.logIDSystem

  private let subject: FHIRSubject
  private let gateway: FHIRGateway
  private let identifierSystem: String

  /// - Parameters:
  ///   - subject: Whose readings they are at the server.
  ///   - gateway: This gateway.
  ///   - identifierSystem: The system of the observations' identifiers, an absolute URI. Gateways that deliver to one server need the
  ///     same one: by it a reading is found again.
  package init(
    subject: FHIRSubject, gateway: FHIRGateway, identifierSystem: String = FHIRBundleMaker.identifierSystem
  ) {
    (self.subject, self.gateway, self.identifierSystem) = (subject, gateway, identifierSystem)
  }

  /// Whether a record has a form in FHIR.
  package func takes(_ record: Record) -> Bool {
    (try? RecordPlan(record, isOfMeter: FHIRMeter(record) != nil)) != nil
  }

  /// The bundle of a record, with what it says itself of the meter that it came from.
  ///
  /// - Throws: ``FHIRRefusal`` where the record has none.
  package func bundle(for record: Record) throws(FHIRRefusal) -> FHIRBundle {
    try bundle(for: record, of: FHIRMeter(record))
  }

  /// The bundle of a record.
  ///
  /// - Parameter meter: The meter that it came from; nil for what no meter has said, which goes without devices.
  /// - Throws: ``FHIRRefusal`` where the record has none.
  package func bundle(for record: Record, of meter: FHIRMeter?) throws(FHIRRefusal) -> FHIRBundle {
    let plan = try RecordPlan(record, isOfMeter: meter != nil)
    return BundleWriter(
      plan: plan, record: record, meter: meter, gateway: gateway, subject: subject, identifierSystem: identifierSystem
    ).bundle()
  }
}
