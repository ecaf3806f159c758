package import HostPrimitives

/// Why a session is opened (`MH_PURPOSE_*`).
public enum DriverPurpose: UInt32, Sendable, Hashable, CaseIterable {
  case read = 1
  case pair
  case passive
  case clock
  case test
}

/// How far the gateway's own clock can be trusted (`MH_CLOCK_*`).
public enum DriverClockTrust: UInt32, Sendable, Hashable, CaseIterable {
  case unknown
  case synchronised
}

/// One typed parameter of a session: a quirk that the registry chose, a user slot, a wanted unit (`mh_param`).
public struct DriverParameter: Sendable, Hashable {
  /// What a parameter holds.
  public enum Value: Sendable, Hashable {
    case integer(Int64)
    case float(Double)
    case bytes([UInt8])
    case text(String)
  }

  /// `MH_PARAM_*`, or the driver's own from 0x8000 on.
  public var name: UInt16
  /// The typed content.
  public var value: Value

  /// Makes a parameter.
  public init(name: UInt16, value: Value) {
    self.name = name
    self.value = value
  }
}

/// Everything that a driver may know when a session opens or a value is decoded (rule R9).
public struct DriverOpening: Sendable, Hashable {
  /// The peripheral's number in the registry.
  public var peripheralID: UInt32
  /// Why the session is opened.
  public var purpose: DriverPurpose
  /// How far the gateway's clock can be trusted.
  public var clockTrust: DriverClockTrust
  /// The gateway's clock at opening, microseconds since 1970-01-01T00:00Z.
  public var unixMicroseconds: Int64
  /// Start of the wanted interval, UTC microseconds; `nil`: no bound.
  public var since: Int64?
  /// End of the wanted interval, UTC microseconds; `nil`: no bound.
  public var until: Int64?
  /// How far local time is ahead of UTC, seconds.
  public var utcOffsetSeconds: Int32
  /// The most readings wanted; 0: all.
  public var limit: UInt32
  /// The meter's Bluetooth address, six bytes in the order in which people write it.
  public var address: [UInt8]
  /// `MH_ADDRESS_PUBLIC` or `MH_ADDRESS_RANDOM`.
  public var addressType: UInt8
  /// `MH_SECURITY_*` of the link at opening.
  public var security: UInt8
  /// Manufacturer Name String (characteristic 2A29), empty when unknown.
  public var manufacturer: String
  /// Model Number String (characteristic 2A24), empty when unknown.
  public var model: String
  /// GAP device name (characteristic 2A00), empty when unknown.
  public var name: String
  /// The name in the advertisement, empty when unknown.
  public var advertisedName: String
  /// The advertisement's data as it was received.
  public var advertisement: [UInt8]
  /// Typed parameters, quirks first.
  public var parameters: [DriverParameter]
  /// The keys that storage holds for this meter (rule R23), as drivers name them: by their bytes.
  package var keys: [ExactText: [UInt8]]
  /// The bundle's files, by the name in the registry.
  public var assets: [String: [UInt8]]

  /// Makes an opening; what is not named is unknown or empty.
  public init(
    peripheralID: UInt32 = 0,
    purpose: DriverPurpose = .read,
    clockTrust: DriverClockTrust = .unknown,
    unixMicroseconds: Int64 = 0,
    since: Int64? = nil,
    until: Int64? = nil,
    utcOffsetSeconds: Int32 = 0,
    limit: UInt32 = 0,
    address: [UInt8] = [0, 0, 0, 0, 0, 0],
    addressType: UInt8 = 0,
    security: UInt8 = 1,
    manufacturer: String = "",
    model: String = "",
    name: String = "",
    advertisedName: String = "",
    advertisement: [UInt8] = [],
    parameters: [DriverParameter] = [],
    storage: [String: [UInt8]] = [:],
    assets: [String: [UInt8]] = [:]
  ) {
    self.peripheralID = peripheralID
    self.purpose = purpose
    self.clockTrust = clockTrust
    self.unixMicroseconds = unixMicroseconds
    self.since = since
    self.until = until
    self.utcOffsetSeconds = utcOffsetSeconds
    self.limit = limit
    self.address = address
    self.addressType = addressType
    self.security = security
    self.manufacturer = manufacturer
    self.model = model
    self.name = name
    self.advertisedName = advertisedName
    self.advertisement = advertisement
    self.parameters = parameters
    keys = Dictionary(storage.map { (ExactText($0.key), $0.value) }) { first, _ in first }
    self.assets = assets
  }
}

extension DriverOpening {
  /// The keys that storage holds for this meter (rule R23). Of two that differ in their bytes and look the same it has one.
  public var storage: [String: [UInt8]] {
    Dictionary(keys.map { ($0.key.text, $0.value) }) { first, _ in first }
  }

  /// The same without anything that a meter, or whoever says to be one, has sent or caused to be stored.
  package var withoutMeter: DriverOpening {
    var opening = self
    opening.address = [0, 0, 0, 0, 0, 0]
    (opening.addressType, opening.security) = (0, 1)
    (opening.manufacturer, opening.model, opening.name, opening.advertisedName) = ("", "", "", "")
    opening.advertisement = []
    opening.keys = [:]
    return opening
  }
}
