import DriverContract
import StrictJSON

/// A decoded entry and where it stands, for the checks that need the other entries.
struct Located<Entry: Sendable>: Sendable {
  var entry: Entry
  let place: JSONElement
}

/// A driver with what its peripherals inherit. A reference: entries are large, and loading hands them on often.
final class DecodedDriver: Sendable {
  let entry: DriverEntry
  let quirks: [Quirk]

  init(entry: DriverEntry, quirks: [Quirk]) {
    self.entry = entry
    self.quirks = quirks
  }
}

/// Turns JSON values into entries. One decoder a file: it collects that file's warnings.
struct RegistryDecoder {
  /// The folder of the file, for paths.
  let folder: String
  /// UCUM units of the dictionary.
  var units: Set<String> = []
  var warnings: [RegistryWarning] = []

  init(folder: String) {
    self.folder = folder
  }

  /// A decoder for other elements of the same file.
  var withoutWarnings: RegistryDecoder {
    var decoder = self
    decoder.warnings = []
    return decoder
  }

  mutating func family(_ value: JSONElement) throws(RegistryError) -> DriverFamily {
    var object = try ObjectReader<FamilyKey>(value)
    let family = DriverFamily(id: try object.required(.id).word("-"), name: try object.required(.name).name())
    try object.finish(&warnings)
    return family
  }

  mutating func driver(_ value: JSONElement) throws(RegistryError) -> DecodedDriver {
    var object = try ObjectReader<DriverKey>(value)
    let id = try object.required(.id).driverID()
    let version = try object.required(.version).version()
    let vendor = try object.required(.vendor).name()
    let license = try object.required(.license).name()
    let family = try object.required(.family).word("-")
    let library = try object.required(.library).relativePath()
    let sha256 = try object.optional(.sha256)?.sha256()
    let signatures = try list(object.optional(.signatures), RegistryLimits.signatures) {
      (decoder, value) throws(RegistryError) in try decoder.signature(value)
    }
    let assets = try list(object.optional(.assets), RegistryLimits.assets) {
      (decoder, value) throws(RegistryError) in try decoder.asset(value)
    }
    try refuseRepeats(assets, "asset", \.name)
    let abi = try driverABI(object.required(.abi))
    let extensions = try extensions(object.optional(.extensions))
    let capabilities = try capabilities(object.required(.capabilities), mayBeEmpty: !extensions.isEmpty)
    let limits = try object.optional(.limits).map { value throws(RegistryError) in try self.limits(value) }
    let metrics = try list(object.optional(.metrics), RegistryLimits.ownCodes) {
      (decoder, value) throws(RegistryError) in
      try decoder.metric(value)
    }
    let parameters = try list(object.optional(.parameters), RegistryLimits.ownCodes) {
      (decoder, value) throws(RegistryError) in try decoder.parameter(value)
    }
    try refuseRepeats(metrics, "metric code", \.code)
    try refuseRepeats(metrics, "metric name", \.name)
    try refuseRepeats(parameters, "parameter code", \.code)
    try refuseRepeats(parameters, "parameter name", \.name)
    let quirks = try quirks(object.optional(.quirks), own: parameters.map(\.entry))
    let functions = try list(object.optional(.functions), RegistryLimits.ownCodes) {
      (decoder, value) throws(RegistryError) in try decoder.function(value)
    }
    try refuseRepeats(functions, "function", \.name)
    try object.finish(&warnings)
    let entry = DriverEntry(
      id: id, version: version, vendor: vendor, license: license, familyID: family, library: library, folder: folder,
      file: value.document.name, sha256: sha256, signatures: signatures.map(\.entry),
      assets: assets.map(\.entry), abi: abi, capabilities: capabilities, extensions: extensions,
      limits: limits ?? .greatest,
      metrics: metrics.map(\.entry),
      parameters: parameters.map(\.entry), functions: functions.map(\.entry))
    return DecodedDriver(entry: entry, quirks: quirks)
  }

