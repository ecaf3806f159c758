/// The catalogue of meters and drivers: `registry.json` with the fragments of a drop-in folder.
///
/// Loading reads text only. No driver is opened, and a fragment that is broken is left out with its reason in
/// ``problems`` while everything else goes on.
public struct Registry: Sendable {
  /// `registry_version`.
  public let version: Int
  /// True when bundles without a hash are accepted: for building drivers, never for patients (rule R20).
  public let isDevelopment: Bool
  /// The contract that the registry describes.
  package let abi: ABIVersion
  /// Every family, in the order of the files.
  public let families: [DriverFamily]
  /// Every driver that may be used, in the order of the files.
  public let drivers: [DriverEntry]
  /// Every catalogue entry, the disabled ones too, with all overrides in effect; by kind and id.
  public let peripherals: [Peripheral]
  /// What the loader noticed and could live with.
  public let warnings: [RegistryWarning]
  /// Fragments and drivers that were left out, and why.
  public let problems: [RegistryError]

  /// The file that fragments add to; what it says belongs to the installation itself.
  let base: String
  /// The drop-in folder; nil: there is none.
  let fragments: String?
  /// Whom the operator trusts.
  let trust: TrustState
  /// Drivers that were left out, by id.
  let refusedDrivers: [String: RegistryError]
  private let driverIndex: [String: Int]
  private let peripheralIndex: [PeripheralKey: Int]

  init(
    _ content: RegistryContent, base: String = "registry.json", fragments: String? = nil,
    trust: TrustState = .list(TrustList())
  ) {
    self.base = base
    self.fragments = fragments
    self.trust = trust
    version = content.version
    isDevelopment = content.isDevelopment
    abi = content.abi
    families = content.families
    drivers = content.drivers
    let isSorted = zip(content.peripherals, content.peripherals.dropFirst()).allSatisfy { $0.key < $1.key }
    peripherals = isSorted ? content.peripherals : content.peripherals.sorted { $0.key < $1.key }
    warnings = content.warnings
    problems = content.problems
    refusedDrivers = content.refusedDrivers
    driverIndex = Dictionary(
      drivers.indices.lazy.map { [drivers] in (drivers[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
    peripheralIndex = Dictionary(
      peripherals.indices.lazy.map { [peripherals] in (peripherals[$0].key, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The catalogue entry with this number, disabled ones too.
  public func peripheral(id: UInt32, kind: PeripheralKind = .bluetooth) -> Peripheral? {
    index(of: PeripheralKey(kind: kind, id: id)).map { peripherals[$0] }
  }

  /// The entry's place in ``peripherals``.
  func index(of key: PeripheralKey) -> Int? { peripheralIndex[key] }

  /// The driver with this id; nil also for one that was left out.
  public func driver(id: String) -> DriverEntry? {
    driverIndex[id].map { drivers[$0] }
  }

  package func family(id: String) -> DriverFamily? {
    families.first { $0.id == id }
  }
}
