import Foundation
import MeterBluetooth
import MeterDrivers
import TestSupport

/// The repository's registry with the bundles that were built, laid out as in an installation.
final class StagedRegistry: Sendable {
  let registry: Registry
  let bundles: BundleCatalog
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - drivers: The bundles that are installed.
  ///   - others: Bundles that the build does not make.
  ///   - change: Changes the registry's text before it is loaded.
  init(drivers: [String] = BuildProducts.registeredBundles, others: [URL] = [], change: (String) -> String = { $0 })
    throws
  {
    folder = try TemporaryFolder()
    let base = folder.url.appending(path: "registry.json")
    let text = try String(contentsOf: CompiledBundle.root.appending(path: "registry.json"), encoding: .utf8)
    try change(text).write(to: base, atomically: true, encoding: .utf8)
    let installed = folder.url.appending(path: "drivers")
    try FileManager.default.createDirectory(at: installed, withIntermediateDirectories: true)
    for source in drivers.map(BuildProducts.bundle) + others {
      try FileManager.default.copyItem(at: source, to: installed.appending(path: source.lastPathComponent))
    }
    registry = try Registry.load(RegistrySources(base: base.path))
    bundles = BundleCatalog(registry: registry)
  }

  /// One for all tests that change nothing.
  static let shared = Result { try StagedRegistry() }
}
