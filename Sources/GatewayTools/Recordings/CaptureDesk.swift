package import GatewayAPI
package import GatewayEngine
package import BluetoothWire
import DriverContract
import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers

/// Makes recordings of Bluetooth captures.
package struct CaptureDesk: Sendable {
  private let gateway: Gateway

  /// A desk of this gateway.
  package init(gateway: Gateway) { self.gateway = gateway }

  /// Imports a capture.
  ///
  /// - Parameters:
  ///   - path: A btsnoop file.
  ///   - peripheral: The meter's number in the registry.
  ///   - address: The meter's address; nil when the capture holds one meter only.
  ///   - output: A file to write, encrypted to the support key; nil: among the gateway's recordings.
  ///   - supportKey: A file with a public support key; nil takes the one that is set.
  /// - Throws: ``GatewayError``, `CaptureError`, `RecordingError`, `StoreError`.
  package func importing(
    _ path: String, peripheral: UInt32, address: BluetoothAddress?, output: String?, supportKey: String?
  ) throws -> ImportDescription {
    guard let entry = gateway.registry.peripheral(id: peripheral) else {
      throw GatewayError.unknownPeripheral(peripheral, in: gateway.registry)
    }
    guard let id = entry.driverID, let driver = gateway.registry.driver(id: id) else {
      throw GatewayError(
        .unavailable, code: "driver_unavailable", "no driver is installed for \(entry.name)",
        hint: "`meterhost driver why \(peripheral)` says more")
    }
    let bundle: VerifiedBundle
    do { bundle = try gateway.bundles.bundle(for: driver) } catch {
      throw RecordingError(.unavailable, "the bundle cannot be loaded: \(error)")
    }
    let bytes = try RecordingReader.bytes(path: path, most: CaptureImport.largestFile)
    let imported = try CaptureImport(peripheral: entry, driver: driver, bundle: bundle).importing(
      bytes, address: address)
    return ImportDescription(
      recording: try keep(imported.recording, output: output, supportKey: supportKey), driver: driver.id,
      peripheral: peripheral, address: imported.address, connections: imported.connections,
      steps: imported.recording.steps.count, notes: imported.notes)
  }

  private func keep(_ recording: Recording, output: String?, supportKey: String?) throws -> String {
    guard let output else {
      let store = try gateway.openStore()
      return try RecordingWriter(store: store).write(
        recording, generation: try store.currentSession().generation, knowsDate: HostClockTrust.kernel.isSynchronized)
    }
    let chosen: SupportKey.Public? =
      if let supportKey {
        try SupportKey.Public(file: try RecordingReader.bytes(path: supportKey, most: 4096))
      } else { try RecordingSettings.supportKey(RecordingFolder(state: gateway.locations.state)) }
    guard let key = chosen else {
      throw RecordingError(
        .badKey, "a file is encrypted to a support key, and none is set; give one with --support-key")
    }
    try RecordingDesk.writeNew(try RecordingReader.sealed(recording, to: key).bytes, output)
    return output
  }
}
