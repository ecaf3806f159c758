public import CMeterDriver

/// Where records go. One record is open at a time: `begin`, any number of `add`, `identify`, then `end`.
///
/// Inside `decode` the records go straight into the host's arrays; a record that does not fit is dropped as a whole and
/// the library tells the host, so a driver never checks for room (rule R13). Inside a session the arrays grow.
public struct RecordOutput: ~Copyable {
  @usableFromInline var records: UnsafeMutablePointer<mh_record>?
  @usableFromInline var values: UnsafeMutablePointer<mh_value>?
  @usableFromInline var arena: UnsafeMutablePointer<UInt8>?
  @usableFromInline var texts: UnsafeMutablePointer<mh_text>?
  @usableFromInline var recordCount: Int
  @usableFromInline var valueCount: Int
  @usableFromInline var arenaCount: Int
  @usableFromInline var textCount: Int
  @usableFromInline var recordCapacity: Int
  @usableFromInline var valueCapacity: Int
  @usableFromInline var arenaCapacity: Int
  @usableFromInline var textCapacity: Int
  @usableFromInline var firstValue: Int
  @usableFromInline var firstByte: Int
  @usableFromInline let grows: Bool
  /// True from the first thing that found no room until the library rolls back.
  @usableFromInline var overflowed: Bool

  /// An output of its own that grows.
  init() {
    records = nil
    values = nil
    arena = nil
    texts = nil
    recordCount = 0
    valueCount = 0
    arenaCount = 0
    textCount = 0
    recordCapacity = 0
    valueCapacity = 0
    arenaCapacity = 0
    textCapacity = 0
    firstValue = 0
    firstByte = 0
    grows = true
    overflowed = false
  }

  /// Appends to the host's arrays, which are borrowed for the call.
  init(appendingTo sink: UnsafeMutablePointer<mh_sink>) {
    records = sink.pointee.records
    values = sink.pointee.values
    arena = sink.pointee.arena
    texts = sink.pointee.texts
    recordCount = Int(sink.pointee.n_records)
    valueCount = Int(sink.pointee.n_values)
    arenaCount = Int(sink.pointee.n_arena)
    textCount = Int(sink.pointee.n_texts)
    recordCapacity = sink.pointee.records == nil ? 0 : Int(clamping: sink.pointee.cap_records)
    valueCapacity = sink.pointee.values == nil ? 0 : Int(clamping: sink.pointee.cap_values)
    arenaCapacity = sink.pointee.arena == nil ? 0 : Int(clamping: sink.pointee.cap_arena)
    textCapacity = sink.pointee.texts == nil ? 0 : Int(clamping: sink.pointee.cap_texts)
    firstValue = valueCount
    firstByte = arenaCount
    grows = false
    overflowed = false
  }

  deinit {
    guard grows else { return }
    records?.deallocate()
    values?.deallocate()
    arena?.deallocate()
    texts?.deallocate()
  }

  /// Starts a record. What was begun and not ended is dropped.
  @inlinable
  @inline(__always)
  public mutating func begin() {
    valueCount = firstValue
    arenaCount = firstByte
  }

  /// Adds an exact decimal value.
  ///
  /// - Parameter isRounded: The meter reports steps that are no decimal fraction of the unit, and `number` is rounded
  ///   to its last digit.
  @inlinable
  @inline(__always)
  public mutating func add(
    _ metric: Metric, _ unit: Unit, _ number: Decimal, _ qualifier: Qualifier = .exact, isRounded: Bool = false
  ) {
    guard let slot = valueSlot() else { return }
    slot.initialize(
      to: mh_value(
        metric: metric.code, unit: unit.code, exp10: number.exponent, qualifier: qualifier.rawValue,
        flags: isRounded ? 1 : 0,
        value: number.doubleValue, raw: number.mantissa))
  }

  /// Adds a coded or counted value, which has no unit.
  @inlinable
  @inline(__always)
  public mutating func add(_ metric: Metric, code: Int64) {
    guard let slot = valueSlot() else { return }
    slot.initialize(
      to: mh_value(metric: metric.code, unit: 1, exp10: 0, qualifier: 0, flags: 0, value: Double(code), raw: code))
  }

