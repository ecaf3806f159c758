import CMeterDriver
@testable import DriverTestBench

/// A OneTouch meter with its counters, its clock and its liberties. Pure: values in, values out. Its frames are made here
/// byte by byte and not with the driver's own files, so that a mistake in those is seen.
struct SimulatedOneTouchMeter {
  struct Stored: Equatable {
    var number: UInt16
    var seconds: UInt32
    var value: UInt16
    var control: UInt8 = 0
    var rest: [UInt8] = [0, 0, 0, 0]

    var bytes: [UInt8] { little(seconds, 4) + little(UInt32(value), 2) + [control] + rest }
  }

  var stored: [Stored] = []
  /// The T counter; by default that of the newest record.
  var newest: UInt32?
  /// The R counter; by default the number of records.
  var count: UInt16?
  var clock: UInt32 = 800_000_000
  var fragmentSize = 20
  var countsFragmentsUp = false
  /// A record is gone once its reply is acknowledged.
  var forgetsAcknowledged = false
  /// Answers 07 until the link is encrypted.
  var wantsPairing = false
  var isEncrypted = false
  /// Statuses in place of an answer, by the command's first byte.
  var refusals: [UInt8: UInt8] = [:]
  /// Sends this many replies twice; the second comes after the next command's acknowledgement.
  var lateRepeats = 0
  /// Damages this many replies.
  var damages = 0
  /// Says nothing to this many commands.
  var silences = 0

  private(set) var commands: [[UInt8]] = []
  /// What the driver acknowledged, in order.
  private(set) var acknowledgements: [UInt8] = []
  private var outgoing: [[UInt8]] = []
  private var incoming: [UInt8] = []
  private var awaited: UInt16?
  private var late: [UInt8]?

  init(stored: [Stored] = []) { self.stored = stored }

  /// Starts a connection.
  mutating func connect() {
    outgoing = []
    incoming = []
    awaited = nil
    late = nil
    commands = []
    acknowledgements = []
  }

  /// What the meter notifies after a write.
  mutating func wrote(_ value: [UInt8]) -> [[UInt8]] {
    guard let header = value.first else { return [] }
    if header & 0xc0 == 0x80 {
      acknowledgements.append(header)
      guard outgoing.isEmpty else { return [outgoing.removeFirst()] }
      if forgetsAcknowledged, let awaited { stored.removeAll { $0.number == awaited } }
      awaited = nil
      return []
    }
    if header & 0xc0 == 0 { incoming = [] }
    incoming += value[1...]
    let acknowledgement = [0x80 | header & 0x3f]
    guard header & 0x3f == 1 else { return [acknowledgement] }
    let payload = Array(incoming[4..<incoming.count - 3])
    commands.append(payload)
    if silences > 0 {
      silences -= 1
      return []
    }
    var values = [acknowledgement]
    if let late {
      values.append(late)
      self.late = nil
    }
    return values + reply(to: payload)
  }

  private mutating func reply(to command: [UInt8]) -> [[UInt8]] {
    var frame = frameOf(answer(command))
    if damages > 0 {
      damages -= 1
      frame[5] ^= 0x40
    }
    var fragments = cut(frame)
    if lateRepeats > 0, command[0] == 0xb3, fragments.count == 1 {
      lateRepeats -= 1
      late = fragments[0]
    }
    let first = fragments.removeFirst()
    outgoing = fragments
    return [first]
  }

  private mutating func answer(_ command: [UInt8]) -> [UInt8] {
    if wantsPairing, !isEncrypted { return [7] }
    if let status = refusals[command[0]] { return [status] }
    awaited = nil
    switch command {
    case [0x20, 2]: return [6] + little(clock, 4)
    case [0x0a, 2, 6]: return [6] + little(newest ?? UInt32(stored.last?.number ?? 0), 4)
    case [0x27, 0]: return [6] + little(UInt32(count ?? UInt16(stored.count)), 2)
    default: break
    }
    if command.count == 6, command[0] == 0x20, command[1] == 1 {
      clock = command[2...].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      return [6]
    }
    guard command.count == 3, command[0] == 0xb3 else { return [8] }
    let number = UInt16(command[1]) | UInt16(command[2]) << 8
    guard let record = stored.first(where: { $0.number == number }) else { return [9] }
    awaited = number
    return [6] + record.bytes
  }

  private func cut(_ frame: [UInt8]) -> [[UInt8]] {
    let room = fragmentSize - 1
    let count = (frame.count + room - 1) / room
    return (0..<count).map { index in
      let number = index == 0 ? count : countsFragmentsUp ? index : count - index
      let header = UInt8(number) | (index == 0 ? 0 : 0x40)
      return [header] + frame[index * room..<min(frame.count, (index + 1) * room)]
    }
  }

