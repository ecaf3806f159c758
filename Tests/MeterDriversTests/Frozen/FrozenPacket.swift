import DriverContract
import MeterDrivers

/// What the meter of the frozen drivers sends (Tests/Frozen/next/driver.h), and the record that must come of it.
struct FrozenPacket {
  var sequence: UInt16 = 5
  var seconds: UInt32 = 100
  var raw: Int16 = 55
  var exponent: Int8 = -1
  var user: UInt16?
  var hasNote = false
  var flags: DriverRecordFlags = []
  var isRounded = false
  var qualifier = DriverQualifier.exact
  var time = DriverTimeKind.civilWithOffset
  var identity = DriverIdentityClass.stored
  var isContext = false

  /// Each of a record's forms at least once.
  static let all: [FrozenPacket] =
    [FrozenPacket(hasNote: true), FrozenPacket(user: 0), FrozenPacket(user: 3), FrozenPacket(isRounded: true)]
    + [.control, .provisional, .clockSuspect, .held, .tombstone, [.control, .held]].map { FrozenPacket(flags: $0) }
    + DriverQualifier.allCases.map { FrozenPacket(qualifier: $0) }
    + DriverTimeKind.allCases.map { FrozenPacket(time: $0) } + [FrozenPacket(seconds: 0, time: .utc)]
    + [.stored, .live, .summary].map { FrozenPacket(identity: $0) }
    + [.stored, .unidentified].map { FrozenPacket(identity: $0, isContext: true) }
    + [FrozenPacket(raw: 0), FrozenPacket(raw: .max, exponent: 9), FrozenPacket(exponent: -9)]

  var bytes: [UInt8] {
    // Bits 1 to 5 are the record's flags in their order.
    let order: [DriverRecordFlags] = [.control, .provisional, .clockSuspect, .held, .tombstone]
    var bits: UInt16 = hasNote ? 1 : 0
    for (index, flag) in order.enumerated() where flags.contains(flag) { bits |= 2 << UInt16(index) }
    if user != nil { bits |= 1 << 6 }
    if isRounded { bits |= 1 << 7 }
    bits |= UInt16(qualifier.rawValue) << 8 | time.rawValue << 10 | identity.rawValue << 12
    if isContext { bits |= 1 << 14 }
    return little(bits) + identityBytes + [UInt8(truncatingIfNeeded: user ?? 9)]
  }

  private var identityBytes: [UInt8] {
    little(sequence) + little(seconds) + little(raw) + [UInt8(bitPattern: exponent)]
  }

  private func little(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  func record(arrival: Int64, group: UInt32 = 0) -> DriverRecord {
    var start = Int64(seconds) * 1_000_000
    if time == .none { start = 0 }
    if time == .utc, seconds == 0 { start = arrival }
    let isSum = identity == .summary && time != .none
    let scale = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
    let value = DriverValue(
      metric: isContext ? 101 : 1, unit: isContext ? 15 : 3, exponent: exponent, qualifier: qualifier,
      value: exponent < 0 ? Double(raw) / scale : Double(raw) * scale, raw: Int64(raw), isRounded: isRounded)
    return DriverRecord(
      kind: isContext ? .context : .measurement, flags: flags, deviceUser: user, timeKind: time,
      startMicroseconds: start, endMicroseconds: start + (isSum ? 3_600_000_000 : 0),
      deviceSequence: UInt64(sequence), utcOffsetSeconds: time == .civilWithOffset ? 3_600 : nil, group: group,
      identity: identityBytes, identityClass: identity, values: [value],
      texts: hasNote ? [DriverText(field: 304, text: "before breakfast")] : [])
  }
}

/// A session of a frozen driver under today's host.
actor FrozenSession {
  static let now: Int64 = 77_000_000
  private let session: any DriverSession
  private var sequence: UInt64 = 0

  init(_ session: any DriverSession) { self.session = session }

  /// Hands over the next event.
  func send(_ fact: DriverFact, token: UInt64 = 0) async throws -> DriverUnit {
    sequence += 1
    return try await session.handle(
      DriverEvent(
        sequence: sequence, token: token, monotonicNanoseconds: sequence, unixMicroseconds: Self.now, fact: fact))
  }

  func close() async { await session.close() }
}

/// Statuses as the contract has them.
enum MH {
  static let unsupported: Int32 = -2
  static let protocolError: Int32 = -3
  static let denied: Int32 = -6
}
