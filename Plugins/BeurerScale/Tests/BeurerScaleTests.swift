import CMeterDriver
@testable import DriverTestBench
import Testing

/// A scale of the older protocol that answers what it is asked, frame by frame.
final class SimulatedSBF {
  static let handle: UInt16 = 20
  static let silence: UInt64 = 4
  var start: UInt8 = 0xe0
  var users: [UInt8] = [0x65, 0x66]
  /// Halves of stored measurements, by user.
  var stored: [UInt8: [[UInt8]]] = [0x65: [SimulatedSBF.first, SimulatedSBF.second]]
  var unknown: [[UInt8]] = []
  var knowsUnknown = true
  /// Changes a frame on its way: none, one, several.
  var onTheAir: ([UInt8]) -> [[UInt8]] = { [$0] }

  static let first: [UInt8] = [0x6a, 0x21, 0xf4, 0xc6, 0x06, 0x87, 0x01, 0xb5, 0x00, 0xdf, 0x02]
  static let second: [UInt8] = [0x09, 0x01, 0x8d, 0x00, 0xe9, 0x07, 0x17, 0x0a, 0xa2, 0x01, 0x08]

  func name(_ user: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, user] }

  func frame(_ bytes: [UInt8]) -> [[UInt8]] { onTheAir([start | 7] + bytes) }

  func row(_ code: UInt8, _ rows: [[UInt8]], _ number: Int) -> [[UInt8]] {
    number > rows.count ? [] : frame([code, UInt8(rows.count), UInt8(number)] + rows[number - 1])
  }

  private var asked: UInt8 = 0

  func answer(_ written: [UInt8]) -> [[UInt8]] {
    guard written[0] & 0xf0 == start else { return [] }
    if written[0] & 15 == 6 { return onTheAir([start | 6, 0, 0x20]) }
    let people = users.map { name($0) + [0x54, 0, 0, 75] }
    switch written[1] {
    case 0x4f: return frame([0xf0, 0x4f, 0, 0x64, 0x14, 0xdc, 1, 0, 0, 0, 5])
    case 0x33: return frame([0xf0, 0x33, 0, UInt8(users.count), 8]) + row(0x34, people, 1)
    case 0x41:
      asked = written.last ?? 0
      let halves = stored[asked] ?? []
      return frame([0xf0, 0x41, UInt8(halves.count), 0]) + row(0x42, halves, 1)
    case 0x46 where knowsUnknown: return frame([0xf0, 0x46, unknown.isEmpty ? 1 : 0]) + row(0x47, unknown, 1)
    case 0xf1:
      switch written[2] {
      case 0x34: return row(0x34, people, Int(written[4]) + 1)
      case 0x42: return row(0x42, stored[asked] ?? [], Int(written[4]) + 1)
      case 0x47: return row(0x47, unknown, Int(written[4]) + 1)
      default: return []
      }
    default: return []
    }
  }
}

/// Runs one session with a simulated scale and keeps what a host would have committed.
final class BeurerBench {
  let host: TestHost
  let scale = SimulatedSBF()
  var opening = TestOpening()
  var records: [TestRecord] = []
  var written: [[UInt8]] = []
  var actions: [TestAction] = []
  var capacities = Capacities.ample
  private(set) var session: TestSession

  init() throws {
    host = try TestHost(bundle: "beurer-scale")
    session = try host.open()
  }

  func start() throws {
    session = try host.open(opening)
    session.capacities = capacities
    session.unixMicroseconds = 1_780_610_200_000_000
    take(.services([(SimulatedSBF.handle, 0x18, 0xffe1)], service: 0xffe0))
    take(.subscribed(token: 1))
  }

  /// A fact, and everything that the scale answers to what comes of it.
  func take(_ event: TestEvent) {
    let unit = session.commit(event)
    records += unit.records
    actions += unit.actions
    for action in unit.actions where action.kind == MH_DO_WRITE {
      written.append(action.value)
      for value in scale.answer(action.value) { take(.notification(SimulatedSBF.handle, value)) }
      take(.wrote(token: action.token))
    }
  }

  func hear(_ bytes: [UInt8]) { take(.notification(SimulatedSBF.handle, bytes)) }

  func silence() { take(.timer(SimulatedSBF.silence)) }

  func measure(user: UInt8, _ first: [UInt8] = SimulatedSBF.first) {
    hear([0xe7, 0x58, 1, 0x06, 0x80])
    hear([0xe7, 0x58, 0, 0x06, 0x85])
    hear([0xe7, 0x59, 3, 1, 1] + scale.name(user))
    hear([0xe7, 0x59, 3, 2] + first)
    hear([0xe7, 0x59, 3, 3] + SimulatedSBF.second)
  }

  var readings: [TestRecord] { records.filter { $0.flags & MH_REC_PROVISIONAL == 0 } }
  var end: TestAction? { actions.last { $0.kind == MH_DO_FINISH || $0.kind == MH_DO_FAIL } }
}

