import MeterCore
import StrictJSON

/// A catalogue entry before its driver's quirks were put in front of its own; a reference, as ``DecodedDriver`` is.
final class DecodedPeripheral: Sendable {
  let peripheral: Peripheral
  let driverPlace: JSONElement?
  /// Parsed once the driver, which may name parameters of its own, is known.
  let quirksPlace: JSONElement?

  init(peripheral: Peripheral, driverPlace: JSONElement?, quirksPlace: JSONElement?) {
    self.peripheral = peripheral
    self.driverPlace = driverPlace
    self.quirksPlace = quirksPlace
  }
}

extension RegistryDecoder {
  mutating func peripheral(_ value: JSONElement) throws(RegistryError) -> DecodedPeripheral {
    var object = try ObjectReader<PeripheralEntryKey>(value)
    let id: UInt32 = try object.required(.id).integer(1...999_999_999)
    let kind = try object.required(.kind).choice(PeripheralKind.self)
    let isGeneric = try object.optional(.generic)?.bool() ?? false
    let name = try object.required(.name).name()
    let manufacturer = try object.required(.manufacturer).line()
    let model = try object.required(.model).line()
    let type = try object.required(.type).choice(PeripheralType.self)
    let isOnDisplay = kind == .ocr
    let requiresPairing = try air(&object, .requiresPairing, isOnDisplay)?.bool() ?? false
    let pairingMethod = try object.optional(.pairingMethod)?.choice(Peripheral.PairingMethod.self)
    let pairingInstructions = try object.optional(.pairingInstructions)?.text() ?? ""
    let instructions = try object.required(.instructions).text()
    let readingInstructions = try object.optional(.readingInstructions)?.text() ?? ""
    let imageURL = try object.optional(.imageURL)?.imageURL()
    let isDisabled = try object.optional(.disabled)?.bool() ?? false
    let connectionPlace = try air(&object, .connectionKind, isOnDisplay)
    let connectionKind = try connectionPlace?.choice(Peripheral.ConnectionKind.self) ?? .camera
    let supportedSince = try object.required(.supportedSince).version()
    let maturity = try object.required(.maturity).choice(Peripheral.Maturity.self)
    let hasStoredHistory = try air(&object, .storedHistory, isOnDisplay)?.bool() ?? false
    let passive = try air(&object, .passive, isOnDisplay)?.choice(Peripheral.PassiveReading.self) ?? .no
    let announces = try air(&object, .announcesBeforeMeasurement, isOnDisplay)?.bool() ?? false
    let isApprovalNeeded = try object.optional(.approvalNeeded)?.bool() ?? false
    let credentials = try credentials(object.optional(.credentials))
    let driverPlace = object.optional(.driver)
    let driverID = try driverPlace?.driverID()
    let matchRules = try matchRules(object.optional(.match))
    let servicesPlace = object.optional(.services)
    let services = try services(servicesPlace)
    let quirksPlace = object.optional(.quirks)
    let units = try displayUnits(object.optional(.units), isOnDisplay)
    try object.finish(&warnings)
    if isOnDisplay != (connectionKind == .camera) {
      throw (connectionPlace ?? value).error(
        .invalidValue, "\"\(connectionKind.rawValue)\" is no connection of the kind \(kind.rawValue)",
        cure: "write \"camera\" for the kind ocr and for no other")
    }
    if isOnDisplay,
      requiresPairing || passive != .no || !matchRules.isEmpty || !services.isEmpty || !credentials.isEmpty
    {
      throw value.error(
        .invalidValue, "is read from its display, and has something that is in the air",
        cure: "leave pairing, passive reading, match, services and credentials to an entry of the kind bluetooth")
    }
    if requiresPairing, pairingInstructions.isEmpty {
      throw value.error(
        .missingKey, "requires pairing and does not say how", cure: "add \"pairing_instructions\"")
    }
    if kind == .bluetooth, connectionKind == .connect, driverID != nil, services.isEmpty {
      throw value.error(
        .missingKey, "has a driver and no services",
        cure: "list the \"services\" and characteristics that the driver uses")
    }
    let peripheral = Peripheral(
      key: PeripheralKey(kind: kind, id: id), isGeneric: isGeneric, name: name, manufacturer: manufacturer,
      model: model, type: type, requiresPairing: requiresPairing, pairingMethod: pairingMethod,
      pairingInstructions: pairingInstructions, instructions: instructions, readingInstructions: readingInstructions,
      imageURL: imageURL, imageFolder: folder, isDisabled: isDisabled, connectionKind: connectionKind,
      supportedSince: supportedSince, maturity: maturity, hasStoredHistory: hasStoredHistory, passive: passive,
      announcesBeforeMeasurement: announces,
      isApprovalNeeded: isApprovalNeeded, credentials: credentials, driverID: driverID, matchRules: matchRules,
      units: units, services: services, quirks: [])
    return DecodedPeripheral(peripheral: peripheral, driverPlace: driverPlace, quirksPlace: quirksPlace)
  }

  /// A key of meters that are in the air.
  private func air(
    _ object: inout ObjectReader<PeripheralEntryKey>, _ key: PeripheralEntryKey, _ isOnDisplay: Bool
  ) throws(RegistryError) -> JSONElement? {
    isOnDisplay ? object.optional(key) : try object.required(key)
  }

