public import Foundation

/// A meter that this gateway knows: it was connected to, paired, or is assigned to somebody.
public struct StoredMeter: Sendable, Hashable {
  /// Its stable name, the same on every gateway (``MeterIdentity/peripheralUUID``).
  public let uuid: UUID
  /// Its serial number, else its System ID or address.
  public let name: String
  /// The catalogue entry that it was last used as; nil where an earlier version has not kept that.
  public let peripheral: UInt32?
  /// Where it was heard last; nil where an earlier version has not kept that.
  public let address: String?
  /// Whether the address may change; nil where an earlier version has not kept that.
  public let addressKind: MeterAddressKind?
  /// When it was first connected to or paired, microseconds since 1970-01-01T00:00Z by this machine's clock.
  public let firstSeenMicroseconds: Int64?
  /// When it was last connected to or paired.
  public let lastSeenMicroseconds: Int64?
  /// When a read of it last came to its end, or brought a reading.
  public let lastReadMicroseconds: Int64?
  /// Its pairing; nil: it is not paired.
  public let pairing: MeterPairing?
  /// What a person has set for it.
  public let settings: MeterSettings
  /// Whose it is now; several people share a meter with user slots.
  public let owners: [MeterOwner]
  /// Whether the store knows under which name the meter's readings are filed: not of a meter that an earlier version has
  /// paired and that was never read.
  public let isIdentified: Bool
}

/// Whether a meter's address is its own for life.
public enum MeterAddressKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// Assigned by the IEEE.
  case `public`
  /// Chosen by the meter; it may change.
  case random
}

/// The pairing of a meter with this gateway.
public struct MeterPairing: Sendable, Hashable, Codable {
  /// When it was paired, microseconds since 1970-01-01T00:00Z.
  public var sinceMicroseconds: Int64
  /// Who keeps the bond.
  public var bond: BondPlace

  /// A pairing from its parts.
  public init(sinceMicroseconds: Int64, bond: BondPlace) {
    self.sinceMicroseconds = sinceMicroseconds
    self.bond = bond
  }
}

/// Who keeps the key that the radio shares with a meter.
public enum BondPlace: String, Sendable, Hashable, Codable, CaseIterable {
  /// The state folder, encrypted.
  case store
  /// bluetoothd, which owns the adapter.
  case bluetoothd
  /// Nobody has said.
  case unknown
}

/// To whom a meter, or one user slot of it, is assigned now.
public struct MeterOwner: Sendable, Hashable {
  /// The user.
  public let user: SessionUser
  /// The meter's user slot; nil: the whole meter.
  public let slot: UInt16?
  /// Since when, microseconds since 1970-01-01T00:00Z; nil: everything that it has measured, unless ``isSinceUnknown``.
  public let sinceMicroseconds: Int64?
  /// Whether the host did not know the date when it was assigned.
  public internal(set) var isSinceUnknown = false
}

/// What a person has set for one meter. What is nil was never set.
public struct MeterSettings: Sendable, Hashable, Codable {
  /// Whether reads set the meter's clock to the host's; nil is off.
  public var syncsClock: Bool?
  /// How long after the meter has stopped advertising a passive read ignores it, in seconds.
  public var holdOffSeconds: Int?
  /// The catalogue entry to read it as, where its rules fit several.
  public var peripheral: UInt32?
  /// Whether a scale weighs infants, pets or things as well: its weights are not compared with what the user weighs; nil is no.
  public var weighsAnybody: Bool?
  /// After how many seconds at the earliest passive reading reads the meter again while it goes on advertising; 0 is never.
  public var readAgainSeconds: Int?

  /// Nothing is set.
  public init(
    syncsClock: Bool? = nil, holdOffSeconds: Int? = nil, peripheral: UInt32? = nil, weighsAnybody: Bool? = nil,
    readAgainSeconds: Int? = nil
  ) {
    self.syncsClock = syncsClock
    self.holdOffSeconds = holdOffSeconds
    self.peripheral = peripheral
    self.weighsAnybody = weighsAnybody
    self.readAgainSeconds = readAgainSeconds
  }

  /// The reading again of a meter for which nothing was set, in seconds.
  public static let defaultReadAgainSeconds = 15 * 60
  /// What can be set, in seconds, beside 0, which is never: sooner costs the meter's battery more than a reading is worth.
  public static let readAgainRange = 60...86_400

  /// After how long a meter that goes on advertising is read passively again; nil: never.
  public var readAgain: Duration? {
    let seconds = readAgainSeconds ?? Self.defaultReadAgainSeconds
    guard seconds > 0 else { return nil }
    return .seconds(min(max(seconds, Self.readAgainRange.lowerBound), Self.readAgainRange.upperBound))
  }

  /// The hold-off of a meter for which none was set, in seconds.
  public static let defaultHoldOffSeconds = 5
  /// The hold-offs that can be set, in seconds: a meter that is ignored for longer loses second readings.
  public static let holdOffRange = 1...15

  /// The hold-off that holds for the meter.
  public var holdOff: Duration {
    let range = Self.holdOffRange
    return .seconds(min(max(holdOffSeconds ?? Self.defaultHoldOffSeconds, range.lowerBound), range.upperBound))
  }
}

/// A meter that was met: what the store remembers of it.
public struct MeterSighting: Sendable, Hashable {
  /// Which meter it is.
  public var meter: MeterIdentity
  /// The catalogue entry that it was used as.
  public var peripheral: UInt32
  /// Where it was heard, written as `AA:BB:CC:DD:EE:FF`.
  public var address: String
  /// Whether the address may change; nil where nobody can say, which leaves what was known of the same address.
  public var addressKind: MeterAddressKind?
  /// Whether a read of it came to its end, or brought a reading.
  public var isRead: Bool

  /// A sighting from its parts.
  public init(
    _ meter: MeterIdentity, peripheral: UInt32, address: String, addressKind: MeterAddressKind?, isRead: Bool
  ) {
    self.meter = meter
    self.peripheral = peripheral
    self.address = address
    self.addressKind = addressKind
    self.isRead = isRead
  }
}
