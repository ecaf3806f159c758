/// What a driver has done wrong, as the store keeps it (rule R24): with one meter, or as a bundle.
public struct DriverOffence: Sendable, Hashable {
  /// Lower-case SHA-256 of the bundle's file: another build starts anew.
  public var bundle: String
  /// The driver's id.
  public var driver: String
  /// The meter; nil: the bundle itself, whatever the meter.
  public var meter: OffendedMeter?
  /// How often.
  public var count: Int
  /// When first, microseconds since 1970-01-01T00:00Z by this machine's clock.
  public var firstMicroseconds: Int64
  /// When last.
  public var lastMicroseconds: Int64
  /// Since when it is set aside; nil: it is not.
  public var setAsideMicroseconds: Int64?
  /// Until when; nil with ``setAsideMicroseconds``: until somebody lifts it.
  public var untilMicroseconds: Int64?
  /// The last fault's code.
  public var code: String
  /// The rule that it broke.
  public var rule: String?
  /// Its words.
  public var message: String
  /// The recording of the session in which it happened last, if there is one.
  public var recording: String?

  /// An offence.
  public init(
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
public struct OffendedMeter: Sendable, Hashable {
  /// The key under which the store files what belongs to the meter.
  public let key: String
  /// Its serial number, System ID or address.
  public let name: String
  /// Whether it has brought readings to this gateway before.
  public let isKnown: Bool

  /// A meter as it was filed.
  public init(key: String, name: String, isKnown: Bool) {
    self.key = key
    self.name = name
    self.isKnown = isKnown
  }

  /// A meter.
  public init(_ meter: MeterIdentity, isKnown: Bool) {
    self.init(key: meter.storageKey, name: meter.displayName, isKnown: isKnown)
  }
}
