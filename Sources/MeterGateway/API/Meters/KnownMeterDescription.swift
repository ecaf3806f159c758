import Foundation
import HostPrimitives
public import MeterCore
import MeterDrivers

/// A meter that this gateway knows, as `--json` shows it. Times are ISO 8601 in UTC.
public struct KnownMeterDescription: Sendable, Codable, Hashable {
  /// A pairing.
  public struct Pairing: Sendable, Codable, Hashable {
    /// Since when.
    public var since: String
    /// Who keeps the bond.
    public var bond: BondPlace
  }

  /// To whom it is assigned.
  public struct Assignment: Sendable, Codable, Hashable {
    /// The user's id.
    public var user: String
    /// The organisation's id.
    public var organization: String
    /// The meter's user slot; nil: the whole meter.
    public var slot: UInt16?
    /// Since when; nil: everything that it has measured, unless ``sinceUnknown``.
    public var since: String?
    /// True when this machine did not know the date when it was assigned.
    public var sinceUnknown: Bool?

    enum CodingKeys: String, CodingKey {
      case user, organization, slot, since
      case sinceUnknown = "since_unknown"
    }
  }

  /// What holds for it.
  public struct Settings: Sendable, Codable, Hashable {
    /// Whether reads set its clock.
    public var syncClock: Bool
    /// Its hold-off in seconds.
    public var holdOff: Int
    /// The catalogue entry that was chosen for it.
    public var peripheral: UInt32?
    /// Whether it weighs infants, pets or things as well.
    public var weighsAnybody = false
    /// After how many seconds it is read passively again while it goes on advertising; 0: never.
    public var readAgain = MeterSettings.defaultReadAgainSeconds

    enum CodingKeys: String, CodingKey {
      case peripheral
      case syncClock = "sync_clock"
      case holdOff = "hold_off"
      case weighsAnybody = "weighs_anybody"
      case readAgain = "read_again"
    }
  }

  /// Its stable UUID.
  public var uuid: String
  /// Its serial number, else its System ID or address.
  public var name: String
  /// The catalogue entry that it was last used as.
  public var peripheral: UInt32?
  /// That entry's name; nil when the catalogue has none of this id any more.
  public var peripheralName: String?
  /// Where it was heard last.
  public var address: String?
  /// Whether the address may change.
  public var addressKind: MeterAddressKind?
  /// Its pairing; nil: it is not paired.
  public var paired: Pairing?
  /// To whom it is assigned.
  public var assigned: [Assignment]
  /// When it was first met.
  public var firstSeen: String?
  /// When it was last met.
  public var lastSeen: String?
  /// When a read of it last came to its end, or brought a reading.
  public var lastRead: String?
  /// What holds for it.
  public var settings: Settings

  enum CodingKeys: String, CodingKey {
    case uuid, name, peripheral, address, paired, assigned, settings
    case peripheralName = "peripheral_name"
    case addressKind = "address_kind"
    case firstSeen = "first_seen"
    case lastSeen = "last_seen"
    case lastRead = "last_read"
  }

  /// Describes a meter with the words of a catalogue.
  public init(_ meter: StoredMeter, in gateway: Gateway) {
    uuid = meter.uuid.uuidString.lowercased()
    name = meter.name
    peripheral = meter.peripheral
    peripheralName = meter.peripheral.flatMap { gateway.registry.peripheral(id: $0)?.name }
    address = meter.address
    addressKind = meter.addressKind
    paired = meter.pairing.map { Pairing(since: Self.time($0.sinceMicroseconds), bond: $0.bond) }
    assigned = meter.owners.map {
      Assignment(
        user: $0.user.userID, organization: $0.user.organizationID, slot: $0.slot,
        since: $0.sinceMicroseconds.map(Self.time), sinceUnknown: $0.isSinceUnknown ? true : nil)
    }
    firstSeen = meter.firstSeenMicroseconds.map(Self.time)
    lastSeen = meter.lastSeenMicroseconds.map(Self.time)
    lastRead = meter.lastReadMicroseconds.map(Self.time)
    settings = Settings(
      syncClock: meter.settings.syncsClock ?? false, holdOff: Int(meter.settings.holdOff.components.seconds),
      peripheral: meter.settings.peripheral, weighsAnybody: meter.settings.weighsAnybody ?? false,
      readAgain: Int(meter.settings.readAgain?.components.seconds ?? 0))
  }

  private static func time(_ microseconds: Int64) -> String {
    CivilMoment.utcSeconds(microseconds: microseconds)
  }
}
