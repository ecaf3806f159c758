import BluetoothWire
import GRDB
import HostPrimitives
import Synchronization
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth
@testable import MeterCore

/// Devices that say they are glucose meters, and meters among them.
@Suite("Meters in a crowd of unknown devices", .jumpingTime, .timeLimit(.minutes(60)))
struct StrangerCrowdTests {
  /// A meter that is known to the gateway at its address.
  private func know(_ meter: VirtualMeter, _ bench: ReadBench) throws {
    try bench.store.noteMeter(
      MeterSighting(
        MeterIdentity(serial: "B-1", model: nil, systemID: nil, address: ""), peripheral: 1000,
        address: meter.script.address.description, addressKind: nil, isRead: true))
  }

  /// Waits until the meter was read.
  ///
  /// - Returns: How long that has taken.
  private func readingTime(_ events: inout AsyncStream<PassiveEvent>.Iterator, since start: HostInstant) async
    -> Duration?
  {
    while let event = await events.next() {
      if case .didRead(1000, _, let summary) = event, summary.records.count == 5 {
        return JumpingClock.ofTest.now - start
      }
    }
    return nil
  }

  private func changedRows(_ bench: ReadBench) async throws -> Int {
    try await bench.store.database.write { $0.totalChangesCount }
  }

  @Test("Thousands of addresses in ten minutes leave a few events and changes, and a known meter is read at once")
  func rotating() async throws {
    let meter = try BenchMeter.glucose()
    let radio = CrowdedAir(BenchRadio([meter]), refuses: true)
    let bench = try ReadBench(radio)
    try know(meter, bench)
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    let before = try await changedRows(bench)
    let clock = JumpingClock.ofTest
    try await clock.sleep(for: .seconds(300))
    radio.isMeterThere = true
    let time = await readingTime(&events, since: clock.now)
    #expect(time ?? .seconds(999) < .seconds(10))
    try await clock.sleep(for: .seconds(300))
    radio.end()
    #expect(radio.addresses > 10_000)
    #expect(radio.attempts < 400, "\(radio.attempts)")
    let page = try bench.store.events(after: 0)
    // The session, the reading, the first eight, one for each quarter of an hour, and two sums.
    #expect(page.events.count < 16 && page.missed == 0, "\(page.events.map(\.event.name))")
    #expect(page.events.first?.event.name == "session_started")
    #expect(page.events.contains { $0.event.name == "strangers_met" })
    #expect(try await changedRows(bench) - before < 200)
    #expect(try bench.store.meters().count == 1)
    #expect(
      bench.traffic.state.withLock { $0.schedule.rememberedMeters } <= RadioSchedule.Policy().maximumStrangers + 1)
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test(
    "Twenty that take the link and say nothing delay a known meter by seconds, and an unknown one by minutes",
    arguments: [(true, 10), (false, 200)])
  func silent(isKnown: Bool, seconds: Int) async throws {
    let meter = try BenchMeter.glucose()
    let radio = CrowdedAir(BenchRadio([meter]), staying: 20)
    let bench = try ReadBench(radio)
    if isKnown { try know(meter, bench) }
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    let clock = JumpingClock.ofTest
    try await clock.sleep(for: .seconds(5))
    radio.isMeterThere = true
    let time = await readingTime(&events, since: clock.now)
    #expect(time ?? .seconds(999) < .seconds(seconds))
    radio.end()
    #expect(try bench.readings == BenchMeter.glucoseReadings())
  }

  @Test(
    "A device that never ends what it says of itself keeps its link for half a minute, a silent one for five seconds",
    arguments: [(Stranger.silent, 5), (.endless, 30), (.flooding, 30)])
  func bounded(kind: Stranger, seconds: Int) async throws {
    let radio = CrowdedAir(BenchRadio([]), staying: 1, kind: kind)
    let bench = try ReadBench(radio)
    let passive = bench.passive()
    var events = passive.events().makeAsyncIterator()
    try passive.choose([1000])
    let failure = await events.next()
    guard case .didFail(1000, nil, let error) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    radio.end()
    let kept = try #require(radio.links.first?.kept)
    #expect(kept <= .seconds(seconds + 1), "\(kept)")
    if kind != .flooding { #expect(error.code == .readingTimeout && kept >= .seconds(seconds - 1), "\(error)") }
  }
}

/// What a device does on its link.
enum Stranger: Sendable {
  /// It says nothing.
  case silent
  /// It answers each question late and with no end.
  case endless
  /// It answers and sends values without end.
  case flooding
}

/// An air with a meter, and with devices that say they are meters of the same kind.
private final class CrowdedAir: WrappingRadio {
  private struct State {
    var isMeterThere = false
    var isOver = false
    var addresses = 0
    var attempts = 0
    var links: [StrangerLink] = []
  }

