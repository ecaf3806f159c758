import MeterCore
import StrictJSON

/// Writes the meter and the gateway as devices.
struct DeviceWriter: Sendable {
  /// What both have.
  private struct Facts {
    let profile: String
    let identifiers: [FHIRDeviceIdentifier]
    let manufacturer: String
    let model: String
    var serialNumber: String?
    let type: Int
    let specializations: [Int]
    /// Firmware or software, and its version.
    let version: (term: Int, text: String)
  }

  private static let firmware = 531976
  private static let software = 531975
  /// The guide wants a maker and a model of every meter, and some tell none.
  private static let unknown = "unknown"

  static func write(_ meter: FHIRMeter, of record: Record, _ json: inout JSONWriter) {
    let facts = Facts(
      profile: GuideProfile.device, identifiers: meter.identifiers, manufacturer: meter.manufacturer ?? unknown,
      model: meter.model ?? unknown, serialNumber: meter.serialNumber, type: 65573,
      specializations: DeviceKind.terms(of: record),
      version: meter.firmware.map { (firmware, $0) } ?? (software, meter.driverVersion))
    write(facts, clock: nil, &json)
  }

  static func write(_ gateway: FHIRGateway, _ json: inout JSONWriter) {
    let facts = Facts(
      profile: GuideProfile.gateway, identifiers: [EntryIdentity.identifier(of: gateway)], manufacturer: "MeterHost",
      model: "meterhost", type: 531981, specializations: [528457], version: (software, gateway.version))
    write(facts, clock: gateway.clock == .network ? 532226 : nil, &json)
  }

  private static func write(_ facts: Facts, clock: Int?, _ json: inout JSONWriter) {
    json.object("resource") { json in
      json.member("resourceType", "Device")
      json.profiles([facts.profile])
      json.array("identifier") { json in
        for identifier in facts.identifiers {
          let type = identifier.type.map {
            Coding("http://terminology.hl7.org/CodeSystem/ContinuaDeviceIdentifiers", $0)
          }
          json.identifier(system: identifier.system, value: identifier.value, type: type)
        }
      }
      json.member("manufacturer", facts.manufacturer)
      if let serial = facts.serialNumber { json.member("serialNumber", serial) }
      json.member("modelNumber", facts.model)
      json.put("type", Concept(.mdc(facts.type)))
      json.array("specialization") { json in
        for term in facts.specializations {
          json.object { json in
            json.put("systemType", Concept(.mdc(term)))
            json.member("version", "1")
          }
        }
      }
      json.array("version") { json in
        json.object { json in
          json.put("type", Concept(.mdc(facts.version.term)))
          json.member("value", facts.version.text)
        }
      }
      if let clock { json.array("property") { $0.property(Nomenclature.synchronization, clock) } }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func property(_ term: Int, _ value: Int) {
    object { json in
      json.put("type", Concept(.mdc(term)))
      json.array("valueCode") { $0.put(nil, Concept(.mdc(value))) }
    }
  }
}
