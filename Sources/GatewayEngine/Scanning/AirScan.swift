import GatewayAPI
import BluetoothWire
import MeterBluetooth
import MeterDrivers

/// What a scan has heard, and what of it was told.
struct AirScan: Sendable {
  /// Which devices are of interest.
  struct Filter: Sendable {
    /// Devices that no entry of the catalogue fits, too.
    var showsAll = false
    /// Only what this entry may be.
    var peripheral: UInt32?
    /// Only what an entry of this type may be.
    var type: PeripheralType?
  }

  /// A device that says something else with each advertisement is told of so often.
  private static let mostChanges = 16

  private let registry: Registry
  private let filter: Filter
  private var air: SeenAir
  /// Hashes of what was told of each address.
  private var told: [BluetoothAddress: [Int]] = [:]

  init(registry: Registry, filter: Filter) {
    self.registry = registry
    self.filter = filter
    let known = registry.peripherals.filter { registry.isMatchable($0) || registry.isKnownButNotRead($0) }
    air = SeenAir(index: AdvertisementIndex(known))
  }

  /// Takes a report.
  ///
  /// - Parameter paired: Gives the addresses of the paired meters.
  /// - Returns: The device when it is of interest and is new, or shows something that it has not shown before.
  mutating func hear(
    _ report: AdvertisingReport, paired: () throws -> Set<String>
  ) rethrows -> SightingDescription? {
    let hearing = air.hear(report)
    if let forgotten = hearing.forgotten { told[forgotten] = nil }
    guard hearing.change != .none, isWanted(hearing.matches), let sighting = air.sighting(of: report.address),
      told[report.address, default: []].count < Self.mostChanges
    else { return nil }
    let description = SightingDescription(sighting, in: registry, paired: try paired())
    var shown = description
    // A strength that changes is no news.
    shown.rssi = nil
    guard !told[report.address, default: []].contains(shown.hashValue) else { return nil }
    told[report.address, default: []].append(shown.hashValue)
    return description
  }

  /// All that was heard and is of interest, the strongest first, and how many others there were.
  func result(paired: Set<String>) -> (found: [SightingDescription], others: Int) {
    let wanted = air.sightings.filter { isWanted($0.matches) }
    let found = wanted.map { SightingDescription($0, in: registry, paired: paired) }
      .sorted { ($0.rssi ?? .min, $1.address) > ($1.rssi ?? .min, $0.address) }
    return (found, air.count - wanted.count)
  }

  private func isWanted(_ matches: AdvertisementMatches) -> Bool {
    if filter.showsAll { return true }
    if let wanted = filter.peripheral, matches.fit(of: wanted) == .differs { return false }
    guard let type = filter.type else { return !matches.isEmpty }
    return matches.ids.contains { registry.peripheral(id: $0)?.type == type }
  }
}