  private func displayUnits(_ value: JSONElement?, _ isOnDisplay: Bool) throws(RegistryError) -> [String] {
    guard let value else { return [] }
    guard isOnDisplay else {
      throw value.error(.invalidValue, "is for the kind ocr", cure: "remove it: a meter in the air names its unit")
    }
    var units: [String] = []
    for unit in try value.elements(atMost: 4) {
      let ucum = try knownUnit(unit)
      guard !units.contains(ucum) else {
        throw unit.error(.duplicateID, "the unit stands twice", cure: "remove one of them")
      }
      units.append(ucum)
    }
    return units
  }

  private mutating func credentials(_ value: JSONElement?) throws(RegistryError) -> [Credential] {
    let credentials = try list(value, RegistryLimits.credentials) { (decoder, value) throws(RegistryError) in
      var object = try ObjectReader<CredentialKey>(value)
      let credential = Credential(
        name: try object.required(.name).word("-._", limit: 64),
        format: try object.required(.format).choice(Credential.Format.self),
        scope: try object.required(.scope).choice(Credential.Scope.self),
        isRequired: try object.required(.required).bool(),
        exposure: try object.optional(.exposure)?.choice(Credential.Exposure.self) ?? .use)
      try object.finish(&decoder.warnings)
      return credential
    }
    try refuseRepeats(credentials, "credential", \.name)
    return credentials.map(\.entry)
  }

  private mutating func matchRules(_ value: JSONElement?) throws(RegistryError) -> [MatchRule] {
    try list(value, RegistryLimits.rules) { (decoder, value) throws(RegistryError) in
      var object = try ObjectReader<MatchKey>(value)
      let services = try decoder.list(object.optional(.services), RegistryLimits.services) {
        (_, value) throws(RegistryError) in try value.uuid()
      }
      try decoder.refuseRepeats(services, "service", \.self)
      let dataServices = try decoder.list(object.optional(.serviceData), RegistryLimits.services) {
        (_, value) throws(RegistryError) in try value.uuid()
      }
      try decoder.refuseRepeats(dataServices, "service", \.self)
      let rule = MatchRule(
        services: services.map(\.entry), serviceData: dataServices.map(\.entry),
        companyID: try object.optional(.companyID)?.integer(0...UInt16.max),
        namePrefix: try object.optional(.namePrefix)?.name(limit: RegistryLimits.pattern),
        manufacturerPrefix: try object.optional(.manufacturerPrefix)?.name(limit: RegistryLimits.pattern),
        modelPrefix: try object.optional(.modelPrefix)?.name(limit: RegistryLimits.pattern))
      try object.finish(&decoder.warnings)
      guard !rule.services.isEmpty || !rule.serviceData.isEmpty || rule.companyID != nil || rule.namePrefix != nil
      else {
        throw value.error(
          .missingKey, "says nothing about the advertisement",
          cure: "add services, service_data, company_id or name_prefix: a meter must be known before it is connected")
      }
      return rule
    }.map(\.entry)
  }

  private mutating func services(_ value: JSONElement?) throws(RegistryError) -> [ServiceUse] {
    let services = try list(value, RegistryLimits.services) { (decoder, value) throws(RegistryError) in
      var object = try ObjectReader<ServiceKey>(value)
      let uuid = try object.required(.uuid).uuid()
      let isRequired = try object.required(.required).bool()
      let characteristics = try decoder.list(object.required(.characteristics), RegistryLimits.characteristics) {
        (decoder, value) throws(RegistryError) in try decoder.characteristic(value)
      }
      try decoder.refuseRepeats(characteristics, "characteristic", \.uuid)
      let code = try decoder.decodeCode(object.optional(.decodeCode), of: uuid)
      try object.finish(&decoder.warnings)
      return ServiceUse(
        uuid: uuid, isRequired: isRequired, characteristics: characteristics.map(\.entry), decodeCode: code)
    }
    try refuseRepeats(services, "service", \.uuid)
    try refuseSharedCodes(services)
    return services.map(\.entry)
  }

  /// The number that stands for a vendor's UUID in `decode`; one of the Bluetooth SIG's stands for itself.
  private func decodeCode(_ value: JSONElement?, of uuid: UUIDString) throws(RegistryError) -> UInt16? {
    guard let value else { return nil }
    guard uuid.uuid16 == nil else {
      throw value.error(
        .invalidValue, "numbers a UUID of the Bluetooth SIG", cure: "leave it out: such a UUID is its own number")
    }
    return try value.integer(Peripheral.firstDecodeCode...UInt16.max)
  }

  /// One number stands for one UUID of an entry.
  private func refuseSharedCodes(_ services: [Located<ServiceUse>]) throws(RegistryError) {
    var uuids: [UInt16: UUIDString] = [:]
    for service in services {
      for use in service.entry.characteristics {
        guard let code = use.decodeCode, let other = uuids.updateValue(use.uuid, forKey: code), other != use.uuid else {
          continue
        }
        throw service.place.error(
          .duplicateID, "the decode_code \(code) stands for two characteristics", cure: "give one of them another")
      }
    }
    let codes = services.compactMap(\.entry.decodeCode)
    guard Set(codes).count == codes.count else {
      throw services[0].place.error(
        .duplicateID, "a decode_code stands for two services", cure: "give one of them another")
    }
  }

  private mutating func characteristic(_ value: JSONElement) throws(RegistryError) -> CharacteristicUse {
    var object = try ObjectReader<CharacteristicKey>(value)
    let uuid = try object.required(.uuid).uuid()
    let use = CharacteristicUse(
      uuid: uuid, isRequired: try object.required(.required).bool(),
      decodeCode: try decodeCode(object.optional(.decodeCode), of: uuid))
    try object.finish(&warnings)
    return use
  }
}
