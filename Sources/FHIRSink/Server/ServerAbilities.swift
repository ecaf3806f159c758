import StrictJSON

/// What a server says that it can do (R4, CapabilityStatement), and why that is too little.
struct ServerAbilities {
  /// The version of FHIR that it speaks.
  let version: String
  private let transaction: Bool
  private let resources: [String: Resource]

  private struct Resource {
    let createsOnce: Bool
    let updatesByQuery: Bool
    let takesIDs: Bool
  }

  /// Nil for an answer that is no capability statement.
  init?(_ body: [UInt8]) {
    guard let statement = FHIRResource(body), statement.type == "CapabilityStatement",
      let version = statement.text("fhirVersion")
    else { return nil }
    self.version = version
    let rests = statement.root.member("rest")?.elements ?? []
    let server = rests.first { $0.member("mode")?.asString == "server" }
    transaction = (server?.member("interaction")?.elements ?? []).contains {
      $0.member("code")?.asString == "transaction"
    }
    var resources: [String: Resource] = [:]
    for resource in server?.member("resource")?.elements ?? [] {
      guard let type = resource.member("type")?.asString else { continue }
      resources[type] = Resource(
        createsOnce: resource.member("conditionalCreate")?.asBool == true,
        updatesByQuery: resource.member("conditionalUpdate")?.asBool == true,
        takesIDs: resource.member("updateCreate")?.asBool == true)
    }
    self.resources = resources
  }

  /// Why readings cannot be sent there so that each is there once, at its last revision; nil when they can.
  ///
  /// - Parameter ids: Who gives observations their ids.
  func problem(_ ids: FHIRSinkSetting.IDs) -> String? {
    guard version.hasPrefix("4.0.") else { return "speaks FHIR \(Self.shown(version)), and not R4 (4.0)" }
    guard transaction else { return "takes no transactions" }
    for type in ["Observation", "Device"] where resources[type]?.createsOnce != true {
      return "does not create \(type) conditionally: what is sent again would be there twice"
    }
    switch ids {
    case .server:
      guard resources["Observation"]?.updatesByQuery == true else {
        return "does not update Observation conditionally: a corrected reading could not be sent"
      }
    case .client:
      guard resources["Observation"]?.takesIDs == true else {
        return "takes no ids of clients for Observation (updateCreate)"
      }
    }
    return nil
  }

  private static func shown(_ version: String) -> String {
    version.utf8.count <= 20 && version.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? version : "of another version"
  }
}
