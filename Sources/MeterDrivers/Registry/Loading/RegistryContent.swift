import DriverContract
import StrictJSON

/// The registry while it is put together, file after file. A file is decoded as a whole before it changes anything.
struct RegistryContent {
  private(set) var version = RegistryDecoder.registryVersion
  private(set) var isDevelopment = false
  private(set) var abi = ABIVersion(major: 0, minor: 0)
  private(set) var families: [DriverFamily] = []
  private(set) var drivers: [DriverEntry] = []
  private(set) var peripherals: [Peripheral] = []
  var warnings: [RegistryWarning] = []
  var problems: [RegistryError] = []
  private(set) var refusedDrivers: [String: RegistryError] = [:]

  private let contract: ContractRule
  private var units: Set<String> = []
  /// What is there, and the file that says it.
  private var familyFiles: [String: String] = [:]
  private var driverFiles: [String: String] = [:]
  private var peripheralFiles: [PeripheralKey: String] = [:]
  private var peripheralIndex: [PeripheralKey: Int] = [:]
  private var overriddenBy: [PeripheralKey: String] = [:]
  private var decodedDrivers: [String: DecodedDriver] = [:]
  private var journal = Journal()

  init(base document: JSONDocument, folder: String, compiled: CompiledABI) throws(RegistryError) {
    contract = compiled.rule
    var decoder = RegistryDecoder(folder: folder)
    let head = try decoder.base(document, compiled: compiled)
    isDevelopment = head.isDevelopment
    abi = head.abi
    units = decoder.units
    try add(decoder.lists(families: head.families, drivers: head.drivers, peripherals: head.peripherals), &decoder)
    warnings += decoder.warnings
  }

  /// What a fragment of this registry is decoded with; fragments may be decoded in any order, and on any thread.
  func decoder(folder: String) -> RegistryDecoder {
    var decoder = RegistryDecoder(folder: folder)
    decoder.units = units
    return decoder
  }

  /// Adds a fragment, or throws and leaves everything as it was.
  mutating func add(_ fragment: DecodedFragment) throws(RegistryError) {
    var decoder = fragment.decoder
    journal = Journal(self)
    do throws(RegistryError) {
      try add(fragment.lists, &decoder)
      try apply(overrides: fragment.overrides, &decoder)
    } catch {
      rollBack()
      throw error
    }
    warnings += decoder.warnings.prefix(max(0, RegistryLimits.warnings - warnings.count))
  }

  /// What a fragment has changed so far; a copy of the whole content for each of a thousand fragments would cost more.
  private struct Journal {
    var familyCount = 0
    var driverCount = 0
    var peripheralCount = 0
    var problemCount = 0
    var families: [String] = []
    var drivers: [String] = []
    var peripherals: [PeripheralKey] = []
    var overrides: [(index: Int, before: Peripheral, file: String?)] = []
    var replacements: [(index: Int, before: Peripheral, file: String)] = []

    init() {}

    init(_ content: RegistryContent) {
      familyCount = content.families.count
      driverCount = content.drivers.count
      peripheralCount = content.peripherals.count
      problemCount = content.problems.count
    }
  }

  private mutating func rollBack() {
    for (index, before, file) in journal.overrides.reversed() {
      peripherals[index] = before
      overriddenBy[before.key] = file
    }
    for (index, before, file) in journal.replacements.reversed() {
      peripherals[index] = before
      peripheralFiles[before.key] = file
    }
    for id in journal.families { familyFiles[id] = nil }
    for id in journal.drivers {
      driverFiles[id] = nil
      decodedDrivers[id] = nil
      refusedDrivers[id] = nil
    }
    for key in journal.peripherals {
      peripheralFiles[key] = nil
      peripheralIndex[key] = nil
    }
    families.removeSubrange(journal.familyCount...)
    drivers.removeSubrange(journal.driverCount...)
    peripherals.removeSubrange(journal.peripheralCount...)
    problems.removeSubrange(journal.problemCount...)
  }