  /// Appends one byte of the record's identity.
  @inlinable
  @inline(__always)
  public mutating func identify(_ byte: UInt8) {
    guard arenaCount < arenaCapacity || makeRoomForBytes(1), let arena else { return }
    arena[arenaCount] = byte
    arenaCount &+= 1
  }

  /// Appends two bytes, least significant first, of the record's identity.
  @inlinable
  @inline(__always)
  public mutating func identify(_ number: UInt16) {
    guard arenaCapacity &- arenaCount >= 2 || makeRoomForBytes(2), let arena else { return }
    UnsafeMutableRawPointer(arena + arenaCount).storeBytes(of: number.littleEndian, as: UInt16.self)
    arenaCount &+= 2
  }

  /// Appends four bytes, least significant first, of the record's identity.
  @inlinable
  @inline(__always)
  public mutating func identify(_ number: UInt32) {
    guard arenaCapacity &- arenaCount >= 4 || makeRoomForBytes(4), let arena else { return }
    UnsafeMutableRawPointer(arena + arenaCount).storeBytes(of: number.littleEndian, as: UInt32.self)
    arenaCount &+= 4
  }

  /// Appends eight bytes, least significant first, of the record's identity.
  @inlinable
  @inline(__always)
  public mutating func identify(_ number: UInt64) {
    guard arenaCapacity &- arenaCount >= 8 || makeRoomForBytes(8), let arena else { return }
    UnsafeMutableRawPointer(arena + arenaCount).storeBytes(of: number.littleEndian, as: UInt64.self)
    arenaCount &+= 8
  }

  /// Ends the record: from here on it is part of the output.
  ///
  /// - Parameters:
  ///   - sequence: The meter's own number of the record, nil when it has none.
  ///   - deviceUser: The meter's user slot as the meter numbers it, nil when it does not say.
  ///   - end: End of the interval that the record covers, microseconds in the same scale as `time`; nil for a moment.
  ///   - group: Records that belong to one act of measuring carry the same number; 0: alone.
  @inlinable
  @inline(__always)
  public mutating func end(
    _ kind: RecordKind, _ identity: IdentityClass, time: RecordTime = .none, sequence: UInt64? = nil,
    flags: RecordFlags = [], deviceUser: UInt16? = nil, until end: Int64? = nil, group: UInt32 = 0
  ) {
    guard recordCount < recordCapacity || makeRoomForRecord(), !overflowed, let records else { return }
    let slot = records + recordCount
    let microseconds: Int64
    let timeKind: UInt16
    var offset = Int32.min
    switch time {
    case .none: (timeKind, microseconds) = (0, 0)
    case .civil(let civil): (timeKind, microseconds) = (1, civil)
    case .civilWithOffset(let civil, let seconds): (timeKind, microseconds, offset) = (2, civil, seconds)
    case .utc(let utc): (timeKind, microseconds) = (3, utc)
    }
    slot.initialize(
      to: mh_record(
        kind: kind.rawValue, flags: deviceUser == nil ? flags.rawValue : flags.rawValue | MH_REC_USER,
        n_values: UInt16(truncatingIfNeeded: valueCount &- firstValue),
        n_texts: 0, device_user: deviceUser ?? 0, time_kind: timeKind, t_us: microseconds, end_us: end ?? microseconds,
        device_seq: sequence ?? .max, utc_offset_s: offset, first_value: UInt32(truncatingIfNeeded: firstValue),
        first_text: UInt32(truncatingIfNeeded: textCount), group: group,
        ident_off: UInt32(truncatingIfNeeded: firstByte),
        ident_len: UInt16(truncatingIfNeeded: arenaCount &- firstByte), ident_class: identity.rawValue))
    recordCount &+= 1
    firstValue = valueCount
    firstByte = arenaCount
  }

  @inlinable
  @inline(__always)
  mutating func valueSlot() -> UnsafeMutablePointer<mh_value>? {
    guard valueCount < valueCapacity || makeRoomForValue(), let values else { return nil }
    let slot = values + valueCount
    valueCount &+= 1
    return slot
  }
}
