import CMeterDriver

/// Everything that a driver may know when a session opens or a value is decoded (rule R9).
public struct Opening: ~Copyable, ~Escapable {
  @usableFromInline let table: UnsafePointer<mh_open>

  @_lifetime(borrow table)
  init(borrowing table: UnsafePointer<mh_open>) {
    self.table = table
  }

  /// Why the session is opened.
  public var purpose: Purpose { Purpose(rawValue: table.pointee.purpose) }
  /// The peripheral's number in the registry.
  public var peripheralID: UInt32 { table.pointee.peripheral_id }
  /// True when the link is encrypted already.
  public var isEncrypted: Bool { table.pointee.security >= 2 }
  /// True when the host's own clock is synchronised.
  public var hostClockIsSynchronised: Bool { table.pointee.clock_trust == 1 }
  /// The host's clock at opening, microseconds since 1970-01-01T00:00Z.
  public var unixMicroseconds: Int64 { table.pointee.unix_us }
  /// How far the host's local time is ahead of UTC, seconds.
  public var utcOffsetSeconds: Int32 { table.pointee.utc_offset_s }
  /// Start of the wanted interval, UTC microseconds; nil: no bound.
  public var sinceMicroseconds: Int64? { table.pointee.since_us == .min ? nil : table.pointee.since_us }
  /// End of the wanted interval, UTC microseconds; nil: no bound.
  public var untilMicroseconds: Int64? { table.pointee.until_us == .max ? nil : table.pointee.until_us }
  /// The meter's Bluetooth address: six bytes, least significant first, as they go over the air.
  public var address: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) { table.pointee.address }
  /// True when the address is a random one.
  public var addressIsRandom: Bool { table.pointee.address_type == 1 }
  /// The user slot of the meter that belongs to the session's user, or nil when it is not known.
  public var userSlot: UInt8? { integer(MH_PARAM_USER_SLOT).flatMap { UInt8(exactly: $0) } }
  /// How many records are wanted; 0: all.
  public var limit: UInt32 { table.pointee.limit }
  /// How many parameters the registry gives.
  @inlinable
  public var parameterCount: Int { Int(table.pointee.n_params) }

  /// An integer parameter by its name (`MH_PARAM_*`), or nil when the registry gives none.
  @inlinable
  public func integer(_ name: UInt32) -> Int64? {
    guard let parameters = table.pointee.params else { return nil }
    for index in 0..<Int(table.pointee.n_params) where UInt32(parameters[index].name) == name {
      return parameters[index].type == 1 ? parameters[index].i : nil
    }
    return nil
  }

  /// True when the integer parameter exists and is not 0: how quirks are switched on.
  @inlinable
  public func isOn(_ name: UInt32) -> Bool { (integer(name) ?? 0) != 0 }

  /// A parameter of type bytes or text by its name, or nil when the registry gives none.
  @_lifetime(borrow self)
  public func bytes(_ name: UInt32) -> RawSpan? {
    guard let parameters = table.pointee.params else { return nil }
    for index in 0..<Int(table.pointee.n_params) where UInt32(parameters[index].name) == name {
      guard parameters[index].type == 3 || parameters[index].type == 4 else { return nil }
      return _overrideLifetime(lend(parameters[index].b), borrowing: self)
    }
    return nil
  }

  /// The manufacturer name (2A29) as UTF-8, empty when unknown.
  public var manufacturer: RawSpan {
    @_lifetime(borrow self) get { _overrideLifetime(lend(table.pointee.manufacturer), borrowing: self) }
  }
  /// The model number (2A24) as UTF-8, empty when unknown.
  public var model: RawSpan {
    @_lifetime(borrow self) get { _overrideLifetime(lend(table.pointee.model), borrowing: self) }
  }
  /// The device name (2A00) as UTF-8, empty when unknown.
  public var name: RawSpan {
    @_lifetime(borrow self) get { _overrideLifetime(lend(table.pointee.name), borrowing: self) }
  }
  /// The name in the advertisement as UTF-8, empty when it has none.
  public var advertisedName: RawSpan {
    @_lifetime(borrow self) get { _overrideLifetime(lend(table.pointee.advertised_name), borrowing: self) }
  }
  /// The advertisement's data as it was received.
  public var advertisement: RawSpan {
    @_lifetime(borrow self) get { _overrideLifetime(lend(table.pointee.advertisement), borrowing: self) }
  }
}

/// Why a session is opened (`MH_PURPOSE_*`).
public struct Purpose: Equatable {
  /// The contract's number.
  public let rawValue: UInt32

  /// Takes the contract's number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Read the meter.
  public static var read: Purpose { Purpose(rawValue: 1) }
  /// Pair with the meter and read nothing.
  public static var pair: Purpose { Purpose(rawValue: 2) }
  /// Read the meter whenever it appears. Hosts so far open such reads with ``read``.
  public static var passive: Purpose { Purpose(rawValue: 3) }
  /// Set the meter's clock. Hosts so far set it within a read, where the parameter asks for it.
  public static var clock: Purpose { Purpose(rawValue: 4) }
  /// No meter is behind it: values that a tool has decoded.
  public static var test: Purpose { Purpose(rawValue: 5) }
}
