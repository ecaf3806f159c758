public import GatewayAPI
import BluetoothWire
public import MeterBluetooth
public import MeterCore
public import MeterDrivers
import Foundation
import Logging

/// One gateway: its catalogue, its drivers and its state, put together from its locations.
public struct Gateway: Sendable {
  /// Where everything is.
  public let locations: GatewayLocations
  /// The catalogue and the drivers.
  public let registry: Registry
  /// What the registry's files looked like before they were read: whatever changes later is a change.
  let stamp: RegistryStamp
  /// The drivers' bundles, verified on first need.
  public let bundles: BundleCatalog
  /// Runs drivers in workers or in this process.
  public private(set) var drivers: DriverHost

  /// Loads the registry. No driver is opened and the state folder is not touched.
  ///
  /// - Parameter spares: How many workers are kept waiting for the next session.
  /// - Throws: ``GatewayError`` with code `registry` when the registry cannot be used.
  public init(
    locations: GatewayLocations, isolation: DriverHostConfiguration.Isolation = .worker, spares: Int = 0
  ) throws(GatewayError) {
    self.locations = locations
    stamp = RegistryStamp(locations.registrySources)
    do {
      registry = try Registry.load(locations.registrySources)
    } catch {
      throw GatewayError(
        error,
        hint: "name the registry with --registry or METERHOST_REGISTRY; scripts/build puts one beside the program")
    }
    bundles = BundleCatalog(registry: registry)
    drivers = DriverHost(
      configuration: DriverHostConfiguration(isolation: isolation, workerPath: locations.worker, spares: spares))
  }

  /// Gives each worker from now on a control group of its own, where this process has one that was delegated to it; the process moves into
  /// a leaf of that group. Only for a program that is the gateway and nothing else, and before its first worker starts.
  package func groupWorkers() {
    guard drivers.configuration.isolation == .worker else { return }
    let logger = LogArea.drivers.logger
    do throws(WorkerGroups.Refusal) {
      drivers.group(by: try WorkerGroups { logger.warning("\($0)") })
      logger.info("each worker gets a control group of its own")
    } catch {
      logger.log(
        level: error.isFault ? .warning : .info, "workers get no control groups, only their other limits: \(error)")
    }
  }

  /// Starts the workers that are kept waiting. Returns at once.
  public func prepareWorkers() { drivers.prepare() }

  /// The same gateway with the registry as it is now; its drivers go on where they run.
  ///
  /// - Throws: ``GatewayError`` as the first loading does.
  func reloaded() throws(GatewayError) -> Gateway {
    var fresh = try Gateway(locations: locations, isolation: drivers.configuration.isolation)
    fresh.drivers = drivers
    return fresh
  }

  /// Entries of the catalogue that pass a filter, by id.
  public func peripherals(_ filter: CatalogueFilter = CatalogueFilter()) -> [Peripheral] {
    registry.peripherals.filter(filter.admits)
  }

  /// One entry of the catalogue.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_peripheral`.
  public func peripheral(
    _ id: UInt32, kind: PeripheralKind = .bluetooth
  ) throws(GatewayError) -> PeripheralDescription {
    guard let found = registry.peripheral(id: id, kind: kind) else {
      throw kind == .ocr ? .unknownDisplay(id, in: registry) : .unknownPeripheral(id, in: registry)
    }
    return PeripheralDescription(found)
  }

  /// The drivers of the registry, and those of packages that are disabled, by id.
  ///
  /// - Throws: ``GatewayError``: the folder of packages cannot be read.
  public func driverList() throws(GatewayError) -> [InstalledDriver] {
    let packages = try self.packages()
    var listed = registry.drivers.map { InstalledDriver($0, in: registry, packages: packages) }
    let disabled = packages.filter { !$0.isEnabled }
    if !disabled.isEmpty, let all = try? Registry.loadWithDisabledPackages(locations.registrySources) {
      let ids = disabled.flatMap(\.drivers).filter { registry.driver(id: $0) == nil }
      listed += ids.compactMap { all.driver(id: $0) }.map { InstalledDriver($0, in: all, packages: packages) }
    }
    return listed.sorted { $0.id < $1.id }
  }

  /// The packages that are installed in the drop-in folder.
  ///
  /// - Throws: ``GatewayError``: the folder of packages cannot be read.
  public func packages() throws(GatewayError) -> [InstalledPackage] {
    do { return try PackageInstaller.packages(in: locations.registrySources) } catch { throw GatewayError(error) }
  }

