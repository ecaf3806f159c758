import CMeterDriver

@testable import DriverTestBench

/// What a scale says, and the tokens of its session.
enum TalkingScale {
  enum Token {
    static let notify: UInt64 = 1
    static let indicate: UInt64 = 2
    static let write: UInt64 = 3
    static let rest: UInt64 = 4
    static let silence: UInt64 = 5
  }

  static let notify: UInt16 = 10
  /// 2026-01-01.
  static let newYear: Int64 = 1_767_225_600
  static let services: [(handle: UInt16, properties: UInt16, id: UInt16)] = [(10, 0x10, 0xfff1), (12, 0x0c, 0xfff2)]
  static let olderServices: [(handle: UInt16, properties: UInt16, id: UInt16)] = [
    (10, 0x10, 0xffe1), (12, 0x20, 0xffe2), (14, 0x04, 0xffe3), (16, 0x08, 0xffe4),
  ]

  /// Frames of real scales.
  static let info: [UInt8] = [
    0x12, 0x11, 0xff, 0x23, 0x0a, 0x67, 0, 3, 0xff, 3, 3, 5, 0, 0, 5, 7, 0xcf,
  ]
  static let asksForTime: [UInt8] = [0x14, 0x0b, 0xff, 0, 0, 1, 0, 0, 0, 0, 0x1f]
  static let asksForNobody: [UInt8] = [0x21, 0x04, 0xff, 0x01, 0x25]
  static let asksWho: [UInt8] = [0x21, 0x05, 0xff, 0x01, 0x26]
  static let guestTaken: [UInt8] = [0xa1, 0x06, 0x02, 0xfe, 0x01, 0xa8]
  static let nothingStored: [UInt8] = [
    0x23, 0x13, 0xff, 0, 0, 0x94, 0xb7, 0xb6, 0x31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x67,
  ]
  static let moving: [UInt8] = [0x10, 0x0b, 0xff, 0x15, 0x22, 0, 0, 0, 0, 0, 0x51]
  static let standing: [UInt8] = [0x10, 0x0b, 0xff, 0x15, 0x81, 0x11, 0, 0, 0, 0, 0xc1]
  static let final: [UInt8] = [0x10, 0x0b, 0xff, 0x15, 0x81, 0x01, 0x01, 0xfc, 0x01, 0xf4, 0xa3]

  static func frame(_ bytes: [UInt8]) -> [UInt8] { bytes + [bytes.reduce(0, &+)] }

  static func weight(_ hundredths: UInt16, state: UInt8) -> [UInt8] {
    frame([0x10, 0x0b, 0xff, UInt8(hundredths >> 8), UInt8(hundredths & 0xff), state, 0, 0, 0, 0])
  }

  /// One of so many that are stored, of so many seconds after the new year.
  static func stored(
    _ index: UInt8 = 1, of count: UInt8 = 1, _ hundredths: UInt16 = 7385, impedance: UInt8 = 200,
    after seconds: Int64 = 0,
    slot: UInt8? = nil
  ) -> [UInt8] {
    let time = UInt32(newYear - 946_684_800 + seconds)
    let fields = (0..<4).map { UInt8(truncatingIfNeeded: time >> (8 * UInt32($0))) }
    let body = fields + [UInt8(hundredths >> 8), UInt8(hundredths & 0xff), 0, impedance, 0, 0]
    return frame(
      [0x23, 0x13, 0xff, count, index] + (slot.map { [$0] + body + [0, 0] } ?? body + [0, 0, 0]))
  }

  static func opened(
    _ host: TestHost, passive: Bool = false, trusted: Bool = true, at seconds: Int64 = newYear
  ) throws -> TestSession {
    let session = try host.open(
      TestOpening(
        purpose: UInt32(passive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ),
        clockTrust: UInt32(trusted ? MH_CLOCK_SYNCHRONISED : MH_CLOCK_UNKNOWN)))
    session.unixMicroseconds = seconds * 1_000_000
    return session
  }

  /// A session whose scale has asked for everything, and has not sent a weight.
  static func measuring(
    _ host: TestHost, asks: [UInt8] = asksForNobody, trusted: Bool = true, at seconds: Int64 = newYear
  ) throws -> TestSession {
    let session = try opened(host, trusted: trusted, at: seconds)
    session.commit(.services(services, service: 0xfff0))
    session.commit(.subscribed(token: Token.notify))
    for frame in [info, asksForTime, asks] { session.say(frame) }
    return session
  }
}

extension TestSession {
  @discardableResult
  func say(_ frame: [UInt8]) -> TestUnit { commit(.notification(TalkingScale.notify, frame)) }
}

extension TestUnit {
  var failure: Int32? { actions.first { $0.kind == MH_DO_FAIL }?.code }
  var hasFinished: Bool { actions.contains { $0.kind == MH_DO_FINISH } }
  var numbers: [[Double]] { records.map { $0.values.map(\.value) } }
  /// What is written to the scale.
  var written: [[UInt8]] {
    actions.filter { $0.kind == MH_DO_WRITE || $0.kind == MH_DO_WRITE_NO_RESPONSE }.map(\.value)
  }
}
