import StrictJSON

/// What the profiles of HL7's Personal Health Device implementation guide 2.0.0 and FHIR's vital signs demand of a bundle: one line for
/// each fault.
///
/// Written from the profiles themselves (`Tests/Fixtures/FHIR/README.md`), apart from the code that it checks. What every resource of
/// FHIR R4 has to be is `scripts/fhir-test`'s to check.
struct ProfileCheck {
  private(set) var faults: [String] = []
  private let bundle: ReadBundle
  private var profiles: [String: [String]] = [:]

  private static let mdc = "urn:iso:std:iso:11073:10101"
  private static let guide = "http://hl7.org/fhir/uv/phd/StructureDefinition/"
  private static let signs = "http://hl7.org/fhir/StructureDefinition/"

  static func faults(in bundle: ReadBundle) -> [String] {
    var check = ProfileCheck(bundle)
    check.run()
    return check.faults
  }

  private init(_ bundle: ReadBundle) { self.bundle = bundle }

  private mutating func run() {
    for entry in bundle.entries {
      guard let url = entry.text("fullUrl"), let resource = entry.at("resource") else {
        faults.append("an entry without its place or its resource")
        continue
      }
      if profiles[url] != nil { faults.append("\(url) twice") }
      profiles[url] = resource.profiles
    }
    expect(bundle.root.text("type") == "transaction", "the bundle is no transaction")
    for resource in bundle.resources {
      for profile in resource.profiles { check(resource, profile) }
    }
  }

  private mutating func expect(_ holds: Bool, _ fault: @autoclosure () -> String) {
    if !holds { faults.append(fault()) }
  }

  private mutating func check(_ resource: JSONElement, _ profile: String) {
    if profile.hasPrefix(Self.guide) {
      let name = String(profile.dropFirst(Self.guide.count))
      switch name {
      case "PhdDevice": device(resource, name, type: "65573")
      case "PhgDevice": device(resource, name, type: "531981")
      case "PhdCoincidentTimeStampObservation": clock(resource, name)
      default:
        base(resource, name)
        shape(resource, name)
      }
    } else if profile.hasPrefix(Self.signs) {
      vitalSign(resource, String(profile.dropFirst(Self.signs.count)))
    } else {
      faults.append("\(profile) is not known")
    }
  }

  /// Whether a reference leads to an entry with a profile.
  private func leads(_ reference: String?, to profile: String) -> Bool {
    reference.flatMap { profiles[$0] }?.contains(Self.guide + profile) ?? false
  }

  // MARK: Observations of meters

  private mutating func base(_ resource: JSONElement, _ name: String) {
    let extensions = resource.at("extension")?.elements ?? []
    let gateways = extensions.filter { $0.text("url") == Self.signs + "observation-gatewayDevice" }
    expect(gateways.count == 1, "\(name): \(gateways.count) gateways")
    for gateway in gateways {
      expect(leads(gateway.text("valueReference.reference"), to: "PhgDevice"), "\(name): the gateway is none")
    }
    let clocks = extensions.filter { $0.text("url") == Self.guide + "CoincidentTimeStampReference" }
    expect(clocks.count <= 1, "\(name): \(clocks.count) clocks")
    for clock in clocks {
      expect(
        leads(clock.text("valueReference.reference"), to: "PhdCoincidentTimeStampObservation"),
        "\(name): the clock is none")
    }
    let categories = (resource.at("category")?.elements ?? []).filter {
      $0.text("coding.0.system") == "http://hl7.org/fhir/uv/phd/CodeSystem/PhdObservationCategories"
        && $0.codes("") == ["phd"]
    }
    expect(categories.count == 1, "\(name): \(categories.count) categories of the guide")
    expect(resource.at("code.coding") != nil || resource.text("code.text") != nil, "\(name): no code")
    expect(resource.text("subject.reference") != nil, "\(name): no subject")
    let times = ["effectiveDateTime", "effectivePeriod", "effectiveInstant", "effectiveTiming"]
      .filter { resource.at($0) != nil }
    expect(times == ["effectiveDateTime"] || times == ["effectivePeriod"], "\(name): no time of the two kinds")
    expect(leads(resource.text("device.reference"), to: "PhdDevice"), "\(name): the device is no meter")
    identifiers(resource, name)
    interpretations(resource, name)
    for component in resource.at("component")?.elements ?? [] where component.codes("code") == ["68193"] {
      expect(component.text("valueCodeableConcept.coding.0.system") == Self.mdc, "\(name): a modality without a term")
      expect(component.at("dataAbsentReason") == nil, "\(name): a modality that is not there")
    }
    for reference in resource.at("derivedFrom")?.elements ?? [] {
      let target = reference.text("reference").flatMap { profiles[$0] } ?? []
      expect(target.contains { $0.hasPrefix(Self.guide) }, "\(name): derived from something else than an observation")
    }
  }

