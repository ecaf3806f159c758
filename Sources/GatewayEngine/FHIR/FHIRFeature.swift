import GatewayAPI

extension ControlFeature {
  static let fhir = ControlFeature(requests: [FHIRExportRequest.self])
}
