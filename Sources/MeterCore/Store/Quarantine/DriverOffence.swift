/// What a driver has done wrong, as the store keeps it (rule R24): with one meter, or as a bundle.
package struct DriverOffence: Sendable, Hashable {
  /// Lower-case SHA-256 of the bundle's file: another build starts anew.
  package var bundle: String
  /// The driver's id.
  package var driver: String
  /// The meter; nil: the bundle itself, whatever the meter.
  package var meter: OffendedMeter?
  /// How often.
  package var count: Int
  /// When first, microseconds since 1970-01-01T00:00Z by this machine's clock.
  package var firstMicroseconds: Int64
  /// When last.
  package var lastMicroseconds: Int64
  /// Since when it is set aside; nil: it is not.
  package var setAsideMicroseconds: Int64?
  /// Until when; nil with ``setAsideMicroseconds``: until somebody lifts it.
  package var untilMicroseconds: Int64?
  /// The last fault's code.
  package var code: String
  /// The rule that it broke.
  package var rule: String?
  /// Its words.
  package var message: String
  /// The recording of the session in which it happened last, if there is one.
  package var recording: String?

  /// An offence.
  package init(
    bundle: String, driver: String, meter: OffendedMeter?, count: Int, firstMicroseconds: Int64,
    lastMicroseconds: Int64, setAsideMicroseconds: Int64? = nil, untilMicroseconds: Int64? = nil, code: String,
    rule: String?, message: String, recording: String? = nil
  ) {
    self.bundle = bundle
    self.driver = driver
    self.meter = meter
    self.count = count
    self.firstMicroseconds = firstMicroseconds
    self.lastMicroseconds = lastMicroseconds
    self.setAsideMicroseconds = setAsideMicroseconds
    self.untilMicroseconds = untilMicroseconds
    self.code = code
    self.rule = rule
    self.message = message
    self.recording = recording
  }
}

/// A meter with which a driver has failed.
package struct OffendedMeter: Sendable, Hashable {
  /// The key under which the store files what belongs to the meter.
  package let key: String
  /// Its serial number, System ID or address.
  package let name: String
  /// Whether it has brought readings to this gateway before.
  package let isKnown: Bool

  /// A meter as it was filed.
  package init(key: String, name: String, isKnown: Bool) {
    self.key = key
    self.name = name
    self.isKnown = isKnown
  }

  package init(_ meter: MeterIdentity, isKnown: Bool) {
    self.init(key: meter.storageKey, name: meter.displayName, isKnown: isKnown)
  }
}