  private mutating func add(_ lists: DecodedLists, _ decoder: inout RegistryDecoder) throws(RegistryError) {
    reserve(lists)
    for located in lists.families {
      try Self.claim(located.entry.id, in: &familyFiles, located.place, "family")
      journal.families.append(located.entry.id)
      families.append(located.entry)
    }
    for run in lists.drivers {
      for located in run { try add(located.entry, at: located.place) }
    }
    for run in lists.peripherals {
      for located in run { try add(located.entry, at: located.place, &decoder) }
    }
  }

  /// Makes room for long lists at once. Not for short ones, of which there may be thousands: each would move everything.
  private mutating func reserve(_ lists: DecodedLists) {
    if lists.drivers.count > 1 {
      let count = lists.drivers.count * RegistryLimits.run
      drivers.reserveCapacity(drivers.count + count)
      driverFiles.reserveCapacity(driverFiles.count + count)
      decodedDrivers.reserveCapacity(decodedDrivers.count + count)
    }
    if lists.peripherals.count > 1 {
      let count = lists.peripherals.count * RegistryLimits.run
      peripherals.reserveCapacity(peripherals.count + count)
      peripheralFiles.reserveCapacity(peripheralFiles.count + count)
      peripheralIndex.reserveCapacity(peripheralIndex.count + count)
    }
  }

  private static func claim<ID: Hashable>(
    _ id: ID, in files: inout [ID: String], _ place: JSONElement, _ what: String
  ) throws(RegistryError) {
    if let earlier = files[id] {
      throw place.error(
        .duplicateID, "the \(what) \(shown("\(id)")) already stands in \(earlier)",
        cure: "give it an id of its own, or remove one of them")
    }
    files[id] = place.document.name
  }

  private mutating func add(_ decoded: DecodedDriver, at place: JSONElement) throws(RegistryError) {
    let driver = decoded.entry
    try Self.claim(driver.id, in: &driverFiles, place, "driver")
    journal.drivers.append(driver.id)
    guard familyFiles[driver.familyID] != nil else {
      throw place.error(
        .unknownReference, "names the family \"\(driver.familyID)\", which does not exist",
        cure: "add it to \"families\", or use one of them")
    }
    decodedDrivers[driver.id] = decoded
    if !isDevelopment, let what = driver.fileWithoutHash {
      let error = place.error(
        .missingHash, "\(what) has no \"sha256\"",
        cure: "run scripts/seal-registry, or use a registry marked \"development\" while you build drivers")
      refusedDrivers[driver.id] = error
      problems.append(error)
    } else if !contract.serves(driver.abi) {
      let error = place.error(
        .abiMismatch, "the driver \(driver.id) was made for contract \(driver.abi), and this host has \(abi)",
        cure: "install a bundle that was built for \(abi)")
      refusedDrivers[driver.id] = error
      problems.append(error)
    } else {
      drivers.append(driver)
    }
  }

  private mutating func add(
    _ decoded: DecodedPeripheral, at place: JSONElement, _ decoder: inout RegistryDecoder
  ) throws(RegistryError) {
    let key = decoded.peripheral.key
    let replaced = try indexOfReplaced(by: decoded.peripheral, at: place)
    peripheralFiles[key] = place.document.name
    let driver = try driver(of: decoded)
    let index = replaced ?? peripherals.count
    let quirks = try decoder.quirks(decoded.quirksPlace, own: driver?.entry.parameters ?? [])
    if replaced != nil {
      peripherals[index] = decoded.peripheral
    } else {
      peripheralIndex[key] = index
      peripherals.append(decoded.peripheral)
    }
    peripherals[index].quirks = (driver?.quirks ?? []) + quirks
  }

  private func driver(of decoded: DecodedPeripheral) throws(RegistryError) -> DecodedDriver? {
    let peripheral = decoded.peripheral
    guard let id = peripheral.driverID, let place = decoded.driverPlace else { return nil }
    guard let driver = decodedDrivers[id] else {
      throw place.error(
        .unknownReference, "\"\(id)\" is no driver of this file or of one read before it",
        cure: "add it to \"drivers\", or rename the fragment so that it is read later")
    }
    if peripheral.kind == .ocr, !driver.entry.extensions.contains(.ocr) {
      throw place.error(
        .invalidValue, "\"\(id)\" does not offer \(DriverExtension.ocr.rawValue)",
        cure: "name a driver whose \"extensions\" list it")
    }
    let needed: DriverEntry.Capability = peripheral.connectionKind == .connect ? .connect : .advertisementOnly
    guard driver.entry.capabilities.contains(needed) || peripheral.kind != .bluetooth else {
      throw place.error(
        .invalidValue, "\"\(id)\" does not offer \(needed.rawValue)", cure: "change connection_kind or the driver")
    }
    return driver
  }