  let base: BenchRadio
  private let refuses: Bool
  private let staying: Int
  private let kind: Stranger
  private let state = Mutex(State())
  private let clock = JumpingClock.ofTest

  /// - Parameters:
  ///   - refuses: New addresses come without end, and refuse links.
  ///   - staying: So many stay at their address and take links.
  init(_ base: BenchRadio, refuses: Bool = false, staying: Int = 0, kind: Stranger = .silent) {
    (self.base, self.refuses, self.staying, self.kind) = (base, refuses, staying, kind)
  }

  var isMeterThere: Bool {
    get { state.withLock(\.isMeterThere) }
    set { state.withLock { $0.isMeterThere = newValue } }
  }
  var addresses: Int { state.withLock(\.addresses) }
  var attempts: Int { state.withLock(\.attempts) }
  var links: [StrangerLink] { state.withLock(\.links) }

  /// Nobody advertises any more.
  func end() { state.withLock { $0.isOver = true } }

  private static func report(_ number: Int) -> AdvertisingReport {
    let data = AdvertisingData([.flags(6)] + AdvertisingData.Structure.services([0x1808]))
    // Of the kind that a device takes another one of from time to time.
    return AdvertisingReport(
      eventType: .connectable, address: BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number), kind: .random),
      rssi: -50, data: data.encoded)
  }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let queue = AdvertisementQueue()
    let task = Task {
      repeat {
        let (isOver, first, isThere) = state.withLock { state in
          defer { if refuses { state.addresses += 50 } }
          return (state.isOver, state.addresses, state.isMeterThere)
        }
        if isOver { return }
        if refuses { for number in first..<first + 50 { queue.put(Self.report(number)) } }
        for number in 0..<staying { queue.put(Self.report(number)) }
        if isThere { for meter in base.meters { queue.put(meter.advertisement) } }
      } while await clock.elapsed(.seconds(1))
    }
    return queue.stream { task.cancel() }
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    if base.meters.contains(where: { $0.script.address == address }) { return try await base.connect(to: address) }
    state.withLock { $0.attempts += 1 }
    if refuses { throw BluetoothError(.connectionFailure, "it takes no link") }
    let link = StrangerLink(kind)
    state.withLock { $0.links.append(link) }
    return link
  }

  // Of the devices it has no bond.
  func isPaired(with address: BluetoothAddress) async -> Bool {
    base.meters.contains { $0.script.address == address }
  }
}

/// The link of such a device.
private final class StrangerLink: ATTBearer {
  private let kind: Stranger
  private let incoming: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation
  private let clock = JumpingClock.ofTest
  private let begin = JumpingClock.ofTest.now
  private let end = Mutex<HostInstant?>(nil)

  init(_ kind: Stranger) {
    self.kind = kind
    (incoming, sink) = AsyncStream.makeStream()
  }

  /// How long the link was up; nil while it is.
  var kept: Duration? { end.withLock { $0.map { $0 - begin } } }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    guard kind != .silent, let request = try? ATTPDU(decoding: pdu) else { return }
    if kind == .flooding {
      for _ in 0..<100 { sink.yield(ATTPDU.handleValueNotification(handle: 3, value: [1, 2, 3]).encoded) }
    }
    Task {
      guard await clock.elapsed(.seconds(4)), let answer = Self.answer(request) else { return }
      sink.yield(answer.encoded)
    }
  }

  /// A database in which a characteristic follows the other.
  private static func answer(_ request: ATTPDU) -> ATTPDU? {
    switch request {
    case .findByTypeValueRequest: .findByTypeValueResponse([ATTHandleRange(first: 1, last: 0xFFFE)])
    case .readByTypeRequest(let range, let type) where type == 0x2803:
      .readByTypeResponse([
        ATTAttributeValue(
          handle: range.first,
          value: [0x02, UInt8(truncatingIfNeeded: range.first + 1), UInt8((range.first + 1) >> 8), 0xAA, 0xAA])
      ])
    default: .errorResponse(request: request.opcode, handle: 1, code: .attributeNotFound)
    }
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    for await bytes in incoming { return bytes }
    return nil
  }

  func close() {
    end.withLock { $0 = $0 ?? clock.now }
    sink.finish()
  }
}