  private mutating func signature(_ value: JSONElement) throws(RegistryError) -> DriverSignature {
    var object = try ObjectReader<DriverSignatureKey>(value)
    let signature = DriverSignature(
      key: try object.required(.key).publisherKey(), value: try object.required(.value).signatureValue())
    try object.finish(&warnings)
    return signature
  }

  private mutating func asset(_ value: JSONElement) throws(RegistryError) -> DriverEntry.Asset {
    var object = try ObjectReader<DriverAssetKey>(value)
    let asset = DriverEntry.Asset(
      name: try object.required(.name).name(limit: RegistryLimits.pattern),
      file: try object.required(.file).relativePath(), sha256: try object.optional(.sha256)?.sha256())
    try object.finish(&warnings)
    return asset
  }

  private mutating func driverABI(_ value: JSONElement) throws(RegistryError) -> ABIVersion {
    var object = try ObjectReader<DriverABIKey>(value)
    let version = ABIVersion(
      major: try object.required(.major).integer(0...UInt16.max),
      minor: try object.required(.minor).integer(0...UInt16.max))
    try object.finish(&warnings)
    return version
  }

  private func capabilities(_ value: JSONElement, mayBeEmpty: Bool) throws(RegistryError) -> Set<DriverEntry.Capability>
  {
    var capabilities: Set<DriverEntry.Capability> = []
    for element in try value.elements(atMost: DriverEntry.Capability.allCases.count) {
      capabilities.insert(try element.choice(DriverEntry.Capability.self))
    }
    guard !capabilities.isEmpty || mayBeEmpty else {
      throw value.error(.invalidValue, "is empty", cure: "say what the driver can do, such as connect")
    }
    return capabilities
  }

  private func extensions(_ value: JSONElement?) throws(RegistryError) -> Set<DriverExtension> {
    guard let value else { return [] }
    var extensions: Set<DriverExtension> = []
    for element in try value.elements(atMost: DriverExtension.allCases.count) {
      extensions.insert(try element.choice(DriverExtension.self))
    }
    return extensions
  }

  private mutating func limits(_ value: JSONElement) throws(RegistryError) -> DriverEntry.Limits {
    var object = try ObjectReader<LimitKey>(value)
    let greatest = DriverEntry.Limits.greatest
    func limit(_ value: JSONElement?, _ greatest: UInt32) throws(RegistryError) -> UInt32 {
      try value?.integer(1...greatest) ?? greatest
    }
    let limits = DriverEntry.Limits(
      eventCPUMilliseconds: try limit(object.optional(.eventCPU), greatest.eventCPUMilliseconds),
      eventWallMilliseconds: try limit(object.optional(.eventWall), greatest.eventWallMilliseconds),
      memoryMebibytes: try limit(object.optional(.memory), greatest.memoryMebibytes),
      recordsPerEvent: try limit(object.optional(.records), greatest.recordsPerEvent))
    try object.finish(&warnings)
    return limits
  }

  private mutating func metric(_ value: JSONElement) throws(RegistryError) -> DriverEntry.Metric {
    var object = try ObjectReader<MetricKey>(value)
    let code: UInt16 = try object.required(.code).integer(0x8000...UInt16.max)
    let name = try object.required(.name).word("_", limit: 64)
    let kind = try object.required(.kind).choice(DriverEntry.Metric.Kind.self)
    var units: [String] = []
    if let list = object.optional(.units) {
      for unit in try list.elements(atMost: 16) { units.append(try knownUnit(unit)) }
    }
    if kind == .quantity, units.isEmpty {
      throw value.error(.missingKey, "a quantity has no unit", cure: "add \"units\" with UCUM units of the dictionary")
    }
    let codes = try codes(object.optional(.codes))
    try object.finish(&warnings)
    return DriverEntry.Metric(code: code, name: name, kind: kind, units: units, codes: codes)
  }

  func knownUnit(_ value: JSONElement) throws(RegistryError) -> String {
    let ucum = try value.string(limit: 32)
    guard units.contains(ucum) else {
      throw value.error(
        .unknownReference, "\"\(shown(ucum))\" is no unit of the dictionary", cure: "use a UCUM unit listed there")
    }
    return ucum
  }

