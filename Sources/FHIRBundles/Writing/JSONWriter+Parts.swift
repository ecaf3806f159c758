import MeterCore
import StrictJSON

extension JSONWriter {
  mutating func put(_ name: String?, _ coding: Coding) {
    object(name) { json in
      json.member("system", coding.system)
      json.member("code", coding.code)
      if let display = coding.display { json.member("display", display) }
    }
  }

  mutating func put(_ name: String?, _ concept: Concept) {
    object(name) { json in
      if !concept.codings.isEmpty {
        json.array("coding") { json in for coding in concept.codings { json.put(nil, coding) } }
      }
      if let text = concept.text { json.member("text", text) }
    }
  }

  /// A number as it was reported: 6.20 keeps its zero, which says how exact it is.
  mutating func put(_ name: String, _ quantity: Observation.Quantity) {
    object(name) { json in
      json.member("value", literal: quantity.number.description)
      if let comparator = quantity.comparator { json.member("comparator", comparator) }
      json.member("unit", quantity.ucum)
      json.member("system", "http://unitsofmeasure.org")
      json.member("code", quantity.ucum)
    }
  }

  mutating func put(_ name: String?, reference: String) { object(name) { $0.member("reference", reference) } }

  mutating func identifier(system: String, value: String, type: Coding? = nil) {
    object { json in
      if let type { json.put("type", Concept(type)) }
      json.member("system", system)
      json.member("value", value)
    }
  }

  /// `meta.profile`, where there is one.
  mutating func profiles(_ profiles: [String]) {
    guard !profiles.isEmpty else { return }
    object("meta") { json in
      json.array("profile") { json in for profile in profiles { json.member(nil, profile) } }
    }
  }

  mutating func questionable() {
    array("interpretation") { $0.put(nil, Concept(.questionable)) }
  }
}

/// The profiles of HL7's Personal Health Device implementation guide 2.0.0.
enum GuideProfile {
  static func url(_ name: String) -> String { "http://hl7.org/fhir/uv/phd/StructureDefinition/\(name)" }

  static let device = url("PhdDevice")
  static let gateway = url("PhgDevice")
  static let clock = url("PhdCoincidentTimeStampObservation")
  /// The extension of an observation that leads to the comparison of clocks.
  static let clockReference = url("CoincidentTimeStampReference")
  /// The extension of an observation that leads to the gateway.
  static let gatewayReference = "http://hl7.org/fhir/StructureDefinition/observation-gatewayDevice"
}
