import CMeterDriver
@testable import DriverTestBench

/// A glucose meter of which the order is what matters: of records, of contexts, and of numbers that begin again.
struct OrderedGlucoseMeter {
  /// Where a context stands.
  enum Contexts: CaseIterable { case behind, before, behindAll, beforeAll }

  /// One stored measurement. Its minute is its own, and names it in tests.
  struct Reading: Equatable {
    var number: UInt16
    /// Minutes since the first day.
    var minute: Int
    var value: Int
    /// Its context says so; nil: it has none, and announces none.
    var meal: UInt8?

    var isKetone: Bool { meal == 6 }

    var measurement: TestEvent {
      .notification(
        10,
        [
          meal == nil ? 0x02 : 0x12, UInt8(number & 0xff), UInt8(number >> 8), 0xea, 7, 11,
          UInt8(minute / 1440 + 1), UInt8(minute / 60 % 24), UInt8(minute % 60), 0, UInt8(value & 0xff),
          0xb0 | UInt8(value >> 8), 0x11,
        ])
    }

    var context: [TestEvent] {
      meal.map { [.notification(13, [2, UInt8(number & 0xff), UInt8(number >> 8), $0])] } ?? []
    }
  }

  var memory: [Reading] = []
  var contexts = Contexts.behind
  var isNewestFirst = false
  /// The answer overtakes so many contexts.
  var overtaken = 0
  /// Each report is sent twice.
  var repeats = false
  /// No context arrives this time.
  var losesContexts = false

  func answer(_ request: [UInt8]) -> [TestEvent] {
    var chosen = memory
    switch request {
    case [1, 1]: break
    case [1, 6]: chosen = Array(memory.suffix(1))
    default: chosen = memory.filter { $0.number >= UInt16(request[3]) | UInt16(request[4]) << 8 }
    }
    if chosen.isEmpty { return [.indication(16, [6, 0, 1, 6])] }
    if isNewestFirst { chosen.reverse() }
    var packets: [TestEvent] = []
    if contexts == .beforeAll { packets += chosen.flatMap { sent($0) } }
    for reading in chosen {
      if contexts == .before { packets += sent(reading) }
      packets.append(reading.measurement)
      if contexts == .behind { packets += sent(reading) }
    }
    if contexts == .behindAll { packets += chosen.flatMap { sent($0) } }
    if repeats { packets += packets }
    let trailing = packets.reversed().prefix { if case .notification(13, _) = $0 { true } else { false } }
    packets.insert(.indication(16, [6, 0, 1, 1]), at: packets.count - min(overtaken, trailing.count))
    return packets
  }

  private func sent(_ reading: Reading) -> [TestEvent] { losesContexts ? [] : reading.context }
}

/// Sessions with an ``OrderedGlucoseMeter``, and what came of each reading.
final class OrderBench {
  static let deciding: [UInt32: Int64] = [MH_PARAM_CONTEXT_DECIDES: 1, MH_PARAM_KETONE_MEAL_CODE: 6]

  let host: TestHost
  let decides: Bool
  /// By minute: every form in which the reading was delivered.
  private(set) var forms: [Int: [TestRecord]] = [:]
  private(set) var requests: [[UInt8]] = []

  init(decides: Bool) throws {
    host = try TestHost(bundle: "glucose")
    self.decides = decides
  }

  /// Runs one session; the link drops after so many events.
  ///
  /// - Returns: Whether the session finished by itself.
  @discardableResult
  func read(_ meter: OrderedGlucoseMeter, droppingAfter limit: Int = .max) throws -> Bool {
    try read(droppingAfter: limit, answer: meter.answer)
  }

  @discardableResult
  func read(droppingAfter limit: Int = .max, answer: ([UInt8]) -> [TestEvent]) throws -> Bool {
    let session = try host.open(TestOpening(parameters: decides ? OrderBench.deciding : [:]))
    requests = []
    var queue: [TestEvent] = [.services(GlucoseBench.handles, service: 0x1808)]
    var events = 0
    while !queue.isEmpty, events < limit {
      events += 1
      let unit = session.commit(queue.removeFirst())
      take(unit.records)
      for action in unit.actions {
        switch action.kind {
        case MH_DO_SUBSCRIBE: queue.append(.subscribed(token: action.token))
        case MH_DO_WRITE:
          requests.append(action.value)
          queue += [.wrote(token: action.token)] + answer(action.value)
        case MH_DO_FINISH: return true
        case MH_DO_FAIL: return false
        case MH_DO_TIMER where action.argument <= 1_000_000_000 && queue.isEmpty: queue.append(.timer(action.token))
        default: break
        }
      }
    }
    take(session.commit(.disconnected).records)
    return false
  }

  private func take(_ records: [TestRecord]) {
    for record in records {
      let minutes = record.time / 60_000_000
      forms[Int(minutes - OrderBench.firstMinute), default: []].append(record)
    }
  }

  /// 2026-11-01T00:00 in minutes of civil time.
  private static var firstMinute: Int64 { 29_891_520 }

  /// What is wrong with what was delivered of a reading: lost, doubled, of another analyte, or with another one's context.
  func faults(_ reading: OrderedGlucoseMeter.Reading) -> [String] {
    guard let forms = forms[reading.minute] else { return ["lost"] }
    var faults: [String] = []
    if Set(forms.map(\.identity)).count != 1 { faults.append("doubled") }
    for form in forms where form.flags & MH_REC_HELD == 0 {
      let isKetone = form.values[0].metric == UInt16(MH_METRIC_BLOOD_KETONE)
      let ownKetone = decides && reading.isKetone
      if isKetone != ownKetone { faults.append("another analyte") }
      if form.values[0].value != (ownKetone ? Double(reading.value) / 10 : Double(reading.value)) {
        faults.append("another value")
      }
      let meal = form.value(MH_METRIC_RELATIONSHIP_TO_MEAL)?.raw
      let own = reading.meal.map { Int64($0) }
      if let meal, meal != own || ownKetone { faults.append("another one's meal") }
    }
    return faults
  }

  func isHeld(_ minute: Int) -> Bool { forms[minute]?.last.map { $0.flags & MH_REC_HELD != 0 } ?? false }

  /// The meal with which a reading stands at the receiver: a form that only lacks it changes nothing.
  func meal(_ minute: Int) -> Int64? {
    forms[minute]?.last { $0.value(MH_METRIC_RELATIONSHIP_TO_MEAL) != nil }?.value(MH_METRIC_RELATIONSHIP_TO_MEAL)?.raw
  }

  func value(_ minute: Int) -> Double? { forms[minute]?.last?.values[0].value }
}
