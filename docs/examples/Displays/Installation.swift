import Foundation
package import MeterCore
package import MeterDrivers

/// What the examples need beside themselves: the installation that `scripts/build` stages, and a state folder of their own.
package struct Installation: Sendable {
  /// The catalogue.
  package let registry: Registry
  /// Runs drivers, each in a worker.
  package let drivers: DriverHost
  /// Where readings go. One process owns its folder; a second one gets `StoreError` with code `busy`.
  package let store: MeterStore

  /// - Parameters:
  ///   - folder: Such as `.build/meterhost`, or `/usr` where MeterHost is installed.
  ///   - state: The state folder; its parent must exist.
  package init(folder: String, state: String) throws {
    registry = try Registry.load(RegistrySources(base: folder + "/lib/meterhost/registry.json"))
    drivers = DriverHost(
      configuration: DriverHostConfiguration(workerPath: folder + "/libexec/meterhost/meterhost-worker"))
    store = try MeterStore(folder: URL(fileURLWithPath: state))
  }
}

/// Why an example does not go on, in words for a person.
package struct ExampleError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
