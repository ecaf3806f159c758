package import GatewayAPI
package import MeterDrivers

extension InstalledDriver {
  /// Describes a driver of a registry.
  package init(_ driver: DriverEntry, in registry: Registry, packages: [InstalledPackage] = []) {
    // Another fragment may have a driver of the same id while the package is disabled.
    let own = packages.first { $0.drivers.contains(driver.id) && driver.file.hasSuffix("/\($0.fragmentName)") }
    self.init(
      id: driver.id, version: "\(driver.version)", vendor: driver.vendor, license: driver.license,
      family: driver.familyID, library: driver.library, sha256: driver.sha256?.description, abi: "\(driver.abi)",
      capabilities: driver.capabilities.map(\.rawValue).sorted(),
      peripherals: registry.peripherals.filter { $0.driverID == driver.id }.map(\.id), file: driver.file,
      package: own?.id, previous: own?.previous.map { "\($0)" }, publisher: registry.publisher(of: driver)?.name,
      signedBy: driver.signatures.map { "\($0.key)" }, isEnabled: own?.isEnabled ?? true,
      note: own?.note)
  }
}
