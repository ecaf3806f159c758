package import Foundation

/// A meter that this gateway knows: it was connected to, paired, or is assigned to somebody.
package struct StoredMeter: Sendable, Hashable {
  /// Its stable name, the same on every gateway (``MeterIdentity/peripheralUUID``).
  package let uuid: UUID
  /// Its serial number, else its System ID or address.
  package let name: String
  /// The catalogue entry that it was last used as; nil where an earlier version has not kept that.
  package let peripheral: UInt32?
  /// Where it was heard last; nil where an earlier version has not kept that.
  package let address: String?
  /// Whether the address may change; nil where an earlier version has not kept that.
  package let addressKind: MeterAddressKind?
  /// When it was first connected to or paired, microseconds since 1970-01-01T00:00Z by this machine's clock.
  package let firstSeenMicroseconds: Int64?
  /// When it was last connected to or paired.
  package let lastSeenMicroseconds: Int64?
  /// When a read of it last came to its end, or brought a reading.
  package let lastReadMicroseconds: Int64?
  /// How full its battery was; nil: it has never said so.
  package let battery: MeterBattery?
  /// The firmware that it last said to have; nil: it has never said so.
  package let firmware: String?
  /// Its pairing; nil: it is not paired.
  package let pairing: MeterPairing?
  /// What a person has set for it.
  package let settings: MeterSettings
  /// Whose it is now; several people share a meter with user slots.
  package let owners: [MeterOwner]
  /// Whether the store knows under which name the meter's readings are filed: not of a meter that an earlier version has
  /// paired and that was never read.
  package let isIdentified: Bool
}

/// Whether a meter's address is its own for life.
public enum MeterAddressKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// Assigned by the IEEE.
  case `public`
  /// Chosen by the meter; it may change.
  case random
}

/// The pairing of a meter with this gateway.
package struct MeterPairing: Sendable, Hashable, Codable {
  /// When it was paired, microseconds since 1970-01-01T00:00Z.
  package var sinceMicroseconds: Int64
  /// Who keeps the bond.
  package var bond: BondPlace

  /// A pairing from its parts.
  package init(sinceMicroseconds: Int64, bond: BondPlace) {
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
package struct MeterOwner: Sendable, Hashable {
  package let user: SessionUser
  /// The meter's user slot; nil: the whole meter.
  package let slot: UInt16?
  /// Since when, microseconds since 1970-01-01T00:00Z; nil: everything that it has measured, unless ``isSinceUnknown``.
  package let sinceMicroseconds: Int64?
  /// Whether the host did not know the date when it was assigned.
  package internal(set) var isSinceUnknown = false
}

/// What a person has set for one meter. What is nil was never set.
package struct MeterSettings: Sendable, Hashable, Codable {
  /// Whether reads set the meter's clock to the host's; nil is off.
  package var syncsClock: Bool?
  /// How long after the meter has stopped advertising a passive read ignores it, in seconds.
  package var holdOffSeconds: Int?
  /// The catalogue entry to read it as, where its rules fit several.
  package var peripheral: UInt32?
  /// Whether a scale weighs infants, pets or things as well: its weights are not compared with what the user weighs; nil is no.
  package var weighsAnybody: Bool?
  /// Whether several people stand on a scale that does not know them: what it weighs is the user's only if it may be; nil is no.
  package var isShared: Bool?
  /// After how many seconds at the earliest passive reading reads the meter again while it goes on advertising; 0 is never.
  package var readAgainSeconds: Int?

  /// Nothing is set.
  package init(
    syncsClock: Bool? = nil, holdOffSeconds: Int? = nil, peripheral: UInt32? = nil, weighsAnybody: Bool? = nil,
    isShared: Bool? = nil, readAgainSeconds: Int? = nil
  ) {
    self.syncsClock = syncsClock
    self.holdOffSeconds = holdOffSeconds
    self.peripheral = peripheral
    self.weighsAnybody = weighsAnybody
    self.isShared = isShared
    self.readAgainSeconds = readAgainSeconds
  }

  /// Whom a scale weighs.
  package var scaleUse: ScaleUse {
    if weighsAnybody == true { return .anybody }
    return isShared == true ? .severalPeople : .onePerson
  }

  /// The reading again of a meter for which nothing was set, in seconds.
  package static let defaultReadAgainSeconds = 15 * 60
  /// What can be set, in seconds, beside 0, which is never: sooner costs the meter's battery more than a reading is worth.
  package static let readAgainRange = 60...86_400

  /// After how long a meter that goes on advertising is read passively again; nil: never.
  package var readAgain: Duration? {
    let seconds = readAgainSeconds ?? Self.defaultReadAgainSeconds
    guard seconds > 0 else { return nil }
    return .seconds(min(max(seconds, Self.readAgainRange.lowerBound), Self.readAgainRange.upperBound))
  }

  /// The hold-off of a meter for which none was set, in seconds.
  package static let defaultHoldOffSeconds = 5
  /// The hold-offs that can be set, in seconds: a meter that is ignored for longer loses second readings.
  package static let holdOffRange = 1...15

  /// The hold-off that holds for the meter.
  package var holdOff: Duration {
    let range = Self.holdOffRange
    return .seconds(min(max(holdOffSeconds ?? Self.defaultHoldOffSeconds, range.lowerBound), range.upperBound))
  }
}

/// Whom a scale weighs.
package enum ScaleUse: Sendable, Hashable {
  /// The user, and now and then somebody else.
  case onePerson
  /// People of whom it knows none, as a household's.
  case severalPeople
  /// Infants, pets or things as well.
  case anybody
}

/// A meter that was met: what the store remembers of it.
package struct MeterSighting: Sendable, Hashable {
  package var meter: MeterIdentity
  /// The catalogue entry that it was used as.
  package var peripheral: UInt32
  /// Where it was heard, written as `AA:BB:CC:DD:EE:FF`.
  package var address: String
  /// Whether the address may change; nil where nobody can say, which leaves what was known of the same address.
  package var addressKind: MeterAddressKind?
  /// Whether a read of it came to its end, or brought a reading.
  package var isRead: Bool
  /// What it has told of itself.
  package var told = ToldFacts()

  /// A sighting from its parts.
  package init(
    _ meter: MeterIdentity, peripheral: UInt32, address: String, addressKind: MeterAddressKind?, isRead: Bool
  ) {
    self.meter = meter
    self.peripheral = peripheral
    self.address = address
    self.addressKind = addressKind
    self.isRead = isRead
  }
}
