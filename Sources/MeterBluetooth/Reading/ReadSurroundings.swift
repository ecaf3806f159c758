import BluetoothWire
import DriverContract
import HostPrimitives
import MeterCore
import MeterDrivers

/// Everything that a read needs besides the meter.
struct ReadSurroundings: Sendable {
  let registry: Registry
  let bundles: BundleCatalog
  let drivers: any SessionOpener
  let store: MeterStore
  let traffic: AirTraffic
  /// The radio of the turn that is being carried out.
  var radio: any Radio = SilentRadio()

  /// What every limit of a read is counted by.
  var clock: any HostClock { traffic.clock }

  /// Drivers that are kept away.
  var quarantine: Quarantine { Quarantine(store: store) }

  /// Checks all that can be checked before the radio is touched (rule R22), in this order: the entry is known and not
  /// disabled, a driver is installed, the maker's approval, the kind of connection, licences, keys, the bundle itself.
  func plan(for id: UInt32) throws(BluetoothError) -> ReadPlan {
    guard let peripheral = registry.peripheral(id: id) else {
      throw BluetoothError(
        .unknownPeripheral,
        registry.isNoBluetoothPeripheral(id) + "; `meterhost peripherals list` shows what there is")
    }
    guard !peripheral.isDisabled else {
      throw BluetoothError(.unknownPeripheral, "\(peripheral.name) (\(id)) is disabled and kept for old records only")
    }
    guard let driverID = peripheral.driverID, let driver = registry.driver(id: driverID) else {
      if let package = registry.disabledPackage(with: peripheral.key)
        ?? peripheral.driverID.flatMap({ registry.disabledPackage(withDriver: $0) })
      {
        throw BluetoothError(
          .driverUnavailable, Registry.isDisabled("the driver of \(peripheral.name)", package: package))
      }
      throw BluetoothError(.driverUnavailable, Self.hasNoDriver(peripheral))
    }
    guard !peripheral.isApprovalNeeded else {
      throw BluetoothError(.approvalNeeded, "\(peripheral.name) needs its maker's approval, which is not installed")
    }
    if let missing = try missingCredential(of: peripheral) { throw missing.missingError(for: peripheral, meter: nil) }
    let plan: ReadPlan
    do {
      plan = ReadPlan(peripheral: peripheral, driver: driver, bundle: try bundles.bundle(for: driver))
    } catch {
      throw BluetoothError(.driverUnavailable, "driver \(driver.id) was refused: \(error)", cause: error)
    }
    try checkQuarantine(plan, meter: nil)
    return plan
  }
}

extension ReadSurroundings {
  /// Why nothing is tried: what the maker has to give, where that is known, else what the entry itself says.
  private static func hasNoDriver(_ peripheral: Peripheral) -> String {
    let needs =
      (peripheral.isApprovalNeeded ? ["its maker's approval"] : [])
      + peripheral.credentials.filter(\.isRequired).map(\.name)
    let reason: String
    if let driver = peripheral.driverID {
      reason = "Its driver \(driver) was refused."
    } else if needs.isEmpty {
      reason = peripheral.instructions
    } else {
      reason = "Its protocol is not public. It needs its maker's bundle, \(needs.joined(separator: ", "))."
    }
    return "no driver is installed for \(peripheral.name). \(reason) `meterhost driver why \(peripheral.id)` says more"
  }

  /// The first required credential that serves more than one meter and is not stored; licences come first. Those of one
  /// meter are checked when the meter is known.
  private func missingCredential(of peripheral: Peripheral) throws(BluetoothError) -> Credential? {
    let required = peripheral.credentials.filter(\.isRequired)
    for credential in required.filter(\.isLicence) + required.filter({ !$0.isLicence }) {
      let scope: CredentialScope
      switch credential.scope {
      case .gateway: scope = .gateway
      case .peripheral: scope = .peripheral(peripheral.id)
      case .meter: continue
      }
      do {
        if try !store.hasCredential(credential.name, scope: scope) { return credential }
      } catch {
        throw BluetoothError(.storeFailure, "the state folder cannot be read: \(error.message)", cause: error)
      }
    }
    return nil
  }
}

/// What is fixed before a read starts.
struct ReadPlan: Sendable {
  let peripheral: Peripheral
  let driver: DriverEntry
  let bundle: VerifiedBundle

  /// What discovery may look for.
  var requirements: [GATTRequirement] {
    peripheral.services.compactMap { use in
      guard let service = BluetoothUUID(bytes: use.uuid.bigEndianBytes) else { return nil }
      let characteristics = use.characteristics.compactMap { characteristic in
        BluetoothUUID(bytes: characteristic.uuid.bigEndianBytes).map {
          GATTRequirement.Characteristic(uuid: $0, isRequired: characteristic.isRequired)
        }
      }
      return GATTRequirement(service: service, isRequired: use.isRequired, characteristics: characteristics)
    }
  }

  /// Whether an advertisement comes from a meter of this peripheral, as far as anybody will ever know: it is not connected.
  func isFrom(_ report: AdvertisingReport) -> Bool {
    peripheral.fit(Self.seen(report, DeviceInformation())) == .fits
  }

  /// Whether a meter is one of this peripheral, now that its Device Information is known.
  ///
  /// - Parameter registry: Knows whether it is one of another entry's instead.
  func confirms(
    _ report: AdvertisingReport, _ information: DeviceInformation, among registry: Registry
  ) -> Confirmation {
    let seen = Self.seen(report, information)
    guard peripheral.fit(seen) == .fits else { return .differs(Self.name(registry.match(seen))) }
    return registry.betterEntry(than: peripheral, for: seen).map { .differs(Self.name($0)) } ?? .fits
  }

  /// Which meter has shown itself.
  enum Confirmation {
    case fits
    /// Another one, by its name and id where the registry knows it.
    case differs(String?)
  }

  private static func name(_ result: MatchResult) -> String? {
    guard case .chosen(let match) = result, !match.peripheral.isGeneric else { return nil }
    return name(match.peripheral)
  }

  private static func name(_ peripheral: Peripheral) -> String { "\(peripheral.name), \(peripheral.id)" }

  private static func seen(_ report: AdvertisingReport, _ information: DeviceInformation) -> SeenDevice {
    var seen = SeenDevice(report)
    seen.manufacturer = information.manufacturer ?? ""
    seen.model = information.model ?? ""
    return seen
  }
}
