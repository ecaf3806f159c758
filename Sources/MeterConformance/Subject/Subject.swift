import DriverContract
import MeterDrivers

/// One driver of a bundle with everything that it is tried with.
struct Subject: Sendable {
  /// What the caller named.
  var target: String
  var bundle: VerifiedBundle
  /// The registry that the driver is read with.
  var registry: Registry
  var entry: DriverEntry
  var meters: [SubjectMeter]
  /// Scripts that were named and fit no entry of this driver.
  var strangers: [String]
  var vectors: [DecodeVector]
  /// Keys and licences by the name in the registry.
  var keys: [String: [UInt8]]
  /// Exports that the driver is to read; none of a driver that reads no exports.
  var exports: [SubjectExport]
  var configuration: DriverHostConfiguration
  /// The entry was made up for a library without a fragment: what it says is no claim of the author.
  var hasMadeUpEntry: Bool
  /// Keeps the files there.
  var staged: StagedBundle?

  /// Why nothing is said about a registry entry that the author did not write.
  static let madeUp = "a library without a registry fragment"

  var id: String { entry.id }
  var peripherals: [Peripheral] { registry.peripherals.filter { $0.driverID == entry.id } }

  /// The code of a parameter that a vector names.
  func parameter(_ name: String) -> UInt16? {
    Quirk.standardParameters.first { $0.name == name }?.code ?? entry.parameters.first { $0.name == name }?.code
  }
}