  /// A frame as the meter sends it, prefix 0C as captured by a public program.
  private func frameOf(_ payload: [UInt8]) -> [UInt8] {
    let body: [UInt8] = [2, UInt8(payload.count + 7), 0, 0x0c] + payload + [3]
    var sum: UInt32 = 0xffff
    for byte in body {
      for bit in 0..<8 {
        let carry = (sum >> 15) ^ UInt32(byte >> UInt8(7 - bit))
        sum = (sum << 1 ^ (carry & 1 == 1 ? 0x1021 : 0)) & 0xffff
      }
    }
    return body + little(sum, 2)
  }
}

func little(_ number: UInt32, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
}

/// Runs sessions of the bundle against the simulated meter and keeps what a host would have committed.
final class OneTouchBench {
  static let service = uuid(0xa1)
  static let handles: [(handle: UInt16, properties: UInt16, uuid: mh_uuid)] = [
    (10, 0x08, uuid(0xa2)), (13, 0x10, uuid(0xa3)),
  ]
  /// 2025-05-08T14:13:20Z, a few seconds from the simulated meter's clock.
  static let now: Int64 = 946_684_799 + 800_000_003

  static func uuid(_ part: UInt8) -> mh_uuid {
    var uuid = mh_uuid()
    withUnsafeMutableBytes(of: &uuid) {
      $0.copyBytes(from: [0xaf, 0x9d, 0xf7, part, 0xe5, 0x95, 0x11, 0xe3, 0x96, 0xb4, 0, 2, 0xa5, 0xd5, 0xc5, 0x1b])
    }
    return uuid
  }

  let host: TestHost
  var meter: SimulatedOneTouchMeter
  var opening = TestOpening()
  var capacities = Capacities.ample
  var handles = OneTouchBench.handles
  /// Fails a subscription or write with an ATT error while the link is not encrypted.
  var attError: Int32?
  /// What the pairing leads to: the security level, or nil when no answer comes.
  var pairingLevel: Int32? = 2
  /// By identity: what the host has.
  var committed: [[UInt8]: TestRecord] = [:]
  var deviceInfo: [TestRecord] = []
  var actions: [TestAction] = []
  /// Values in the order in which they went to the meter.
  var written: [[UInt8]] = []

  init(_ meter: SimulatedOneTouchMeter = SimulatedOneTouchMeter()) throws {
    host = try TestHost(bundle: "onetouch")
    self.meter = meter
    opening.clockTrust = MH_CLOCK_SYNCHRONISED
  }

  var finished: Bool { actions.contains { $0.kind == MH_DO_FINISH } }
  var failure: TestAction? { actions.first { $0.kind == MH_DO_FAIL } }
  var numbers: [UInt64] { committed.values.map(\.sequence).sorted() }
  var cursor: UInt16? { host.state.storage["user/cursor"].map { UInt16($0[1]) | UInt16($0[2]) << 8 } }

  /// Runs one session; the link drops after `limit` events.
  ///
  /// - Parameter check: Called after every commit and before anything of it reaches the meter.
  /// - Returns: How many events the session took.
  @discardableResult
  func run(droppingAfter limit: Int = .max, check: () -> Void = {}) throws -> Int {
    let session = try host.open(opening)
    session.capacities = capacities
    session.unixMicroseconds = OneTouchBench.now * 1_000_000
    (actions, written) = ([], [])
    meter.connect()
    meter.isEncrypted = opening.security >= 2
    var queue: [TestEvent] = [.vendorServices(handles, service: OneTouchBench.service)]
    var timer: UInt64?
    var events = 0
    while events < limit {
      if queue.isEmpty {
        // Nothing is on its way: only the driver's patience can go on.
        guard let token = timer else { break }
        timer = nil
        queue.append(.timer(token))
      }
      events += 1
      let unit = session.commit(queue.removeFirst())
      take(unit)
      check()
      for action in unit.actions {
        if action.kind == MH_DO_TIMER { timer = action.token }
        if action.kind == MH_DO_CANCEL_TIMER { timer = nil }
        queue += carryOut(action)
      }
      if finished || failure != nil { return events }
    }
    take(session.commit(.disconnected))
    check()
    return events
  }

  private func take(_ unit: TestUnit) {
    actions += unit.actions
    for record in unit.records {
      if record.kind == MH_KIND_MEASUREMENT { committed[record.identity] = record } else { deviceInfo.append(record) }
    }
  }

  private func carryOut(_ action: TestAction) -> [TestEvent] {
    let error = meter.isEncrypted ? 0 : attError ?? 0
    switch action.kind {
    case MH_DO_SUBSCRIBE: return [.subscribed(token: action.token, status: error)]
    case MH_DO_PAIR:
      guard let pairingLevel else { return [] }
      meter.isEncrypted = pairingLevel >= 2
      return [.encrypted(pairingLevel)]
    case MH_DO_WRITE, MH_DO_WRITE_NO_RESPONSE:
      let answer: [TestEvent] =
        action.kind == MH_DO_WRITE ? [.wrote(token: action.token, status: error)] : []
      guard error == 0 else { return answer }
      written.append(action.value)
      return answer + meter.wrote(action.value).map { .notification(13, $0) }
    default: return []
    }
  }
}
