public import MeterDrivers
import Synchronization

/// The bundles of a registry, verified on first need and then kept: a thousand installed drivers cost nothing.
public final class BundleCatalog: Sendable {
  private let registry: Registry
  private let verified = Mutex<[String: VerifiedBundle]>([:])

  /// The bundles of this registry.
  public init(registry: Registry) { self.registry = registry }

  /// The bundle of a driver, checked and sealed (rule R20).
  ///
  /// - Throws: `RegistryError` when its path leads nowhere or out of the registry's folder, `BundleError` naming the file, the
  ///   rule and the cure when it is refused.
  public func bundle(for driver: DriverEntry) throws -> VerifiedBundle {
    if let known = verified.withLock({ $0[driver.id] }) { return known }
    let bundle = try registry.bundle(of: driver)
    verified.withLock { $0[driver.id] = bundle }
    return bundle
  }
}
