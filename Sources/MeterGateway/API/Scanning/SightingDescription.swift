import HostPrimitives
import BluetoothWire
import DriverContract
public import MeterBluetooth
public import MeterDrivers

/// A device in the air as `--json` shows it.
public struct SightingDescription: Codable, Sendable, Hashable {
  /// An entry of the catalogue that the device may be.
  public struct Entry: Codable, Sendable, Hashable {
    /// How it stands with the entry (rule R21).
    public enum Reason: String, Codable, Sendable, Hashable {
      /// Its rule is the most specific one that holds.
      case chosen
      /// Its rule and another entry's tie: a person has to choose.
      case ambiguous
      /// Only what the meter says once it is connected can tell.
      case mayBe = "may_be"
      /// It fits, too; another entry fits better.
      case fits
    }

    /// The entry's id.
    public var id: UInt32
    /// Its name.
    public var name: String
    /// What it measures: glucose_meter, thermometer ...
    public var type: String
    /// How it stands with it.
    public var reason: Reason
  }

  /// The device's address.
  public var address: String
  /// public or random.
  public var addressKind: String
  /// The strength with which it was heard last, in dBm; nil when the radio does not know it.
  public var rssi: Int?
  /// The advertised name, its control characters as spaces; nil while none was heard.
  public var name: String?
  /// The advertised services, each once: four digits, or the full form.
  public var services: [String]
  /// The companies of its manufacturer data, each once.
  public var companyIDs: [UInt16]
  /// The entries that it may be, the best first.
  public var entries: [Entry]
  /// Whether a meter with this address is paired with this gateway.
  public var paired: Bool

  enum CodingKeys: String, CodingKey {
    case address, rssi, name, services, entries, paired
    case addressKind = "address_kind"
    case companyIDs = "company_ids"
  }

  /// The longest name that is shown, in bytes: what one advertising structure may hold.
  private static let longestName = 254

  /// Describes what is known of an address.
  ///
  /// - Parameter paired: The addresses of the paired meters.
  public init(_ sighting: SeenAir.Sighting, in registry: Registry, paired: Set<String>) {
    let data = sighting.advertisingData
    address = sighting.address.description
    addressKind = sighting.address.kind == .public ? "public" : "random"
    rssi = sighting.rssi.map(Int.init)
    name = data.localName?.oneLine(atMost: Self.longestName)
    services = Set(data.serviceUUIDs).sorted().map(\.description)
    companyIDs = Set(data.manufacturerData.map(\.company)).sorted()
    entries = Self.entries(sighting, registry)
    self.paired = paired.contains(address)
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
    var entries: [Entry] = []
    for (id, reason) in reasons where !entries.contains(where: { $0.id == id }) {
      guard let entry = registry.peripheral(id: id) else { continue }
      entries.append(Entry(id: id, name: entry.name, type: entry.type.rawValue, reason: reason))
    }
    return entries
  }
}
