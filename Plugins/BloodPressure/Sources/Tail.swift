import MeterDriver

/// What follows the time of a measurement: pulse, user and status, as the profile lays them out or as some monitors do.
///
/// Monitors of Beurer, and of others that build the same module in, send pulse and status with their high byte first, and a user
/// id that their flags do not announce. Neither name nor Device Information always tells which they are, but the bytes
/// mostly do: a pulse that a person can have in one order is none in the other.
struct Tail {
  private(set) var pulse: UInt16?
  private(set) var user: UInt8?
  private(set) var status: UInt16?
  /// Both layouts are possible and differ, and something hints at the monitors' own: a person decides.
  private(set) var isUncertain = false

  private enum Layout {
    case profile
    case swapped
    case either
  }

  /// - Throws: ``DecodeError/truncated(at:)`` when the bytes end before what the flags announce.
  @inline(__always)
  @_lifetime(reader: copy reader)
  init(_ reader: inout ByteReader, flags: UInt8, _ quirks: Quirks) throws(DecodeError) {
    let hasPulse = flags & 0x04 != 0
    let announcesUser = flags & 0x08 != 0
    let hasStatus = flags & 0x10 != 0
    let announced = (hasPulse ? 2 : 0) + (announcesUser ? 1 : 0) + (hasStatus ? 2 : 0)
    let hasOneMore = !announcesUser && reader.remaining == announced + 1
    let sent: UInt16? = hasPulse ? try reader.uint16() : nil
    var rest: UInt64 = 0
    let count = announced - (hasPulse ? 2 : 0) + (hasOneMore ? 1 : 0)
    var index = 0
    while index < count {
      rest |= UInt64(try reader.uint8()) << UInt64(8 * index)
      index += 1
    }
    switch Tail.layout(sent, hasOneMore: hasOneMore, quirks) {
    case .profile:
      self.init(sent, rest, flags, isSwapped: false, hasUser: announcesUser || quirks.unannouncedUser && hasOneMore)
    case .swapped:
      self.init(sent, rest, flags, isSwapped: true, hasUser: announcesUser || hasOneMore)
      // Those monitors send a user id; where it is not, the status may lie elsewhere, or in the other order.
      if hasStatus, !announcesUser, !hasOneMore {
        status = nil
        isUncertain = true
      }
    case .either:
      self.init(sent, rest, flags, isSwapped: false, hasUser: announcesUser)
      let other = Tail(sent, rest, flags, isSwapped: true, hasUser: announcesUser || hasOneMore)
      isUncertain =
        user != other.user || status != other.status
        || pulse != other.pulse && pulse.map(Tail.isPossible) == true && other.pulse.map(Tail.isPossible) == true
    }
  }

  private init(_ sent: UInt16?, _ rest: UInt64, _ flags: UInt8, isSwapped: Bool, hasUser: Bool) {
    pulse = sent.map { isSwapped ? $0.byteSwapped : $0 }
    var rest = rest
    if hasUser {
      user = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
    if flags & 0x10 != 0 {
      let field = UInt16(truncatingIfNeeded: rest)
      status = isSwapped ? field.byteSwapped : field
    }
  }

  /// The profile's unless the bytes rule it out; the other one where it is known of the monitor and possible.
  private static func layout(_ sent: UInt16?, hasOneMore: Bool, _ quirks: Quirks) -> Layout {
    guard let sent else { return quirks.bigEndianTail ? .swapped : quirks.mayBeBigEndian ? .either : .profile }
    let isHinted = quirks.mayBeBigEndian || hasOneMore
    switch (isPossible(sent), isPossible(sent.byteSwapped)) {
    case (true, false): return .profile
    case (false, true): return .swapped
    default: return quirks.bigEndianTail ? .swapped : isHinted ? .either : .profile
    }
  }

  /// Whether a field can be a pulse: a rate that a cuff can count and a person can have, or a mark for none.
  private static func isPossible(_ field: UInt16) -> Bool {
    if field == 0x07ff || field == 0x0800 || field == 0 { return true }
    guard let rate = MedicalFloat(sfloat: field).decimal else { return false }
    return (10...250).contains(rate.doubleValue)
  }
}
