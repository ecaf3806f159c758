import BluetoothWire
import Synchronization

@testable import MeterBluetooth

/// A radio that keeps what a phone's capture would hold: advertisements, connections, PDUs.
struct CapturingRadio: WrappingRadio {
  /// One thing on the air.
  enum Item: Sendable {
    case heard(AdvertisingReport)
    case connected(BluetoothAddress)
    case sent([UInt8])
    case received([UInt8])
    case encrypted
    case disconnected(UInt8)
  }

  let base: BenchRadio
  private let log = Log()

  final class Log: Sendable {
    private let kept = Mutex<[Item]>([])
    var items: [Item] { kept.withLock { $0 } }
    func add(_ item: Item) { kept.withLock { $0.append(item) } }
  }

  init(_ base: BenchRadio) { self.base = base }

  var items: [Item] { log.items }

  func advertisements() -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let (stream, sink) = AsyncThrowingStream<AdvertisingReport, any Error>.makeStream()
    let task = Task { [base, log] in
      do {
        for try await report in base.advertisements() {
          log.add(.heard(report))
          sink.yield(report)
        }
        sink.finish()
      } catch { sink.finish(throwing: error) }
    }
    sink.onTermination = { _ in task.cancel() }
    return stream
  }

  func connect(to address: BluetoothAddress) async throws(BluetoothError) -> any ATTBearer {
    let bearer = try await base.connect(to: address)
    log.add(.connected(address))
    return Bearer(base: bearer, log: log)
  }

  private struct Bearer: ATTBearer {
    let base: any ATTBearer
    let log: Log

    func send(_ pdu: [UInt8]) async throws(GATTError) {
      log.add(.sent(pdu))
      try await base.send(pdu)
    }

    func receive() async throws(GATTError) -> [UInt8]? {
      let pdu = try await base.receive()
      log.add(pdu.map { .received($0) } ?? .disconnected(0x13))
      return pdu
    }

    func close() { base.close() }
  }
}

/// Writes btsnoop files as a phone or `btmon` would.
struct CaptureWriter {
  /// Link type of the file.
  enum Link: UInt32, CaseIterable {
    case hci = 1001
    case uart = 1002
    case monitor = 2001
  }

  let link: Link
  /// Bytes of one ACL packet; longer frames are in several.
  var fragment = 27
  private(set) var bytes: [UInt8]
  private var time: Int64 = 1_600_000_000_000_000
  private let handle: UInt16 = 0x0040

  init(_ link: Link, fragment: Int = 27) {
    self.link = link
    self.fragment = fragment
    bytes = Array("btsnoop\0".utf8) + Self.big(1) + Self.big(link.rawValue)
  }

  static func file(_ items: [CapturingRadio.Item], _ link: Link, fragment: Int = 27) -> [UInt8] {
    var writer = CaptureWriter(link, fragment: fragment)
    for item in items { writer.add(item) }
    return writer.bytes
  }

  mutating func add(_ item: CapturingRadio.Item) {
    switch item {
    case .heard(let report): event(0x3E, [0x02, 1] + report.encoded)
    case .connected(let address):
      let head: [UInt8] = [0x01, 0, 0x40, 0, 0, address.kind.rawValue]
      event(0x3E, head + address.littleEndianBytes + [24, 0, 0, 0, 72, 0, 5])
    case .encrypted: event(0x08, [0, 0x40, 0, 1])
    case .disconnected(let reason): event(0x05, [0, 0x40, 0, reason])
    case .sent(let pdu): data(pdu, isReceived: false)
    case .received(let pdu): data(pdu, isReceived: true)
    }
  }

  mutating func event(_ code: UInt8, _ content: [UInt8]) {
    packet(4, [code, UInt8(content.count)] + content, isReceived: true)
  }

  mutating func data(_ pdu: [UInt8], isReceived: Bool, channel: UInt16 = 4) {
    let frame = Self.little(UInt16(pdu.count)) + Self.little(channel) + pdu
    for start in stride(from: 0, to: frame.count, by: fragment) {
      let piece = Array(frame[start..<min(start + fragment, frame.count)])
      // 00: first of the host; 10: first of the controller; 01: continues.
      let boundary: UInt16 = start > 0 ? 1 : isReceived ? 2 : 0
      packet(
        2, Self.little(handle | boundary << 12) + Self.little(UInt16(piece.count)) + piece, isReceived: isReceived)
    }
  }

  mutating func packet(_ kind: UInt8, _ content: [UInt8], isReceived: Bool, original: Int? = nil) {
    time += 10_000
    let content = link == .uart ? [kind] + content : content
    let flags: UInt32 =
      switch link {
      case .hci, .uart: (isReceived ? 1 : 0) | (kind == 2 ? 0 : 2)
      case .monitor: kind == 4 ? 3 : isReceived ? 5 : 4
      }
    bytes += Self.big(UInt32(original ?? content.count)) + Self.big(UInt32(content.count)) + Self.big(flags)
    bytes += Self.big(0) + Self.big64(UInt64(time + BtsnoopFile.epoch)) + content
  }

  static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  static func big64(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
  static func little(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
}
