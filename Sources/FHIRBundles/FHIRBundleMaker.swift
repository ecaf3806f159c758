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
  package static let identifierSystem = "https://meterhost.org/fhir/sid/log-id"

  let subject: FHIRSubject
  let gateway: FHIRGateway
  let identifierSystem: String

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
  package func takes(_ record: Record) -> Bool { (try? bundle(for: record)) != nil }

  /// The bundle of a record.
  ///
  /// - Throws: ``FHIRRefusal`` where the record has none.
  package func bundle(for record: Record) throws(FHIRRefusal) -> FHIRBundle {
    throw FHIRRefusal(.noCode, "no value of the record has a code")
  }
}
