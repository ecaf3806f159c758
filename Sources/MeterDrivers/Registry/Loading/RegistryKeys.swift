// Every key that a registry may hold. docs/registry.schema.json says the same; a test compares the two.

enum BaseKey: String, RegistryKey {
  case schema = "$schema"
  case registryVersion = "registry_version"
  case development, abi, dictionary, families, drivers, peripherals
  static let requiredKeys: Set<Self> = [
    .registryVersion, .development, .abi, .dictionary, .families, .drivers, .peripherals,
  ]
}

enum FragmentKey: String, RegistryKey {
  case schema = "$schema"
  case registryVersion = "registry_version"
  case families, drivers, peripherals, overrides
  static let requiredKeys: Set<Self> = [.registryVersion]
}

enum ABIKey: String, RegistryKey {
  case major, minor
  case layoutHash = "layout_hash"
  case history, functions, structs, constants
  static let requiredKeys: Set<Self> = [.major, .minor, .layoutHash, .functions, .structs, .constants]
}

enum DictionaryKey: String, RegistryKey {
  case units, metrics
  static let requiredKeys: Set<Self> = [.units, .metrics]
}

enum UnitKey: String, RegistryKey {
  case code, name, ucum
  static let requiredKeys: Set<Self> = [.code, .name, .ucum]
}

enum DictionaryMetricKey: String, RegistryKey {
  case code, name, kind, units, codes, mdc, inform
  case recordType = "record_type"
  case recordField = "record_field"
  static let requiredKeys: Set<Self> = [.code, .name, .kind, .units, .mdc, .inform, .recordType, .recordField]
}

enum AllowedUnitKey: String, RegistryKey {
  case ucum, plausible, loinc
  static let requiredKeys: Set<Self> = [.ucum, .plausible]
}

enum FamilyKey: String, RegistryKey {
  case id, name
  static let requiredKeys: Set<Self> = [.id, .name]
}

enum DriverKey: String, RegistryKey {
  case id, version, vendor, license, family, library, sha256, signatures, assets, abi, capabilities, extensions, limits
  case metrics, parameters, quirks
  case functions
  static let requiredKeys: Set<Self> = [.id, .version, .vendor, .license, .family, .library, .abi, .capabilities]
}

enum DriverSignatureKey: String, RegistryKey {
  case key, value
  static let requiredKeys: Set<Self> = [.key, .value]
}

enum DriverAssetKey: String, RegistryKey {
  case name, file, sha256
  static let requiredKeys: Set<Self> = [.name, .file]
}

enum DriverABIKey: String, RegistryKey {
  case major, minor
  static let requiredKeys: Set<Self> = [.major, .minor]
}

enum LimitKey: String, RegistryKey {
  case eventCPU = "event_cpu_ms"
  case eventWall = "event_wall_ms"
  case memory = "memory_mib"
  case records = "records_per_event"
  static let requiredKeys: Set<Self> = []
}

enum MetricKey: String, RegistryKey {
  case code, name, kind, units, codes
  static let requiredKeys: Set<Self> = [.code, .name, .kind]
}

enum ParameterKey: String, RegistryKey {
  case code, name, kind, summary
  static let requiredKeys: Set<Self> = [.code, .name, .kind, .summary]
}

enum FunctionKey: String, RegistryKey {
  case name, signature, summary, arguments, outputs
  static let requiredKeys: Set<Self> = [.name, .signature, .summary]
}

enum FunctionValueKey: String, RegistryKey {
  case name, summary, unit
  static let requiredKeys: Set<Self> = [.name, .summary]
}

enum PeripheralEntryKey: String, RegistryKey {
  case id, kind, generic, name, manufacturer, model, type
  case requiresPairing = "requires_pairing"
  case pairingMethod = "pairing_method"
  case pairingInstructions = "pairing_instructions"
  case instructions
  case readingInstructions = "reading_instructions"
  case imageURL = "image_url"
  case disabled
  case connectionKind = "connection_kind"
  case supportedSince = "supported_since"
  case maturity
  case storedHistory = "stored_history"
  case passive
  case announcesBeforeMeasurement = "announces_before_measurement"
  case approvalNeeded = "approval_needed"
  case credentials, driver, match, services, quirks, units
  static let requiredKeys: Set<Self> = [
    .id, .kind, .name, .manufacturer, .model, .type, .instructions, .supportedSince, .maturity,
  ]
  /// Keys that an entry of the kind `ocr` leaves out: nothing of it is in the air.
  static let airKeys: Set<Self> = [
    .requiresPairing, .connectionKind, .storedHistory, .passive, .announcesBeforeMeasurement,
  ]
}

enum OverrideKey: String, RegistryKey {
  case id, kind, name
  case pairingInstructions = "pairing_instructions"
  case instructions
  case readingInstructions = "reading_instructions"
  case imageURL = "image_url"
  case disabled
  static let requiredKeys: Set<Self> = [.id, .kind]
}

enum CredentialKey: String, RegistryKey {
  case name, format, scope, required, exposure
  static let requiredKeys: Set<Self> = [.name, .format, .scope, .required]
}

enum MatchKey: String, RegistryKey {
  case services
  case serviceData = "service_data"
  case companyID = "company_id"
  case namePrefix = "name_prefix"
  case manufacturerPrefix = "manufacturer_prefix"
  case modelPrefix = "model_prefix"
  static let requiredKeys: Set<Self> = []
}

enum ServiceKey: String, RegistryKey {
  case uuid, required, characteristics
  case decodeCode = "decode_code"
  static let requiredKeys: Set<Self> = [.uuid, .required, .characteristics]
}

enum CharacteristicKey: String, RegistryKey {
  case uuid, required
  case decodeCode = "decode_code"
  static let requiredKeys: Set<Self> = [.uuid, .required]
}

enum QuirkKey: String, RegistryKey {
  case reason, match, parameters, ranges
  case modelDecides = "model_decides"
  static let requiredKeys: Set<Self> = [.reason]
}

enum RangeKey: String, RegistryKey {
  case metric, unit, low, high
  static let requiredKeys: Set<Self> = [.metric, .unit]
}

enum QuirkConditionKey: String, RegistryKey {
  case namePrefix = "name_prefix"
  case manufacturerPrefix = "manufacturer_prefix"
  case modelPrefix = "model_prefix"
  static let requiredKeys: Set<Self> = []
}
