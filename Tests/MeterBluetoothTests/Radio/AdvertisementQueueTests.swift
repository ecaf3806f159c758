import BluetoothWire
import Synchronization
import TestSupport
import Testing

@testable import MeterBluetooth

@Suite("Advertisements that wait", .jumpingTime, .timeLimit(.minutes(60)))
struct AdvertisementQueueTests {
  private func report(_ address: UInt64, _ payload: UInt16, rssi: Int8 = -50, response: Bool = false)
    -> AdvertisingReport
  {
    AdvertisingReport(
      eventType: response ? .scanResponse : .nonconnectable, address: BluetoothAddress(value: address), rssi: rssi,
      data: [UInt8(payload >> 8), UInt8(payload & 0xFF)])
  }

  /// Reads everything, as a reader that comes late.
  private func drain(_ queue: AdvertisementQueue) async throws -> [AdvertisingReport] {
    queue.finish()
    var reports: [AdvertisingReport] = []
    for try await report in queue.stream(onEnd: {}) { reports.append(report) }
    return reports
  }

  @Test("every change of every meter is there, in its order, when thousands of meters advertise and nobody reads")
  func load() async throws {
    let queue = AdvertisementQueue()
    let meters = 5000 as UInt64
    // Everybody repeats itself a hundred times; every thousandth meter changes its payload in each round.
    for round in 0..<100 as Range<UInt16> {
      for meter in 0..<meters { queue.put(report(meter, meter % 1000 == 7 ? round : 0)) }
    }
    let reports = try await drain(queue)
    for meter in 0..<meters {
      let payloads = reports.filter { $0.address.value == meter && meter % 1000 == 7 }.map(\.data)
      if meter % 1000 == 7 { #expect(payloads == (0..<100).map { [0, UInt8($0)] }) }
    }
    #expect(reports.count == 4995 + 5 * 100)
  }

  @Test("repeats collapse only while they wait, and the newest strength is kept")
  func repeats() async throws {
    let queue = AdvertisementQueue()
    var reports = queue.stream(onEnd: {}).makeAsyncIterator()
    for rssi in [-90, -80, -70] as [Int8] { queue.put(report(1, 1, rssi: rssi)) }
    queue.put(report(1, 1, response: true))
    queue.put(report(1, 1))
    #expect(try await reports.next() == report(1, 1, rssi: -50))
    // The first is read: what repeats it now is heard again.
    queue.put(report(1, 1))
    #expect(try await reports.next() == report(1, 1, response: true))
    #expect(try await reports.next() == report(1, 1))
    queue.finish()
    #expect(try await reports.next() == nil)
  }

  @Test("any mixture keeps every change of each sender and its order", arguments: 0..<50 as Range<UInt64>)
  func mixtures(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let queue = AdvertisementQueue()
    var expected: [UInt64: [AdvertisingReport]] = [:]
    var heard: [UInt64: [AdvertisingReport]] = [:]
    let collect = { (reports: [AdvertisingReport], into: inout [UInt64: [AdvertisingReport]]) in
      for report in reports {
        let sender = report.address.value << 1 | (report.eventType == .scanResponse ? 1 : 0)
        if into[sender]?.last?.data != report.data { into[sender, default: []].append(report) }
      }
    }
    let stream = queue.stream(onEnd: {})
    var iterator = stream.makeAsyncIterator()
    var waiting = 0
    for _ in 0..<3000 {
      let next = report(
        UInt64.random(in: 0..<9, using: &random), UInt16.random(in: 0..<3, using: &random),
        response: Bool.random(using: &random))
      queue.put(next)
      collect([next], &expected)
      waiting += 1
      // The reader is there for every report at times, and away for long at others.
      if waiting > 20, Int.random(in: 0..<4, using: &random) == 0, let read = try await iterator.next() {
        collect([read], &heard)
        waiting -= 20
      }
    }
    queue.finish()
    while let read = try await iterator.next() { collect([read], &heard) }
    #expect(heard == expected)
  }

  @Test("what cannot be kept ends the stream with an error, behind what was kept")
  func full() async throws {
    let queue = AdvertisementQueue(capacity: 10)
    for payload in 0..<20 as Range<UInt16> { queue.put(report(1, payload)) }
    var count = 0
    let error = await #expect(throws: BluetoothError.self) {
      for try await _ in queue.stream(onEnd: {}) { count += 1 }
    }
    #expect(count == 10 && error?.code == .communicationFailure)
  }

  @Test("the radio hears that its reader is gone: by stopping, by being cancelled, by never beginning")
  func ends() async throws {
    let ends = Mutex(0)
    let queue = AdvertisementQueue()
    queue.put(report(1, 1))
    for try await _ in queue.stream(onEnd: { ends.withLock { $0 += 1 } }) { break }
    #expect(ends.withLock { $0 } == 1)
    _ = AdvertisementQueue().stream { ends.withLock { $0 += 1 } }
    #expect(ends.withLock { $0 } == 2)
    let waiting = AdvertisementQueue()
    let reader = Task {
      for try await _ in waiting.stream(onEnd: { ends.withLock { $0 += 1 } }) {}
    }
    reader.cancel()
    try await reader.value
    #expect(ends.withLock { $0 } == 3)
  }

  @Test("an error of the radio reaches the reader that waits for it")
  func radioError() async {
    let queue = AdvertisementQueue()
    let reader = Task { for try await _ in queue.stream(onEnd: {}) {} }
    queue.finish(throwing: BluetoothError(.bluetoothOff, "off"))
    queue.finish()
    let error = await #expect(throws: BluetoothError.self) { try await reader.value }
    #expect(error?.code == .bluetoothOff)
  }
}
