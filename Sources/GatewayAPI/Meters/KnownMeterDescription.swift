public import MeterCore

/// A meter that this gateway knows, as `--json` shows it. Times are ISO 8601 in UTC.
public struct KnownMeterDescription: Sendable, Codable, Hashable {
  /// A pairing.
  public struct Pairing: Sendable, Codable, Hashable {
    /// Since when.
    public var since: String
    /// Who keeps the bond.
    public var bond: OpenWord<BondPlace>

    package init(since: String, bond: BondPlace) {
      self.since = since
      self.bond = OpenWord(bond)
    }
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

    package init(
      user: String, organization: String, slot: UInt16? = nil, since: String? = nil, sinceUnknown: Bool? = nil
    ) {
      self.user = user
      self.organization = organization
      self.slot = slot
      self.since = since
      self.sinceUnknown = sinceUnknown
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

    package init(
      syncClock: Bool, holdOff: Int, peripheral: UInt32? = nil, weighsAnybody: Bool = false,
      readAgain: Int = MeterSettings.defaultReadAgainSeconds
    ) {
      self.syncClock = syncClock
      self.holdOff = holdOff
      self.peripheral = peripheral
      self.weighsAnybody = weighsAnybody
      self.readAgain = readAgain
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
  public var addressKind: OpenWord<MeterAddressKind>?
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

  package init(
    uuid: String, name: String, peripheral: UInt32? = nil, peripheralName: String? = nil, address: String? = nil,
    addressKind: MeterAddressKind? = nil, paired: Pairing? = nil, assigned: [Assignment], firstSeen: String? = nil,
    lastSeen: String? = nil, lastRead: String? = nil, settings: Settings
  ) {
    self.uuid = uuid
    self.name = name
    self.peripheral = peripheral
    self.peripheralName = peripheralName
    self.address = address
    self.addressKind = addressKind.map { OpenWord($0) }
    self.paired = paired
    self.assigned = assigned
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.lastRead = lastRead
    self.settings = settings
  }
}
