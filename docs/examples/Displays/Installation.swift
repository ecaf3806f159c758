import Foundation
public import MeterCore
public import MeterDrivers

/// What the examples need beside themselves: the installation that `scripts/build` stages, and a state folder of their own.
public struct Installation: Sendable {
  /// The catalogue.
  public let registry: Registry
  /// Runs drivers, each in a worker.
  public let drivers: DriverHost
  /// Where readings go. One process owns its folder; a second one gets `StoreError` with code `busy`.
  public let store: MeterStore

  /// - Parameters:
  ///   - folder: Such as `.build/meterhost`, or `/usr` where MeterHost is installed.
  ///   - state: The state folder; its parent must exist.
  public init(folder: String, state: String) throws {
    registry = try Registry.load(RegistrySources(base: folder + "/lib/meterhost/registry.json"))
    drivers = DriverHost(
      configuration: DriverHostConfiguration(workerPath: folder + "/libexec/meterhost/meterhost-worker"))
    store = try MeterStore(folder: URL(fileURLWithPath: state))
  }
}

/// Why an example does not go on, in words for a person.
public struct ExampleError: Error, CustomStringConvertible {
  /// What is wrong, for people.
  public let description: String

  /// An error that says what is wrong.
  public init(_ description: String) { self.description = description }
}