  private mutating func identifiers(_ resource: JSONElement, _ name: String) {
    let identifiers = (resource.at("identifier")?.elements ?? []).filter {
      $0.text("system") == Self.guide + "PhdBaseObservation"
    }
    expect(identifiers.count <= 1, "\(name): several identifiers of the guide")
    for identifier in identifiers {
      expect(identifier.text("value") != nil && identifier.at("type") == nil, "\(name): the guide's identifier")
    }
  }

  private mutating func interpretations(_ element: JSONElement, _ name: String) {
    for interpretation in element.at("interpretation")?.elements ?? [] {
      let codings = (interpretation.at("coding")?.elements ?? []).filter {
        $0.text("system") == "http://hl7.org/fhir/uv/pocd/CodeSystem/measurement-status" && $0.text("code") != nil
      }
      expect(codings.count == 1, "\(name): an interpretation without the status of a measurement")
    }
  }

  private mutating func shape(_ resource: JSONElement, _ name: String) {
    let values = resource.members.compactMap { $0.key.asString }.filter { $0.hasPrefix("value") }
    switch name {
    case "PhdNumericObservation":
      expect(values == ["valueQuantity"], "\(name): the value is no number")
      quantity(resource, name)
    case "PhdCodedEnumerationObservation": expect(values == ["valueCodeableConcept"], "\(name): the value is no code")
    case "PhdCompoundNumericObservation":
      expect(values.isEmpty, "\(name): a value of its own")
      for component in resource.at("component")?.elements ?? [] where component.codes("code") != ["68193"] {
        let terms = (component.at("code.coding")?.elements ?? []).filter { $0.text("system") == Self.mdc }
        expect(terms.count == 1, "\(name): a part with \(terms.count) terms")
        quantity(component, name)
        interpretations(component, name)
      }
    case "PhdBitsEnumerationObservation":
      expect(values.isEmpty, "\(name): a value of its own")
      for component in resource.at("component")?.elements ?? [] {
        let isBit = component.text("code.coding.0.system") == "http://terminology.hl7.org/CodeSystem/ASN1ToHL7"
        expect(isBit && component.at("valueBoolean")?.asBool != nil, "\(name): a part that is no bit")
      }
    default: faults.append("\(name) is not known")
    }
  }

  private mutating func quantity(_ element: JSONElement, _ name: String) {
    let quantity = element.at("valueQuantity")
    expect(
      quantity?.at("value")?.numeral != nil && quantity?.text("system") == "http://unitsofmeasure.org"
        && quantity?.text("code") != nil, "\(name): no number in a unit of UCUM")
  }

  private mutating func clock(_ resource: JSONElement, _ name: String) {
    expect(resource.text("status") == "final", "\(name): not final")
    let codes = Set(resource.codes("code")).intersection(["67975", "68226", "67983", "68072"])
    expect(codes.count == 1, "\(name): no kind of clock")
    expect(leads(resource.text("subject.reference"), to: "PhdDevice"), "\(name): it is no meter's")
    expect(leads(resource.text("device.reference"), to: "PhgDevice"), "\(name): no gateway has compared it")
    let values = ["valueDateTime", "valueQuantity", "dataAbsentReason"].filter { resource.at($0) != nil }
    expect(values.count == 1, "\(name): no time")
    for member in ["derivedFrom", "hasMember", "specimen", "focus"] {
      expect(resource.at(member) == nil, "\(name): \(member)")
    }
  }

