import GatewayAPI
import MeterDrivers

extension PackageDescription {
  /// Describes a package.
  init(_ content: PackageContent, file: String) {
    let manifest = content.manifest
    let bytes = content.bytes
    self.init(
      file: file, id: manifest.id, version: "\(manifest.version)", vendor: manifest.vendor, license: manifest.license,
      abi: "\(manifest.abi)", drivers: manifest.drivers,
      platforms: manifest.libraries.keys.map(\.rawValue).sorted(), size: bytes.count,
      sha256: "\(BundleHash(of: bytes))", signers: content.signatures.map { "\($0.key)" })
  }
}

extension PackageChangeDescription {
  /// Describes a change.
  init(_ action: String, _ change: PackageInstaller.Change) {
    self.init(
      action: action, id: change.package.id, version: "\(change.package.version)",
      before: change.before.map { "\($0)" }, previous: change.package.previous.map { "\($0)" },
      publisher: change.publisher?.name, drivers: change.package.drivers, isEnabled: change.package.isEnabled,
      warnings: change.warnings)
  }

  /// Says that an update has left a package as it is.
  init(skipped package: InstalledPackage, _ reason: String) {
    self.init(
      action: "skipped", id: package.id, version: "\(package.version)", drivers: package.drivers,
      isEnabled: package.isEnabled, warnings: [reason])
  }
}
