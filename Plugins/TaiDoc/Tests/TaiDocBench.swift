import CMeterDriver
@testable import DriverTestBench
import VirtualMeter

/// The values of the driver's parameter `meter_kind`.
enum MeterKind {
  static let parameter: UInt32 = 0x8000
  static let glucose: Int64 = 1
  static let bloodPressure: Int64 = 2
  static let thermometer: Int64 = 3
  static let multiAnalyte: Int64 = 4
}

/// Bytes of a meter's civil time.
func taidocTime(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) -> [UInt8] {
  let date = (year - 2000) << 9 | month << 5 | day
  return [UInt8(date & 0xFF), UInt8(date >> 8), UInt8(minute), UInt8(hour)]
}

/// Stored glucose readings, oldest first, a minute apart, each with a value of its own.
func taidocRecords(_ count: Int, from first: Int = 0) -> [[UInt8]] {
  (first..<first + count).map { number in
    taidocTime(2024, 3, 1 + number / 1440, number / 60 % 24, number % 60)
      + [UInt8((50 + number) & 0xFF), UInt8((50 + number) >> 8), 0, 0]
  }
}

/// Runs sessions of the TaiDoc bundle against a virtual meter and keeps what a host would have committed.
final class TaiDocBench {
  static let handle: UInt16 = 20
  static let service = uuid(0x1523)
  static let characteristic = uuid(0x1524)

  let host: TestHost
  var memory: TaiDocMemory
  var opening = TestOpening(parameters: [MeterKind.parameter: MeterKind.glucose])
  var capacities = Capacities.ample
  var unixMicroseconds: Int64 = 1_709_280_000_000_000
  /// Changes a packet of the meter, by the number of its reply counted from 1: none, one, several.
  var onTheAir: (Int, [UInt8]) -> [[UInt8]] = { [$1] }
  /// Every record that was committed, in order, and the identities among them.
  var committed: [TestRecord] = []
  var writesToMeter: [[UInt8]] = []
  var lastActions: [TestAction] = []
  private var replies = 0

  init(_ options: MeterScript.TaiDoc = .init(), _ records: [[UInt8]] = []) throws {
    host = try TestHost(bundle: "taidoc")
    memory = TaiDocMemory(options, records: records)
  }

  static func uuid(_ short: UInt16) -> mh_uuid {
    mh_uuid(
      b: (
        0, 0, UInt8(short >> 8), UInt8(short & 0xFF), 0x12, 0x12, 0xEF, 0xDE, 0x15, 0x23, 0x78, 0x5F, 0xEA, 0xBC, 0xD1,
        0x23
      ))
  }

  static func services(_ properties: UInt16 = 0x18) -> TestEvent {
    .vendorServices([(handle, properties, characteristic)], service: service)
  }

  var cursor: [UInt8]? { host.state.storage["user/newest"].flatMap { $0.isEmpty ? nil : $0 } }
  var measurements: [TestRecord] { committed.filter { $0.kind == MH_KIND_MEASUREMENT } }
  /// The first values of what was delivered, each identity once.
  var readings: [Int64] {
    var seen: Set<[UInt8]> = []
    return measurements.filter { $0.identity.isEmpty || seen.insert($0.identity).inserted }.map { $0.values[0].raw }
      .sorted()
  }
  var finished: Bool { lastActions.contains { $0.kind == MH_DO_FINISH } }
  var failure: TestAction? { lastActions.first { $0.kind == MH_DO_FAIL } }

  /// Runs one session; the link drops after `limit` events.
  ///
  /// - Returns: How many events the session took.
  @discardableResult
  func run(droppingAfter limit: Int = .max) throws -> Int {
    memory.switchOn()
    let session = try host.open(opening)
    session.capacities = capacities
    session.unixMicroseconds = unixMicroseconds
    lastActions = []
    var queue: [TestEvent] = [Self.services()]
    var isTimerSet = false
    var events = 0
    while events < limit {
      // A meter that says nothing more lets the timer run out.
      if queue.isEmpty, isTimerSet { queue = [.timer(3)] }
      guard !queue.isEmpty else { break }
      let event = queue.removeFirst()
      events += 1
      let unit = session.commit(event)
      take(unit)
      for action in unit.actions {
        if action.kind == MH_DO_TIMER { isTimerSet = true }
        if action.kind == MH_DO_CANCEL_TIMER { isTimerSet = false }
        queue += carryOut(action)
      }
      if finished || failure != nil { return events }
    }
    take(session.commit(.disconnected))
    return events
  }

  private func take(_ unit: TestUnit) {
    lastActions += unit.actions
    committed += unit.records
  }

  private func carryOut(_ action: TestAction) -> [TestEvent] {
    switch action.kind {
    case MH_DO_SUBSCRIBE: return [.subscribed(token: action.token)]
    case MH_DO_WRITE, MH_DO_WRITE_NO_RESPONSE:
      writesToMeter.append(action.value)
      let packets = memory.answer(action.value).flatMap { packet in
        replies += 1
        return onTheAir(replies, packet)
      }
      return (action.kind == MH_DO_WRITE ? [.wrote(token: action.token)] : [])
        + packets.map { .notification(Self.handle, $0) }
    default: return []
    }
  }
}
