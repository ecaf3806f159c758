import StrictJSON

/// What the base registry says beside its lists.
struct BaseHead {
  let isDevelopment: Bool
  let abi: ABIVersion
  let families: JSONElement
  let drivers: JSONElement
  let peripherals: JSONElement
}

extension RegistryDecoder {
  /// The version of the format that this host reads (rule R22).
  static let registryVersion = 1

  mutating func base(_ document: JSONDocument, compiled: CompiledABI) throws(RegistryError) -> BaseHead {
    var object = try ObjectReader<BaseKey>(document.root)
    _ = try object.optional(.schema)?.line()
    try checkVersion(object.required(.registryVersion))
    let isDevelopment = try object.required(.development).bool()
    let abi = try abi(object.required(.abi), compiled: compiled)
    try dictionary(object.required(.dictionary))
    let head = BaseHead(
      isDevelopment: isDevelopment, abi: abi, families: try object.required(.families),
      drivers: try object.required(.drivers), peripherals: try object.required(.peripherals))
    try object.finish(&warnings)
    return head
  }

  func checkVersion(_ value: JSONElement) throws(RegistryError) {
    let version: Int = try value.integer(0...Int.max)
    guard version == Self.registryVersion else {
      throw value.error(
        .unknownVersion, "is \(version), and this host reads \(Self.registryVersion)",
        cure: version > Self.registryVersion ? "update the host" : "write the file anew for this host")
    }
  }

  /// Head of the ABI section; struct layouts and constants are covered by the hash and stay undecoded.
  private mutating func abi(_ value: JSONElement, compiled: CompiledABI) throws(RegistryError) -> ABIVersion {
    var object = try ObjectReader<ABIKey>(value)
    let version = ABIVersion(
      major: try object.required(.major).integer(0...UInt16.max),
      minor: try object.required(.minor).integer(0...UInt16.max))
    let place = try object.required(.layoutHash)
    let text = try place.string(limit: 18)
    for key in [ABIKey.functions, .structs, .constants] { _ = try object.required(key) }
    // What the host serves is compiled in: a file cannot widen it.
    _ = object.optional(.history)
    try object.finish(&warnings)
    let cure = "install the registry.json that belongs to this host, or run scripts/generate"
    guard version == compiled.version else {
      throw value.error(
        .abiMismatch, "describes contract \(version), and this host was compiled with \(compiled.version)", cure: cure)
    }
    guard text.hasPrefix("0x"), text.utf8.count == 18, let hash = UInt64(text.dropFirst(2), radix: 16) else {
      throw place.error(.invalidValue, "\"\(shown(text))\" is no layout hash", cure: "run scripts/generate")
    }
    guard hash == compiled.layoutHash else {
      throw place.error(
        .abiMismatch, "is \(shown(text)), and the compiled headers have 0x\(String(compiled.layoutHash, radix: 16))",
        cure: cure)
    }
    return version
  }

  /// Codes and names must be unique, units known: what the rest of the registry refers to.
  private mutating func dictionary(_ value: JSONElement) throws(RegistryError) {
    var object = try ObjectReader<DictionaryKey>(value)
    let units = try list(object.required(.units), 1_024) { (decoder, value) throws(RegistryError) in
      var object = try ObjectReader<UnitKey>(value)
      let code: UInt16 = try object.required(.code).integer(1...0x7fff)
      let name = try object.required(.name).word("_")
      let ucum = try object.required(.ucum).name(limit: 32)
      try object.finish(&decoder.warnings)
      return (code: code, name: name, ucum: ucum)
    }
    try refuseRepeats(units, "unit code", \.code)
    try refuseRepeats(units, "unit name", \.name)
    try refuseRepeats(units, "unit", \.ucum)
    self.units = Set(units.map(\.entry.ucum))
    let metrics = try list(object.required(.metrics), 4_096) { (decoder, value) throws(RegistryError) in
      try decoder.dictionaryMetric(value)
    }
    try object.finish(&warnings)
    try refuseRepeats(metrics, "metric code", \.code)
    try refuseRepeats(metrics, "metric name", \.name)
  }

  private mutating func dictionaryMetric(_ value: JSONElement) throws(RegistryError) -> (code: UInt16, name: String) {
    var object = try ObjectReader<DictionaryMetricKey>(value)
    let code: UInt16 = try object.required(.code).integer(1...0x7fff)
    let name = try object.required(.name).word("_")
    _ = try object.required(.kind).choice(DriverEntry.Metric.Kind.self)
    for unit in try object.required(.units).elements(atMost: 16) {
      var object = try ObjectReader<AllowedUnitKey>(unit)
      let place = try object.required(.ucum)
      guard units.contains(try place.string(limit: 32)) else {
        throw place.error(.unknownReference, "is no unit of the dictionary", cure: "add it to the units first")
      }
      let plausible = try object.required(.plausible)
      let bounds = Array(try plausible.elements(atMost: 2))
      guard bounds.count == 2, try bounds[0].number() <= bounds[1].number() else {
        throw plausible.error(.invalidValue, "is no range", cure: "write [least, greatest]")
      }
      if let codes = object.optional(.loinc) {
        for code in try codes.elements(atMost: 4) { _ = try code.name(limit: 16) }
      }
      try object.finish(&warnings)
    }
    _ = try codes(object.optional(.codes))
    for key in [DictionaryMetricKey.mdc, .inform, .recordType, .recordField] { _ = try object.required(key) }
    try object.finish(&warnings)
    return (code, name)
  }
}