  /// One driver of the registry.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  public func driver(_ id: String) throws(GatewayError) -> DriverEntry {
    guard let found = registry.driver(id: id) else { throw unknown(id) }
    return found
  }

  /// One driver of ``driverList()``.
  ///
  /// - Throws: ``GatewayError`` with code `unknown_driver`.
  public func installedDriver(_ id: String) throws(GatewayError) -> InstalledDriver {
    guard let found = try driverList().first(where: { $0.id == id }) else { throw unknown(id) }
    return found
  }

  private func unknown(_ id: String) -> GatewayError {
    let words = registry.disabledPackage(withDriver: id).map { Registry.isDisabled("the driver \(id)", package: $0) }
    return GatewayError(
      .usage, code: "unknown_driver", words ?? "there is no driver \(id)",
      hint: "`meterhost driver list` shows what there is")
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
      let bundle =
        try entry.map(registry.bundle)
        ?? BundleVerifier.verify(path: file, expectedHash: nil, rules: BundleRules(allowsMissingHash: true))
      var report = BundleReport(
        file: file, driver: entry?.id, passed: true, sha256: "\(bundle.hash)", code: nil, message: nil)
      // Loading takes it all the same.
      if let finding = try bundle.forbiddenImports() {
        report.passed = false
        report.code = finding.code.rawValue
        report.message = finding.description
      }
      return report
    } catch let error as BundleError {
      return BundleReport(
        file: file, driver: entry?.id, passed: false, sha256: nil, code: error.code.rawValue, message: error.description
      )
    } catch {
      return BundleReport(
        file: file, driver: entry?.id, passed: false, sha256: nil, code: "registry", message: "\(error)")
    }
  }

  /// Opens the state folder and makes it where it is missing; this process owns it until the store goes.
  ///
  /// - Parameter toLook: Nothing will be changed: a folder on a file system that is mounted read-only is opened, too.
  /// - Throws: `StoreError`: `busy` names the process that owns it.
  public func openStore(toLook: Bool = false) throws(StoreError) -> MeterStore {
    let folder = URL(fileURLWithPath: locations.state)
    // A new user has no ~/.local/state yet; where a parent cannot be made, the store says so.
    try? FileManager.default.createDirectory(
      at: folder.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let store =
      try toLook ? MeterStore.look(at: folder, sinkKinds: .gateway) : MeterStore(folder: folder, sinkKinds: .gateway)
    if !LogEnvironment.isSet, let settings = try store.logSettings() { LogSwitch.shared.settings = settings }
    if !store.isReadOnly { try Self.tend(store) }
    return store
  }

  /// Does what a store needs from time to time: recordings that are too many or too large go. With a right date those that
  /// are too old go, too, as do contents of delivered readings that have stayed long enough, readings get their time, and names that no meter can bring again are forgotten, once a month.
  ///
  /// - Parameters:
  ///   - clock: Whether the date is right. With one that is years ahead, what meters still hold would be forgotten.
  ///   - withRecordings: Look at the recordings and at delivered contents, too: each recording's file is read.
  /// - Throws: `StoreError`.
  public static func tend(
    _ store: MeterStore, clock: HostClockTrust = .kernel, withRecordings: Bool = true
  ) throws(StoreError) {
    let now = MeterStore.wallClockMicroseconds
    let knowsDate = HostClockReading(utcMicroseconds: now, isSynchronized: clock.isSynchronized).knowsDate
    if withRecordings { RecordingWriter(store: store).tend(now: knowsDate ? now : nil) }
    guard knowsDate else { return }
    if withRecordings {
      try store.forgetKept(nowMicroseconds: now)
      store.removeKeptFiles(nowMicroseconds: now)
    }
    try store.correctTimes()
    try store.forgetOldNames(nowMicroseconds: now)
  }

  /// A controller for interactive reads on a radio.
  public func controller(store: MeterStore, radio: any Radio) -> PeripheralController {
    controller(store: store, traffic: AirTraffic(radio))
  }

  /// A controller for interactive reads on the radios of a host, which others use as well.
  public func controller(store: MeterStore, traffic: AirTraffic) -> PeripheralController {
    PeripheralController(registry: registry, bundles: bundles, drivers: drivers, store: store, traffic: traffic)
  }
}