@Suite struct BeurerScaleTests {
  @Test func memoryAndMeasurementAreOneReading() throws {
    let bench = try BeurerBench()
    try bench.start()
    #expect(bench.readings.map(\.deviceUser) == [1])
    #expect(bench.readings.first?.value(MH_METRIC_BODY_WEIGHT)?.value == 83.55)
    #expect(bench.actions.contains { $0.kind == MH_DO_READY })
    bench.measure(user: 0x65)
    bench.silence()
    #expect(bench.end?.kind == MH_DO_FINISH)
    #expect(bench.readings.count == 2 && Set(bench.readings).count == 1)
    #expect(bench.records.filter { $0.flags & MH_REC_PROVISIONAL != 0 }.map(\.values.count) == [1, 1])
  }

  /// The newest bit of a BF800: set in what was just measured, and not in the copy.
  @Test func theHighestBitOfTheTimeIsNoTime() throws {
    let bench = try BeurerBench()
    try bench.start()
    bench.measure(user: 0x65, [0xea] + SimulatedSBF.first.dropFirst())
    #expect(bench.readings.count == 2 && Set(bench.readings).count == 1)
  }

  @Test func nothingOfAUserIsWritten() throws {
    let bench = try BeurerBench()
    bench.scale.unknown = [[3, 0x6a, 0x21, 0xf0, 0x00] + SimulatedSBF.first[4..<8]]
    try bench.start()
    bench.measure(user: 0x66)
    bench.silence()
    let allowed: Set<UInt8> = [0x4f, 0x33, 0x41, 0x46, 0xf1]
    #expect(bench.written.allSatisfy { $0 == [0xe6, 1] || ($0[0] == 0xe7 && allowed.contains($0[1])) })
    #expect(bench.readings.map(\.deviceUser) == [1, nil, 2])
    #expect(bench.readings[1].flags == MH_REC_HELD)
    let frames = bench.written.filter { $0[1] == 0xf1 }
    #expect(frames.contains([0xe7, 0xf1, 0x58, 1, 6]) && frames.contains([0xe7, 0xf1, 0x59, 3, 1]))
  }

  @Test func whatIsMeasuredBeforeTheUsersAreKnownWaitsForThem() throws {
    let bench = try BeurerBench()
    bench.scale.stored = [:]
    bench.scale.onTheAir = { $0[1] == 0xf0 && $0[2] == 0x4f ? [] : [$0] }
    try bench.start()
    bench.measure(user: 0x66)
    #expect(bench.readings.isEmpty)
    bench.silence()
    #expect(bench.readings.map(\.deviceUser) == [2])
  }

  @Test func theOtherKindIsTried() throws {
    let bench = try BeurerBench()
    bench.scale.start = 0xf0
    try bench.start()
    #expect(bench.readings.isEmpty)
    bench.silence()
    #expect(bench.written.prefix(2) == [[0xe6, 1], [0xf6, 1]] && bench.readings.count == 1)
    let dumb = try BeurerBench()
    dumb.scale.start = 0xd0
    try dumb.start()
    dumb.silence()
    dumb.silence()
    #expect(dumb.end?.code == MH_FAIL_TIMEOUT && dumb.written.count == 2)
  }

  @Test func theClockIsSetWhereItIsWished() throws {
    let bench = try BeurerBench()
    bench.opening = TestOpening(
      parameters: [UInt32(MH_PARAM_SET_CLOCK): 1], clockTrust: UInt32(MH_CLOCK_SYNCHRONISED))
    try bench.start()
    #expect(bench.written[1] == [0xe9, 0x6a, 0x21, 0xf4, 0x98] && bench.readings.count == 1)
    let unsure = try BeurerBench()
    unsure.opening = TestOpening(parameters: [UInt32(MH_PARAM_SET_CLOCK): 1])
    try unsure.start()
    #expect(!unsure.written.contains { $0[0] == 0xe9 })
  }

  @Test func repeatedFramesAreOneAndGapsEndTheSession() throws {
    let bench = try BeurerBench()
    bench.scale.onTheAir = { $0[1] == 0x42 || $0[1] == 0x34 ? [$0, $0] : [$0] }
    try bench.start()
    #expect(bench.readings.count == 1)
    let gap = try BeurerBench()
    gap.scale.onTheAir = { $0[1] == 0x42 && $0[3] == 1 ? [] : [$0] }
    try gap.start()
    gap.hear([0xe7, 0x42, 2, 2] + SimulatedSBF.second)
    #expect(gap.end?.code == MH_FAIL_COMMUNICATION && gap.readings.isEmpty)
    let odd = try BeurerBench()
    odd.scale.stored = [0x65: [SimulatedSBF.first]]
    try odd.start()
    #expect(odd.end?.code == MH_FAIL_COMMUNICATION)
  }

  @Test func whatCannotBeIsToldAtTheEnd() throws {
    let bench = try BeurerBench()
    let fat = Array(SimulatedSBF.first.prefix(8)) + [0x10, 0x00, 0x02]
    bench.scale.stored = [0x65: [fat, SimulatedSBF.second, SimulatedSBF.first, SimulatedSBF.second]]
    try bench.start()
    bench.silence()
    #expect(bench.readings.count == 1 && bench.end?.code == MH_FAIL_METER_ERROR)
  }

