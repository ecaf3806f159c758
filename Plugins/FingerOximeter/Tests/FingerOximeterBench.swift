import CMeterDriver
@testable import DriverTestBench
import Testing

/// The kinds of oximeters, their characteristics, and packets of them.
enum Kind: CaseIterable {
  case bci, jumper, lepu, contec, viatom

  static let second: UInt64 = 1_000_000_000

  private static func uuid(_ bytes: [UInt8]) -> mh_uuid {
    var uuid = mh_uuid()
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    return uuid
  }

  private static func vendor(_ head: [UInt8], _ tail: [UInt8]) -> mh_uuid { uuid(head + tail) }

  var service: mh_uuid {
    switch self {
    case .bci:
      Self.vendor([0x49, 0x53, 0x53, 0x43, 0xfe, 0x7d, 0x4a, 0xe5], [0x8f, 0xa9, 0x9f, 0xaf, 0xd2, 0x05, 0xe4, 0x55])
    case .jumper: Self.vendor([0xcd, 0xea, 0xcb, 0x80, 0x52, 0x35, 0x4c, 0x07], Self.jumperTail)
    case .lepu: Self.vendor([0x6e, 0x40, 0x00, 0x01, 0xb5, 0xa3, 0xf3, 0x93], Self.nordicTail)
    case .contec: mh_uuid16(0xff12)
    case .viatom: mh_uuid16(0xffe0)
    }
  }

  var notify: mh_uuid {
    switch self {
    case .bci:
      Self.vendor([0x49, 0x53, 0x53, 0x43, 0x1e, 0x4d, 0x4b, 0xd9], [0xba, 0x61, 0x23, 0xc6, 0x47, 0x24, 0x96, 0x16])
    case .jumper: Self.vendor([0xcd, 0xea, 0xcb, 0x81, 0x52, 0x35, 0x4c, 0x07], Self.jumperTail)
    case .lepu: Self.vendor([0x6e, 0x40, 0x00, 0x03, 0xb5, 0xa3, 0xf3, 0x93], Self.nordicTail)
    case .contec: mh_uuid16(0xff02)
    case .viatom: mh_uuid16(0xffe4)
    }
  }

  private static let jumperTail: [UInt8] = [0x88, 0x46, 0x93, 0xa3, 0x7e, 0xe6, 0xb8, 0x6d]
  private static let nordicTail: [UInt8] = [0xe0, 0xa9, 0xe5, 0x0e, 0x24, 0xdc, 0xca, 0x9e]

  /// The number by which `decode` knows the notifications.
  var characteristic: UInt16 {
    switch self {
    case .bci: 0x8001
    case .jumper: 0x8002
    case .lepu: 0x8003
    case .contec: 0xff02
    case .viatom: 0xffe4
    }
  }

  var characteristics: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)] {
    let notify: (handle: UInt16, properties: UInt16, uuid: mh_uuid) = (20, 0x10, notify)
    return self == .contec ? [(18, 0x0c, mh_uuid16(0xff01)), notify] : [notify]
  }

  /// A packet with these values; of BCI with the first byte of the next one, so that it counts at once.
  func packet(_ spo2: UInt8, _ pulse: UInt8) -> [UInt8] {
    switch self {
    case .bci: [0x87, 0x32, 0x06 | (pulse >> 1) & 0x40, pulse & 0x7f, spo2]
    case .jumper: [0x81, pulse, spo2, 0x22]
    case .lepu: Self.lepu([0x0f, 0x08, 0x01, spo2, pulse, 0, 0x22, 0, 0xc0])
    case .contec: Self.contec([0xeb, 0x01, 0x04 | (pulse >> 6) & 0x02, pulse & 0x7f, spo2, 0x7f, 0])
    case .viatom: Self.viatom([0xfe, 0x0a, 0x55, 0, pulse, spo2, 0x14, 0xbf, 0x39])
    }
  }

  var noFinger: [UInt8] {
    switch self {
    case .bci: [0x8f, 0, 0x10, 0x7f, 0x7f]
    case .jumper: [0x81, 0xff, 0x7f, 0]
    case .lepu: Self.lepu([0x0f, 0x08, 0x01, 97, 70, 0, 0x22, 0x02, 0xc0])
    case .contec: Self.contec([0xeb, 0x01, 0x06, 0x7f, 0x7f, 0x7f, 0])
    case .viatom: Self.viatom([0xfe, 0x0a, 0x55, 1, 0xff, 0x7f, 0, 0, 0x39])
    }
  }

  static func lepu(_ body: [UInt8]) -> [UInt8] {
    let bytes = [0xaa, 0x55] + body
    let sum = bytes.reduce(into: UInt8(0)) { sum, byte in
      sum ^= byte
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x8c : sum >> 1 }
    }
    return bytes + [sum]
  }

  static func contec(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8(bytes.reduce(0) { $0 + Int($1) } & 0x7f)] }

  static func viatom(_ bytes: [UInt8], more: Int = 2) -> [UInt8] {
    bytes + [UInt8((bytes.reduce(more) { $0 + Int($1) }) & 0xff)]
  }

  /// A session that waits for values.
  func measuring(_ host: TestHost, _ opening: TestOpening = TestOpening(), version: UInt8? = 11) throws -> TestSession {
    let session = try host.open(opening)
    session.monotonicNanoseconds = 0
    #expect(session.commit(.vendorServices(characteristics, service: service)).actions.map(\.kind) == [MH_DO_SUBSCRIBE])
    let unit = session.commit(.subscribed(token: 1))
    guard self == .contec, opening.parameters.isEmpty else {
      #expect(unit.actions.contains { $0.kind == MH_DO_READY })
      return session
    }
    #expect(
      unit.actions.map(\.kind) == [MH_DO_WRITE_NO_RESPONSE, MH_DO_TIMER] && unit.actions[0].value == [0x82, 0x02])
    let started =
      version.map { session.commit(.notification(20, [0xf2, 0, 0, 2, 2, 0, $0, 1])) } ?? session.commit(.timer(3))
    #expect(started.actions.contains { $0.value == [0x9b, 0x01, 0x1c] })
    return session
  }
}
