import CMeterDriver
@testable import DriverTestBench

/// A packet of a scale, and the second at which it is sent.
struct ScalePacket: Sendable {
  /// What the scale's clock says: it is set, was never set and counts from 1970, or says nothing.
  enum Clock: Sendable, CaseIterable { case set, unset, none }

  enum Kind: Sendable { case swing, stable, off }

  var kind: Kind
  /// Steps of 0.005 kg.
  var raw: UInt16
  var second: Int64
  /// The second that its date means.
  var date: Int64
  var impedance: UInt16 = 0
  /// Bits of the unit.
  var unit: UInt8 = 0

  private init(_ kind: Kind, _ kilograms: Double, _ second: Int64, _ date: Int64?, _ impedance: UInt16 = 0) {
    (self.kind, self.second, self.date, self.impedance) = (kind, second, date ?? second, impedance)
    raw = UInt16((kilograms * 200).rounded())
  }

  static func swing(_ kilograms: Double, _ second: Int64) -> ScalePacket { ScalePacket(.swing, kilograms, second, nil) }

  static func stable(_ kilograms: Double, _ second: Int64, date: Int64? = nil, impedance: UInt16 = 0) -> ScalePacket {
    ScalePacket(.stable, kilograms, second, date, impedance)
  }

  static func off(_ kilograms: Double, _ second: Int64, date: Int64? = nil) -> ScalePacket {
    ScalePacket(.off, kilograms, second, date)
  }

  func event(_ clock: Clock, isBody: Bool = false) -> TestEvent {
    let weight = [UInt8(raw & 0xff), UInt8(raw >> 8)]
    var state: UInt8 =
      switch kind {
      case .swing: 0
      case .stable: 0x20
      case .off: 0xa0
      }
    guard isBody else { return MiScaleSessionTests.advertisement(0x1d, [state | 2 | unit] + weight + dateBytes(clock)) }
    if impedance != 0 { state |= 2 }
    return MiScaleSessionTests.advertisement(
      0x1b, [2 | unit, state | 4] + dateBytes(clock) + [UInt8(impedance & 0xff), UInt8(impedance >> 8)] + weight)
  }

  private func dateBytes(_ clock: Clock) -> [UInt8] {
    let (day, rest) = (UInt8(date / 86_400), date % 86_400)
    let time = [UInt8(rest / 3600), UInt8(rest / 60 % 60), UInt8(rest % 60)]
    return switch clock {
    case .set: [0xea, 7, 11, 20 + day] + time
    case .unset: [0xb2, 7, 1, 1 + day] + time
    case .none: [0, 0, 0, 0, 0, 0, 0]
    }
  }
}

/// Passive reading in small: a session ends with what it delivers, and the next packet opens another one.
final class ScaleReader {
  private let host: TestHost
  private let clock: ScalePacket.Clock
  private let isBody: Bool
  private let isPassive: Bool
  private var session: TestSession?
  private var now: Int64 = 0
  /// When the weight that waits for its impedance goes without.
  private var due: Int64?
  private(set) var records: [TestRecord] = []

  /// - Parameter isPassive: Whether a session goes on behind what it delivers.
  init(_ host: TestHost, clock: ScalePacket.Clock = .set, isBody: Bool = false, isPassive: Bool = false) {
    (self.host, self.clock, self.isBody, self.isPassive) = (host, clock, isBody, isPassive)
  }

  convenience init(clock: ScalePacket.Clock, isBody: Bool = false) throws {
    self.init(try TestHost(bundle: "mi-scale"), clock: clock, isBody: isBody)
  }

  func hear(_ packet: ScalePacket) throws { try hear(packet.event(clock, isBody: isBody), at: packet.second) }

  func hear(_ event: TestEvent, at second: Int64) throws {
    if let due, due <= second { give(.timer(MiScaleSessionTests.Token.impedance), at: due) }
    if session == nil {
      session = try host.open(TestOpening(purpose: UInt32(isPassive ? MH_PURPOSE_PASSIVE : MH_PURPOSE_READ)))
    }
    give(event, at: second)
  }

  func fallSilent() {
    give(.disconnected, at: now + 5)
    session = nil
    due = nil
  }

  private func give(_ event: TestEvent, at second: Int64) {
    guard let session else { return }
    now = second
    session.unixMicroseconds = (1_790_000_000 + second) * 1_000_000
    let unit = session.commit(event)
    records += unit.records.filter { $0.flags & MH_REC_PROVISIONAL == 0 }
    if case .timer = event { due = nil }
    for action in unit.actions {
      switch action.kind {
      case MH_DO_TIMER where action.token == MiScaleSessionTests.Token.impedance: due = second + 10
      case MH_DO_CANCEL_TIMER: due = nil
      case MH_DO_FINISH, MH_DO_FAIL: (self.session, due) = (nil, nil)
      default: break
      }
    }
  }
}
