import HostPrimitives

/// A Bluetooth UUID; short ids are expanded with the Bluetooth base UUID (Core Specification, Vol 3 Part B 2.5.1).
public struct DriverUUID: Sendable, Hashable {
  /// The first eight bytes in the order in which people write them.
  public var high: UInt64
  /// The last eight bytes in the order in which people write them.
  public var low: UInt64

  /// A UUID from its halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A Bluetooth SIG 16-bit id.
  public init(short: UInt16) {
    self.init(high: UInt64(short) << 32 | 0x1000, low: 0x8000_0080_5f9b_34fb)
  }

  /// Sixteen bytes in the order in which people write them; `nil` for any other number of bytes.
  public init?(bigEndian bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: UInt64(bigEndianBytes: bytes[..<8]), low: UInt64(bigEndianBytes: bytes[8...]))
  }

  /// Sixteen bytes in the order in which people write them.
  public var bigEndianBytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

/// A service that the meter really has (`mh_service`).
public struct DriverService: Sendable, Hashable {
  /// First handle of the service.
  public var firstHandle: UInt16
  /// Last handle of the service.
  public var lastHandle: UInt16
  /// The service's UUID.
  public var uuid: DriverUUID

  /// Makes a service.
  public init(firstHandle: UInt16, lastHandle: UInt16, uuid: DriverUUID) {
    self.firstHandle = firstHandle
    self.lastHandle = lastHandle
    self.uuid = uuid
  }
}

/// A characteristic that the meter really has (`mh_characteristic`).
public struct DriverCharacteristic: Sendable, Hashable {
  /// Handle of the value.
  public var handle: UInt16
  /// Characteristic properties (Core Specification, Vol 3 Part G 3.3.1.1).
  public var properties: UInt16
  /// Index of the service in the list that the event carries.
  public var serviceIndex: UInt32
  /// The characteristic's UUID.
  public var uuid: DriverUUID

  /// Makes a characteristic.
  public init(handle: UInt16, properties: UInt16, serviceIndex: UInt32, uuid: DriverUUID) {
    self.handle = handle
    self.properties = properties
    self.serviceIndex = serviceIndex
    self.uuid = uuid
  }
}

/// One fact for a driver (`MH_EV_*`, rule R10). `status` is 0 or the ATT error code unless said otherwise.
public enum DriverFact: Sendable, Hashable {
  case connected(mtu: UInt16)
  /// `level`: `MH_SECURITY_*`.
  case encrypted(level: Int32)
  case services([DriverService], [DriverCharacteristic])
  case serviceChanged
  case mtu(UInt16)
  case subscribed(handle: UInt16, status: Int32)
  case notification(handle: UInt16, [UInt8])
  case indication(handle: UInt16, [UInt8])
  case read(handle: UInt16, [UInt8], status: Int32)
  case wrote(handle: UInt16, status: Int32)
  case timer
  /// `rssi` in dBm.
  case advertisement([UInt8], rssi: Int32)
  /// `status`: 0, or `MH_E_DENIED` when the person refused.
  case userInput([UInt8], status: Int32)
  case cancel(graceNanoseconds: UInt64)
  /// `reason`: HCI code (Core Specification, Vol 1 Part F).
  case disconnected(reason: Int32)
  /// The sink has room again (`MH_EV_CONTINUE`); the runtime itself sends it after `MH_E_FULL`.
  case proceed
}

/// One fact with its place and time in the session (`mh_event`).
public struct DriverEvent: Sendable, Hashable {
  /// Counts the events of a session from 1.
  public var sequence: UInt64
  /// Echoes the token of the action that this event answers; 0 when there is none.
  public var token: UInt64
  /// Monotonic clock, nanoseconds.
  public var monotonicNanoseconds: UInt64
  /// Wall clock, microseconds since 1970-01-01T00:00Z.
  public var unixMicroseconds: Int64
  /// What happened.
  public var fact: DriverFact

  /// Makes an event.
  public init(
    sequence: UInt64, token: UInt64 = 0, monotonicNanoseconds: UInt64, unixMicroseconds: Int64, fact: DriverFact
  ) {
    self.sequence = sequence
    self.token = token
    self.monotonicNanoseconds = monotonicNanoseconds
    self.unixMicroseconds = unixMicroseconds
    self.fact = fact
  }
}