  func codes(_ value: JSONElement?) throws(RegistryError) -> [Int: String] {
    guard let value else { return [:] }
    let members = try value.members(atMost: RegistryLimits.ownCodes)
    var codes = [Int: String](minimumCapacity: members.count)
    for (key, text) in members {
      let numeral = key.anyText
      guard let code = Int(numeral), String(code) == numeral else {
        throw key.error(.invalidValue, "is no whole number", cure: "write the code as decimal digits in quotes")
      }
      codes[code] = try text.name()
    }
    return codes
  }

  private mutating func parameter(_ value: JSONElement) throws(RegistryError) -> DriverEntry.Parameter {
    var object = try ObjectReader<ParameterKey>(value)
    let parameter = DriverEntry.Parameter(
      code: try object.required(.code).integer(0x8000...UInt16.max),
      name: try object.required(.name).word("_", limit: 64),
      kind: try object.required(.kind).choice(DriverEntry.Parameter.Kind.self),
      summary: try object.required(.summary).text())
    try object.finish(&warnings)
    if Quirk.standardParameters.contains(where: { $0.name == parameter.name }) {
      throw value.error(
        .duplicateID, "\"\(parameter.name)\" is a parameter of the contract", cure: "give it another name")
    }
    return parameter
  }

  // MARK: - Lists

  /// Decodes every element of an array that may be absent.
  mutating func list<Entry: Sendable>(
    _ value: JSONElement?, _ limit: Int,
    _ decode: (inout RegistryDecoder, JSONElement) throws(RegistryError) -> Entry
  ) throws(RegistryError) -> [Located<Entry>] {
    guard let value else { return [] }
    var entries: [Located<Entry>] = []
    entries.reserveCapacity(value.count)
    for element in try value.elements(atMost: limit) {
      entries.append(Located(entry: try decode(&self, element), place: element))
    }
    return entries
  }

  /// The same for an array of any length, in runs on several threads: entries, warnings and the error are those of a walk
  /// from the first element to the last.
  mutating func runs<Entry: Sendable>(
    _ value: JSONElement?, _ decode: @Sendable (inout RegistryDecoder, JSONElement) throws(RegistryError) -> Entry
  ) throws(RegistryError) -> [[Located<Entry>]] {
    guard let value, value.count > RegistryLimits.run else { return [try list(value, RegistryLimits.entries, decode)] }
    let runs = try value.runs(of: RegistryLimits.run, atMost: RegistryLimits.entries)
    let template = withoutWarnings
    let results = concurrentMap(runs.count) { index in
      var decoder = template
      return Result { () throws(RegistryError) in
        var entries: [Located<Entry>] = []
        entries.reserveCapacity(RegistryLimits.run)
        for place in runs[index] { entries.append(Located(entry: try decode(&decoder, place), place: place)) }
        return (entries, decoder.warnings)
      }
    }
    var decoded: [[Located<Entry>]] = []
    for result in results {
      let (entries, found) = try result.get()
      decoded.append(entries)
      warnings += found.prefix(max(0, RegistryLimits.warnings - warnings.count))
    }
    return decoded
  }

  /// Throws at the second of two entries that have the same number or name.
  func refuseRepeats<Entry, ID: Hashable>(
    _ entries: [Located<Entry>], _ what: String, _ id: (Entry) -> ID
  ) throws(RegistryError) {
    guard entries.count > 1 else { return }
    let ids = entries.map { id($0.entry) }
    var seen: Set<ID> = []
    for (index, id) in ids.enumerated() {
      // For the few entries that there mostly are, a look at each is faster than a set.
      let isRepeated = ids.count <= 16 ? ids[..<index].contains(id) : !seen.insert(id).inserted
      guard isRepeated else { continue }
      throw entries[index].place.error(
        .duplicateID, "the \(what) \(shown("\(id)")) stands twice", cure: "remove one of them, or give it another")
    }
  }
}
