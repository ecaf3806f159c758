public import MeterCore

/// A meter that this gateway knows, as `--json` shows it. Times are ISO 8601 in UTC.
public struct KnownMeterDescription: Sendable, Codable, Hashable {
  /// The bond that a meter has with this gateway.
  public struct Pairing: Sendable, Codable, Hashable {
    /// When it was paired.
    public var since: String
    /// Who keeps the bond: `store` (the state folder, encrypted), `bluetoothd`, or `unknown` where nobody has said.
    public var bond: OpenWord<BondPlace>

    package init(since: String, bond: BondPlace) {
      self.since = since
      self.bond = OpenWord(bond)
    }
  }

  /// How full a battery was.
  public struct Battery: Sendable, Codable, Hashable {
    /// In percent, 0 to 100.
    public var percent: Int
    /// When the meter said so.
    public var told: String

    package init(percent: Int, told: String) {
      self.percent = percent
      self.told = told
    }
  }

  /// To whom it is assigned.
  public struct Assignment: Sendable, Codable, Hashable {
    /// The receiver's id of the user.
    public var user: String
    /// The receiver's id of the user's organisation.
    public var organization: String
    /// The meter's user slot; nil: the whole meter.
    public var slot: UInt16?
    /// Since when; nil: everything that it has measured, unless ``sinceUnknown``.
    public var since: String?
    /// True when this machine did not know the date when it was assigned; else nil.
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
    /// How long passive reading ignores it after it has stopped advertising, in seconds.
    public var holdOff: Int
    /// The id of the catalogue's entry that a person has chosen for it; nil: the match rules decide.
    public var peripheral: UInt32?
    /// Whether it weighs infants, pets or things as well.
    public var weighsAnybody = false
    /// Whether several people stand on it, of whom it knows none.
    public var isShared = false
    /// After how many seconds it is read passively again while it goes on advertising; 0: never.
    public var readAgain = MeterSettings.defaultReadAgainSeconds

    enum CodingKeys: String, CodingKey {
      case peripheral
      case syncClock = "sync_clock"
      case holdOff = "hold_off"
      case weighsAnybody = "weighs_anybody"
      case isShared = "shared"
      case readAgain = "read_again"
    }

    package init(
      syncClock: Bool, holdOff: Int, peripheral: UInt32? = nil, weighsAnybody: Bool = false,
      isShared: Bool = false, readAgain: Int = MeterSettings.defaultReadAgainSeconds
    ) {
      self.syncClock = syncClock
      self.holdOff = holdOff
      self.peripheral = peripheral
      self.weighsAnybody = weighsAnybody
      self.isShared = isShared
      self.readAgain = readAgain
    }
  }

  /// Its stable UUID in lower case, the same on every gateway.
  public var uuid: String
  /// Its serial number, else its System ID or address.
  public var name: String
  /// The id of the catalogue's entry that it was last used as; nil where an earlier version has not kept that.
  public var peripheral: UInt32?
  /// That entry's name; nil when the catalogue has none of this id any more.
  public var peripheralName: String?
  /// The Bluetooth address by which it was last heard, such as `C0:26:DF:00:00:01`; nil where an earlier version has
  /// not kept that.
  public var address: String?
  /// Whether the address may change (`random`) or is the meter's for life (`public`); nil where an earlier version has
  /// not kept that.
  public var addressKind: OpenWord<MeterAddressKind>?
  /// Its pairing; nil: it is not paired.
  public var paired: Pairing?
  /// To whom it is assigned: several people share a meter with user slots, and it may be nobody's.
  public var assigned: [Assignment]
  /// When it was first connected to or paired; nil where an earlier version has not kept that.
  public var firstSeen: String?
  /// When it was last connected to or paired; nil where an earlier version has not kept that.
  public var lastSeen: String?
  /// When a read of it last came to its end, or brought a reading; nil: none has.
  public var lastRead: String?
  /// How full its battery was when it last said so during a read; nil: it has never said so.
  public var battery: Battery?
  /// The firmware that it last said to have; nil: it has never said so.
  public var firmware: String?
  /// What a person has set for it, and the defaults of what nobody has.
  public var settings: Settings

  enum CodingKeys: String, CodingKey {
    case uuid, name, peripheral, address, paired, assigned, battery, firmware, settings
    case peripheralName = "peripheral_name"
    case addressKind = "address_kind"
    case firstSeen = "first_seen"
    case lastSeen = "last_seen"
    case lastRead = "last_read"
  }

  package init(
    uuid: String, name: String, peripheral: UInt32? = nil, peripheralName: String? = nil, address: String? = nil,
    addressKind: MeterAddressKind? = nil, paired: Pairing? = nil, assigned: [Assignment], firstSeen: String? = nil,
    lastSeen: String? = nil, lastRead: String? = nil, battery: Battery? = nil, firmware: String? = nil,
    settings: Settings
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
    self.battery = battery
    self.firmware = firmware
    self.settings = settings
  }
}
