import BluetoothWire
public import MeterBluetooth
public import MeterCore
public import MeterDrivers
import Foundation

/// One gateway: its catalogue, its drivers and its state, put together from its locations.
public struct Gateway: Sendable {
  /// Where everything is.
  public let locations: GatewayLocations
  /// The catalogue and the drivers.
  public let registry: Registry
  /// The drivers' bundles, verified on first need.
  public let bundles: BundleCatalog
  /// Runs drivers in workers or in this process.
  public let drivers: DriverHost

  /// Loads the registry. No driver is opened and the state folder is not touched.
  ///
  /// - Throws: ``GatewayError`` with code `registry` when the registry cannot be used.
  public init(locations: GatewayLocations, isolation: DriverHostConfiguration.Isolation = .worker) throws(GatewayError)
  {
    self.locations = locations
    do {
      registry = try Registry.load(RegistrySources(base: locations.registry, fragments: locations.fragments))
    } catch {
      throw GatewayError(
        .unavailable, code: error.code.rawValue, error.message,
        hint: "name the registry with --registry or METERHOST_REGISTRY; scripts/build puts one beside the program",
        cause: error)
    }
    bundles = BundleCatalog(registry: registry)
    drivers = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: locations.worker))
  }

  /// Entries of the catalogue that pass a filter, by id.
  public func peripherals(_ filter: CatalogueFilter = CatalogueFilter()) -> [Peripheral] {
    registry.peripherals.filter(filter.admits)
  }

  /// One entry of the catalogue.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`.
  public func peripheral(_ id: UInt32) throws(GatewayError) -> PeripheralDescription {
    guard let found = registry.peripheral(id: id) else {
      throw GatewayError(
        .usage, code: "unknown_peripheral", "there is no Bluetooth peripheral \(id)",
        hint: "`meterhost peripherals list` shows what there is")
    }
    return PeripheralDescription(found)
  }

  /// The drivers of the registry, by id.
  public func driverList() -> [InstalledDriver] {
    registry.drivers.map { InstalledDriver($0, in: registry) }.sorted { $0.id < $1.id }
  }

  /// One driver of the registry.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  public func driver(_ id: String) throws(GatewayError) -> DriverEntry {
    guard let found = registry.driver(id: id) else {
      throw GatewayError(
        .usage, code: "unknown_driver", "there is no driver \(id)", hint: "`meterhost driver list` shows what there is")
    }
    return found
  }

  /// Checks a driver's bundle as loading it would (rule R20); `target` is a driver's id or a file.
  public func verify(_ target: String) -> BundleReport {
    let entry = registry.driver(id: target)
    var file = target
    guard entry != nil || target.contains("/") || FileManager.default.fileExists(atPath: target) else {
      return BundleReport(
        file: file, driver: nil, passed: false, sha256: nil, code: "unknown_target",
        message: "\(target) is neither a driver of the registry nor a file; `meterhost driver list` shows the drivers")
    }
    do {
      if let entry { file = try registry.libraryPath(of: entry) }
      let bundle = try BundleVerifier.verify(
        path: file, expectedHash: entry?.sha256,
        rules: BundleRules(allowsMissingHash: entry == nil || registry.isDevelopment))
      return BundleReport(
        file: file, driver: entry?.id, passed: true, sha256: "\(bundle.hash)", code: nil, message: nil)
    } catch let error as BundleError {
      return BundleReport(
        file: file, driver: entry?.id, passed: false, sha256: nil, code: error.code.rawValue, message: error.description
      )
    } catch {
      return BundleReport(
        file: file, driver: entry?.id, passed: false, sha256: nil, code: "registry", message: "\(error)")
    }
  }

  /// Decodes captured values with the installed drivers.
  public var decoder: DriverDecoder { DriverDecoder(registry: registry, bundles: bundles, drivers: drivers) }

  /// Opens the state folder and makes it where it is missing; this process owns it until the store goes.
  ///
  /// - Throws: `StoreError`: `busy` names the process that owns it.
  public func openStore() throws(StoreError) -> MeterStore {
    let folder = URL(fileURLWithPath: locations.state)
    // A new user has no ~/.local/state yet; where a parent cannot be made, the store says so.
    try? FileManager.default.createDirectory(
      at: folder.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let store = try MeterStore(folder: folder)
    if !LogEnvironment.isSet, let settings = try store.logSettings() { LogSwitch.shared.settings = settings }
    try Self.tend(store)
    return store
  }

  /// Does what a store needs from time to time and only a right date allows: readings get their time (C16), and names
  /// that no meter can bring again are forgotten, once a month.
  ///
  /// - Parameter clock: Whether the date is right. With one that is years ahead, what meters still hold would be forgotten.
  /// - Throws: `StoreError`.
  public static func tend(_ store: MeterStore, clock: HostClockTrust = .kernel) throws(StoreError) {
    guard clock.isSynchronized else { return }
    try store.correctTimes()
    try store.forgetOldNames(nowMicroseconds: MeterStore.wallClockMicroseconds)
  }

  /// A controller for interactive reads on a radio.
  public func controller(store: MeterStore, radio: any Radio) -> PeripheralController {
    PeripheralController(registry: registry, bundles: bundles, drivers: drivers, store: store, radio: radio)
  }
}
