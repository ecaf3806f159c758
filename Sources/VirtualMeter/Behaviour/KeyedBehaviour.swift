import BluetoothWire
import CCrypto
import HostPrimitives

/// The keyed test meter: it proves that it knows its key, and sends its readings encrypted with AES-CCM
/// (Plugins/KeyedMeter/README.md).
struct KeyedBehaviour: MeterBehaviour {
  private let options: MeterScript.Keyed
  private let controlHandle: UInt16
  private let dataHandle: UInt16
  private let informationHandle: UInt16
  private let lastSequence: UInt16
  private var memory: [[UInt8]]
  /// Counts every message of the meter's life: no nonce comes twice.
  private var counter: UInt32 = 0
  private var outgoing: ArraySlice<Outgoing> = []

  init?(_ options: MeterScript.Keyed, records: [MeterScript.Record], database: GATTDatabase) {
    guard let control = database.value(of: MeterScript.Keyed.control),
      let data = database.value(of: MeterScript.Keyed.data),
      let information = database.value(of: MeterScript.Keyed.information)
    else { return nil }
    self.options = options
    controlHandle = control
    dataHandle = data
    informationHandle = information
    memory = records.map(\.measurement)
    lastSequence = memory.map(Self.sequence).max() ?? 0
  }

  var recordsLeft: Int { memory.count }

  var values: [UInt16: [UInt8]] {
    [informationHandle: options.id + [UInt8(options.tagLength)] + lastSequence.littleEndianBytes]
  }

  mutating func connect(clockIsUnset: Bool, reportLimit: Int?) { outgoing = [] }

  func refusal(handle: UInt16, value: [UInt8], server: ATTServer) -> ATTErrorCode? {
    guard handle == controlHandle else { return nil }
    // CCCD improperly configured (Core Specification Supplement Part B 1.2).
    guard server.isSubscribed(to: controlHandle, by: .indicate) else { return ATTErrorCode(rawValue: 0xFD) }
    let lengths: [UInt8: Int] = [1: 9, 2: 3, 3: 3]
    return value.first.flatMap { lengths[$0] } == value.count ? nil : .invalidAttributeValueLength
  }

  mutating func wrote(handle: UInt16, value: [UInt8], server: ATTServer) {
    guard handle == controlHandle, let command = value.first else { return }
    switch command {
    case 1: indicate([0x81] + proof(Array(value[1...])))
    case 2:
      let due = memory.filter { Self.sequence($0) >= Self.number(value) }
      for record in due {
        outgoing.append(.notification(handle: dataHandle, value: sealed(record)))
        counter += 1
      }
      indicate([0x82] + UInt16(due.count).littleEndianBytes)
    default:
      if options.deletesOnAcknowledgement { memory.removeAll { Self.sequence($0) <= Self.number(value) } }
      indicate([0x83])
    }
  }

  mutating func next(server: ATTServer, mayIndicate: Bool) -> Outgoing? {
    if case .indication = outgoing.first, !mayIndicate { return nil }
    return outgoing.popFirst()
  }

  mutating func confirmed() -> String? { nil }

  private mutating func indicate(_ value: [UInt8]) {
    outgoing.append(.indication(handle: controlHandle, value: value))
  }

  /// The first 8 bytes of a CMAC over the challenge.
  private func proof(_ challenge: [UInt8]) -> [UInt8] {
    var mac = [UInt8](repeating: 0, count: 16)
    let message = Array("VERIFY".utf8) + challenge + options.id
    Self.lend(options.key) { key in Self.lend(message) { _ = ccrypto_cmac(key, $0, &mac) } }
    return Array(mac.prefix(8))
  }

  /// The counter, then the encrypted record and its tag.
  private func sealed(_ record: [UInt8]) -> [UInt8] {
    let head = counter.littleEndianBytes
    var text = [UInt8](repeating: 0, count: record.count + options.tagLength)
    Self.lend(options.key) { key in
      Self.lend(head + options.id) { nonce in
        Self.lend(options.id) { id in
          Self.lend(record) { _ = ccrypto_aes(CCRYPTO_CCM, 1, key, nonce, id, options.tagLength, $0, &text) }
        }
      }
    }
    return head + text
  }

  private static func lend(_ bytes: [UInt8], _ body: (ccrypto_bytes) -> Void) {
    bytes.withUnsafeBufferPointer { body(ccrypto_bytes(p: $0.baseAddress, n: $0.count)) }
  }

  private static func sequence(_ record: [UInt8]) -> UInt16 { UInt16(littleEndianBytes: record[..<2]) }
  private static func number(_ command: [UInt8]) -> UInt16 { UInt16(littleEndianBytes: command[1...2]) }
}