  /// The entry whose place a new one takes: an entry without a driver waits for its maker's, which comes in a fragment. Nil
  /// for a new id; every other entry keeps its id for itself.
  private mutating func indexOfReplaced(
    by peripheral: Peripheral, at place: JSONElement
  ) throws(RegistryError) -> Int? {
    guard let earlier = peripheralFiles[peripheral.key], let index = peripheralIndex[peripheral.key] else {
      journal.peripherals.append(peripheral.key)
      return nil
    }
    let waiting = peripherals[index]
    guard waiting.driverID == nil, !waiting.isGeneric, peripheral.driverID != nil, peripheral.type == waiting.type,
      earlier != place.document.name
    else {
      throw place.error(
        .duplicateID, "the peripheral \(peripheral.key) already stands in \(earlier)",
        cure:
          "give it an id of its own, or remove one of them; texts of generic entries go into \"overrides\", and an entry "
          + "without a driver gives its place to one with a driver and its type")
    }
    journal.replacements.append((index, waiting, earlier))
    return index
  }

  // MARK: - Overrides

  private mutating func apply(overrides: JSONElement?, _ decoder: inout RegistryDecoder) throws(RegistryError) {
    guard let overrides else { return }
    for value in try overrides.elements() {
      var object = try ObjectReader<OverrideKey>(value)
      let id: UInt32 = try object.required(.id).integer(1...999_999_999)
      let key = PeripheralKey(kind: try object.required(.kind).choice(PeripheralKind.self), id: id)
      guard let index = peripheralIndex[key] else {
        throw value.error(.unknownReference, "there is no peripheral \(key)", cure: "correct the id or the kind")
      }
      guard peripherals[index].isGeneric else {
        throw value.error(
          .forbiddenOverride, "\(key) is not generic",
          cure: "overrides are for generic entries; add an entry of your own")
      }
      journal.overrides.append((index, peripherals[index], overriddenBy[key]))
      try override(index, &object, in: decoder.folder)
      try refuseForbidden(in: value)
      try object.finish(&decoder.warnings)
      if let earlier = overriddenBy.updateValue(value.document.name, forKey: key) {
        decoder.warnings.append(value.warning("\(key) is overridden by \(earlier) too; this file, read later, wins"))
      }
    }
  }

  private mutating func override(
    _ index: Int, _ object: inout ObjectReader<OverrideKey>, in folder: String
  ) throws(RegistryError) {
    if let name = try object.optional(.name)?.name() { peripherals[index].name = name }
    if let text = try object.optional(.pairingInstructions)?.text() { peripherals[index].pairingInstructions = text }
    if let text = try object.optional(.instructions)?.text() { peripherals[index].instructions = text }
    if let text = try object.optional(.readingInstructions)?.text() { peripherals[index].readingInstructions = text }
    if let url = try object.optional(.imageURL)?.imageURL() {
      peripherals[index].imageURL = url
      peripherals[index].imageFolder = folder
    }
    if let isDisabled = try object.optional(.disabled)?.bool() { peripherals[index].isDisabled = isDisabled }
  }

  /// A key that peripherals have and overrides may not change is refused, not ignored: its author expects an effect.
  private func refuseForbidden(in value: JSONElement) throws(RegistryError) {
    for (key, _) in try value.members(atMost: .max) {
      let name = key.anyText
      if PeripheralEntryKey(rawValue: name) != nil, OverrideKey(rawValue: name) == nil {
        throw key.error(
          .forbiddenOverride, "\"\(name)\" of a generic entry cannot be changed",
          cure: "overrides change texts, image_url and disabled; add an entry of your own for more")
      }
    }
  }
}
