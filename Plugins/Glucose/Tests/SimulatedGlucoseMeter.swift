import CMeterDriver
@testable import DriverTestBench

/// A glucose meter as the profile has it, with the liberties that real ones take. Pure: bytes in, packets out.
struct SimulatedGlucoseMeter {
  enum Order: CaseIterable { case oldestFirst, newestFirst, memoryOrder }
  enum ContextTiming: CaseIterable { case none, before, after, late, never }
  enum Packet: Equatable {
    case measurement([UInt8])
    case context([UInt8])
    case response([UInt8])
  }

  /// One stored measurement. The value follows from the sequence, so that a test can tell readings apart.
  struct Stored: Equatable {
    var sequence: UInt16
    var day: UInt8 = 1
    var isKetone = false
    var hasContext = false
  }

  var stored: [Stored] = []
  var order = Order.oldestFirst
  var timing = ContextTiming.none
  var refusesFrom = false
  var refusesLast = false
  /// Refuses with "operand not supported" in place of "operator not supported".
  var refusal: UInt8 = 4
  var requests: [[UInt8]] = []

  /// What the meter sends after a write to its control point.
  mutating func answer(_ request: [UInt8]) -> [Packet] {
    requests.append(request)
    switch request {
    case [1, 1]: return report(stored)
    case [1, 6]: return refusesLast ? refuse(1, 4) : report(Array(stored.suffix(1)))
    case [3, 0]: return refuse(3, 1)
    default:
      guard request.count == 5, request.prefix(3) == [1, 3, 1] else { return refuse(request[0], 2) }
      if refusesFrom { return refuse(1, refusal) }
      let first = UInt16(request[3]) | UInt16(request[4]) << 8
      return report(stored.filter { $0.sequence >= first })
    }
  }

  private func refuse(_ opcode: UInt8, _ value: UInt8) -> [Packet] { [.response([6, 0, opcode, value])] }

  private func report(_ chosen: [Stored]) -> [Packet] {
    if chosen.isEmpty { return refuse(1, 6) }
    let sorted: [Stored]
    switch order {
    case .oldestFirst: sorted = chosen
    case .newestFirst: sorted = chosen.reversed()
    case .memoryOrder: sorted = Array(chosen.suffix(chosen.count / 2) + chosen.prefix(chosen.count - chosen.count / 2))
    }
    var packets: [Packet] = []
    var late: [Packet] = []
    for record in sorted {
      let context = Packet.context(SimulatedGlucoseMeter.context(record))
      if timing == .before, record.hasContext { packets.append(context) }
      packets.append(.measurement(SimulatedGlucoseMeter.measurement(record, announces: timing != .none)))
      if timing == .after, record.hasContext { packets.append(context) }
      if timing == .late, record.hasContext { late.append(context) }
    }
    return packets + late + [.response([6, 0, 1, 1])]
  }

  static func measurement(_ record: Stored, announces: Bool = true) -> [UInt8] {
    let mantissa = 50 + record.sequence % 500
    return [
      record.hasContext && announces ? 0x12 : 0x02, UInt8(record.sequence & 0xff), UInt8(record.sequence >> 8), 0xe8,
      7, 1, record.day, UInt8(record.sequence / 3600 % 24), UInt8(record.sequence / 60 % 60),
      UInt8(record.sequence % 60),
      UInt8(mantissa & 0xff), 0xb0 | UInt8(mantissa >> 8), 0x11,
    ]
  }

  static func context(_ record: Stored) -> [UInt8] {
    [2, UInt8(record.sequence & 0xff), UInt8(record.sequence >> 8), record.isKetone ? 6 : 2]
  }
}

/// Runs sessions of the glucose bundle against the simulated meter and keeps what a host would have committed.
final class GlucoseBench {
  static let handles: [(handle: UInt16, properties: UInt16, id: UInt16)] = [
    (10, 0x10, 0x2a18), (13, 0x10, 0x2a34), (16, 0x28, 0x2a52),
  ]

  let host: TestHost
  var meter: SimulatedGlucoseMeter
  var opening = TestOpening()
  var capacities = Capacities.ample
  /// By identity: the newest form of each record.
  var committed: [[UInt8]: TestRecord] = [:]
  var writesToMeter: [[UInt8]] = []
  var lastActions: [TestAction] = []

  init(_ meter: SimulatedGlucoseMeter) throws {
    host = try TestHost(bundle: "glucose")
    self.meter = meter
  }

  var cursor: UInt16? {
    host.state.storage["user/cursor"].map { UInt16($0[3]) | UInt16($0[4]) << 8 }
  }

  var epoch: UInt16? { host.state.storage["user/cursor"].map { UInt16($0[1]) | UInt16($0[2]) << 8 } }
  var readings: Set<UInt64> { Set(committed.values.map(\.sequence)) }
  var finished: Bool { lastActions.contains { $0.kind == MH_DO_FINISH } }
  var failure: TestAction? { lastActions.first { $0.kind == MH_DO_FAIL } }

  /// Runs one session; the link drops after `limit` events.
  ///
  /// - Parameter check: Called after every commit.
  /// - Returns: How many events the session took.
  @discardableResult
  func run(droppingAfter limit: Int = .max, check: () -> Void = {}) throws -> Int {
    let session = try host.open(opening)
    session.capacities = capacities
    lastActions = []
    var queue: [TestEvent] = [.services(GlucoseBench.handles, service: 0x1808)]
    var events = 0
    while !queue.isEmpty, events < limit {
      let event = queue.removeFirst()
      events += 1
      let unit = session.commit(event)
      take(unit)
      check()
      for action in unit.actions { queue += carryOut(action) }
      // Nothing comes behind an answer but the end of the wait for it.
      if queue.isEmpty, let timer = unit.actions.last(where: { $0.kind == MH_DO_TIMER && $0.argument <= 1_000_000_000 })
      {
        queue.append(.timer(timer.token))
      }
      if finished || failure != nil { return events }
    }
    take(session.commit(.disconnected))
    check()
    return events
  }

  private func take(_ unit: TestUnit) {
    lastActions += unit.actions
    for record in unit.records { committed[record.identity] = record }
  }

  private func carryOut(_ action: TestAction) -> [TestEvent] {
    switch action.kind {
    case MH_DO_SUBSCRIBE: return [.subscribed(token: action.token)]
    case MH_DO_WRITE:
      writesToMeter.append(action.value)
      return [.wrote(token: action.token)]
        + meter.answer(action.value).map { packet in
          switch packet {
          case .measurement(let bytes): .notification(10, bytes)
          case .context(let bytes): .notification(13, bytes)
          case .response(let bytes): .indication(16, bytes)
          }
        }
    default: return []
    }
  }
}
