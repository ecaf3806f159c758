package import GatewayAPI
import BluetoothWire
import DriverContract
import HostPrimitives
package import MeterBluetooth
package import MeterDrivers

extension SightingDescription {
  /// The longest name that is shown, in bytes: what one advertising structure may hold.
  private static let longestName = 254

  /// Describes what is known of an address.
  ///
  /// - Parameter paired: The addresses of the paired meters.
  package init(_ sighting: SeenAir.Sighting, in registry: Registry, paired: Set<String>) {
    let data = sighting.advertisingData
    let address = sighting.address.description
    self.init(
      address: address, addressKind: sighting.address.kind == .public ? "public" : "random",
      rssi: sighting.rssi.map(Int.init), name: data.localName?.oneLine(atMost: Self.longestName),
      services: Set(data.serviceUUIDs).sorted().map(\.description),
      companyIDs: Set(data.manufacturerData.map(\.company)).sorted(), entries: Self.entries(sighting, registry),
      paired: paired.contains(address))
  }

  private static func entries(_ sighting: SeenAir.Sighting, _ registry: Registry) -> [Entry] {
    var reasons: [(id: UInt32, reason: Entry.Reason)] = []
    switch registry.match(sighting.device, among: sighting.matches.ids) {
    case .chosen(let match):
      reasons = [(match.peripheral.id, .chosen)] + match.mayBecome.map { ($0.id, .mayBe) }
    case .ambiguous(let matches):
      let mayBecome = Set(matches.flatMap(\.mayBecome)).sorted()
      reasons = matches.map { ($0.peripheral.id, .ambiguous) } + mayBecome.map { ($0.id, .mayBe) }
    case .needsDeviceInformation(let keys): reasons = keys.map { ($0.id, .mayBe) }
    case .none: break
    }
    reasons += sighting.matches.fits.map { ($0, .fits) } + sighting.matches.undecided.map { ($0, .mayBe) }
    var (entries, notRead): ([Entry], [Entry]) = ([], [])
    for (id, reason) in reasons where !(entries + notRead).contains(where: { $0.id == id }) {
      guard let entry = registry.peripheral(id: id) else { continue }
      if registry.isKnownButNotRead(entry) {
        notRead.append(Entry(id: id, name: entry.name, type: entry.type.rawValue, reason: .notRead))
      } else {
        entries.append(Entry(id: id, name: entry.name, type: entry.type.rawValue, reason: reason))
      }
    }
    return entries + notRead
  }
}