  // MARK: Devices

  private mutating func device(_ resource: JSONElement, _ name: String, type: String) {
    let identifiers = resource.at("identifier")?.elements ?? []
    expect(!identifiers.isEmpty, "\(name): no identifier")
    let systems = [
      "SYSID": "urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680", "BTMAC": "http://hl7.org/fhir/sid/eui-48/bluetooth",
    ]
    for identifier in identifiers {
      expect(identifier.text("value") != nil, "\(name): an identifier without a value")
      guard let kind = identifier.codes("type").first else { continue }
      expect(identifier.text("system") == systems[kind], "\(name): a \(kind) of another system")
    }
    if name == "PhdDevice" {
      expect(resource.text("manufacturer") != nil && resource.text("modelNumber") != nil, "\(name): no maker or model")
    }
    expect(resource.codes("type") == [type], "\(name): another type")
    let kinds = resource.at("specialization")?.elements ?? []
    expect(!kinds.isEmpty, "\(name): no kind")
    for kind in kinds {
      let isKnown = kind.codes("systemType").allSatisfy(Self.kinds.contains) && !kind.codes("systemType").isEmpty
      expect(isKnown && kind.text("version") != nil, "\(name): a kind that is none")
    }
    let versions = resource.at("version")?.elements ?? []
    expect(!versions.isEmpty, "\(name): no version")
    for version in versions {
      let isKnown = version.codes("type").allSatisfy(["531974", "531975", "531976", "531977", "532352"].contains)
      expect(isKnown && version.text("value") != nil, "\(name): a version of another kind")
    }
    expect(resource.at("parent") == nil, "\(name): a parent")
    for property in resource.at("property")?.elements ?? [] where property.codes("type") == ["68220"] {
      expect(property.at("valueCode")?.elements.count == 1, "\(name): how the clock is kept right")
    }
  }

  /// Of the guide's value set those that a meter of this host can be.
  private static let kinds: Set<String> = [
    "528384", "528388", "528391", "528392", "528399", "528401", "528402", "528404", "528405", "528409", "528457",
    "528524", "528525",
  ]

  // MARK: Vital signs

  /// The code that makes an observation one, and the units that it may have.
  private static let vitalSigns: [String: (code: String, units: Set<String>)] = [
    "bp": ("85354-9", ["mm[Hg]"]), "heartrate": ("8867-4", ["/min"]), "resprate": ("9279-1", ["/min"]),
    "oxygensat": ("2708-6", ["%"]), "bodytemp": ("8310-5", ["Cel", "[degF]"]),
    "bodyweight": ("29463-7", ["g", "kg", "[lb_av]"]), "bodyheight": ("8302-2", ["cm", "[in_i]"]),
    "bmi": ("39156-5", ["kg/m2"]),
  ]

  private mutating func vitalSign(_ resource: JSONElement, _ name: String) {
    guard let sign = Self.vitalSigns[name] else {
      faults.append("\(name) is no vital sign")
      return
    }
    expect(resource.categories.contains("vital-signs"), "\(name): another category")
    expect(resource.codes("code").contains(sign.code), "\(name): without \(sign.code)")
    if name == "bp" {
      let parts = resource.at("component")?.elements ?? []
      for code in ["8480-6", "8462-4"] {
        expect(parts.count { $0.codes("code").contains(code) } == 1, "\(name): not one \(code)")
      }
      for part in parts { unit(of: part, name, sign.units) }
    } else {
      unit(of: resource, name, sign.units)
    }
  }

  private mutating func unit(of element: JSONElement, _ name: String, _ units: Set<String>) {
    quantity(element, name)
    expect(element.text("valueQuantity.code").map(units.contains) ?? false, "\(name): another unit")
    expect(element.text("valueQuantity.unit") != nil, "\(name): no unit in words")
  }
}