  @Test func otherEndings() throws {
    let empty = try BeurerBench()
    (empty.scale.stored, empty.scale.knowsUnknown) = ([:], false)
    try empty.start()
    empty.silence()
    empty.silence()
    #expect(empty.end?.code == MH_FAIL_NO_READING)
    let cut = try BeurerBench()
    try cut.start()
    cut.hear([0xe7, 0x58, 1, 0x06, 0x80])
    cut.take(.disconnected)
    #expect(cut.end?.code == MH_FAIL_COMMUNICATION && cut.readings.count == 1)
    let unfinished = try BeurerBench()
    try unfinished.start()
    unfinished.hear([0xe7, 0x58, 1, 0x06, 0x80])
    unfinished.take(.timer(5))
    #expect(unfinished.end?.code == MH_FAIL_NO_READING)
    let quiet = try BeurerBench()
    try quiet.start()
    quiet.take(.disconnected)
    #expect(quiet.end?.kind == MH_DO_FINISH)
    let host = try TestHost(bundle: "beurer-scale")
    let other = try host.open().commit(.services([(20, 0x18, 0xffe2)], service: 0xffe0))
    #expect(other.actions.map(\.code) == [MH_FAIL_UNSUPPORTED_METER])
    #expect(host.openStatus(TestOpening(purpose: UInt32(MH_PURPOSE_CLOCK))) == MH_E_UNSUPPORTED)
  }

  @Test func aScaleThatWantsABondGetsOneOnce() throws {
    let host = try TestHost(bundle: "beurer-scale")
    let session = try host.open(TestOpening(security: 1))
    session.commit(.services([(20, 0x18, 0xffe1)], service: 0xffe0))
    #expect(session.commit(.subscribed(token: 1, status: 5)).actions.map(\.kind) == [MH_DO_PAIR])
    session.commit(.encrypted(2))
    #expect(session.commit(.subscribed(token: 1, status: 5)).actions.map(\.code) == [MH_FAIL_NOT_PAIRED])
  }

  /// What nobody known weighed, and the maker's app has given to a user since: the weight is no second reading.
  @Test func aWeighingThatGetsAnOwnerLaterIsNotDoubled() throws {
    let bench = try BeurerBench()
    bench.scale.stored = [:]
    bench.scale.unknown = [[3] + SimulatedSBF.first.prefix(8)]
    try bench.start()
    let unowned = try #require(bench.readings.first)
    bench.scale.stored = [0x66: [SimulatedSBF.first, SimulatedSBF.second]]
    bench.scale.unknown = []
    bench.records = []
    try bench.start()
    #expect(bench.readings.map(\.identity.first) == [1, 3] && bench.readings.map(\.deviceUser) == [2, 2])
    #expect(bench.readings[0].identity == unowned.identity && bench.readings[0].values == unowned.values)
    #expect(bench.readings[1].value(MH_METRIC_BODY_WEIGHT) == nil && bench.readings[1].values.count == 5)
    let again = bench.readings
    bench.records = []
    try bench.start()
    #expect(bench.readings == again)
    // What was never delivered without an owner is whole.
    bench.host.state.storage = [:]
    bench.records = []
    try bench.start()
    #expect(bench.readings.map(\.identity.first) == [2])
  }

  @Test func strangeKeysAreNoMemory() throws {
    for strange in [[1, 2, 3], [UInt8](repeating: 7, count: 300)] as [[UInt8]] {
      let bench = try BeurerBench()
      bench.host.state.storage["user/unowned"] = strange
      try bench.start()
      #expect(bench.readings.map(\.identity.first) == [2])
    }
  }

  /// However small the host's arrays are, the same comes out.
  @Test func aFullSinkLosesNothing() throws {
    let (ample, tiny) = (try BeurerBench(), try BeurerBench())
    tiny.capacities = Capacities(records: 1, values: 8, arena: 24, actionsPerRound: 1)
    for bench in [ample, tiny] {
      bench.scale.unknown = [[3] + SimulatedSBF.first.prefix(8)]
      try bench.start()
      bench.measure(user: 0x65)
      bench.silence()
    }
    #expect(ample.records == tiny.records && ample.written == tiny.written && ample.actions == tiny.actions)
  }

  @Test func hostileBytesEndNothing() throws {
    let bench = try BeurerBench()
    try bench.start()
    for length in 0...20 {
      for second: UInt8 in [0x34, 0x42, 0x47, 0x58, 0x59, 0xf0, 0x00] {
        bench.hear(Array(([0xe7, second] + [UInt8](repeating: 0xff, count: 20)).prefix(length)))
      }
    }
    bench.measure(user: 0x65)
    bench.silence()
    #expect(bench.readings.count == 2 && bench.end?.kind == MH_DO_FINISH)
  }
}
