import BluetoothWire
import Synchronization
import VirtualMeter

@testable import MeterBluetooth

/// A meter that answers as bytes say which anybody has made up: honestly, with damage, with something else, or with more than
/// was asked for. Where the bytes end it is honest.
final class HostileServer: ATTBearer {
  /// What the server does for one request.
  private enum Deed: UInt8, CaseIterable {
    case answer, damage, cut, replace, precede, follow, flood, answerTwice, beNotified, hangUp
  }

  private struct State {
    var input: ArraySlice<UInt8>
    var meter: MeterMachine
    var values: [SentValue] = []
    var problem: String?
    var requests = 0
    var mtu = ATTPDU.defaultMTU
    var indications = 0
    var confirmations = 0
    var isClosed = false
  }

  /// A value that was sent without being asked for.
  struct SentValue: Hashable {
    var handle: UInt16
    var value: [UInt8]
    var isIndication: Bool
  }

  private let state: Mutex<State>
  private let incoming: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation

  init(_ script: MeterScript, _ input: [UInt8]) {
    var meter = MeterMachine(script: script)
    _ = meter.connect()
    state = Mutex(State(input: input[...], meter: meter))
    (incoming, sink) = AsyncStream.makeStream()
  }

  /// Values in the order in which they were sent.
  var values: [SentValue] { state.withLock(\.values) }
  /// What the client did that a client must not.
  var problem: String? { state.withLock(\.problem) }
  /// How many requests have come.
  var requests: Int { state.withLock(\.requests) }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    let (packets, hangsUp) = state.withLock { state in Self.answer(pdu, &state) }
    for packet in packets { sink.yield(packet) }
    if hangsUp { sink.finish() }
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    for await packet in incoming { return packet }
    return nil
  }

  func close() {
    state.withLock { $0.isClosed = true }
    sink.finish()
  }

  private static func answer(_ packet: [UInt8], _ state: inout State) -> (packets: [[UInt8]], hangsUp: Bool) {
    guard !state.isClosed else { return ([], false) }
    guard let pdu = try? ATTPDU(decoding: packet) else {
      state.problem = "the client sent \(packet), which is no PDU"
      return ([], true)
    }
    if packet.count > max(state.mtu, ATTPDU.defaultMTU) { state.problem = "a PDU of \(packet.count) bytes" }
    var packets = state.meter.receive(packet).sent
    for _ in 0..<8 { packets += state.meter.next().sent }
    var hangsUp = false
    if pdu.opcode.isRequest {
      state.requests += 1
      hangsUp = spoil(&packets, &state)
    } else if pdu == .handleValueConfirmation {
      state.confirmations += 1
    }
    for packet in packets { note(packet, &state) }
    if state.confirmations > state.indications { state.problem = "a confirmation of nothing" }
    // A client that waits for an answer is another test's affair: it takes 30 seconds.
    let answers = packets.contains { packet in packet.first.map { isAnswer($0) } ?? true }
    return (packets, hangsUp || pdu.opcode.isRequest && !answers)
  }

  private static func isAnswer(_ opcode: UInt8) -> Bool {
    opcode % 2 == 1 && opcode != ATTOpcode.handleValueNotification.rawValue
      && opcode != ATTOpcode.handleValueIndication.rawValue && !ATTOpcode(rawValue: opcode).isCommand
  }

  /// Does what the next bytes say with an honest answer; true: and hangs up.
  private static func spoil(_ packets: inout [[UInt8]], _ state: inout State) -> Bool {
    guard let first = state.input.popFirst() else { return false }
    let deed = Deed(rawValue: first % UInt8(Deed.allCases.count)) ?? .answer
    switch deed {
    case .answer: break
    case .damage:
      let (place, bits) = (Int(state.input.popFirst() ?? 0), state.input.popFirst() ?? 1)
      if !packets.isEmpty, !packets[0].isEmpty { packets[0][place % packets[0].count] ^= bits }
    case .cut:
      let count = Int(state.input.popFirst() ?? 0)
      if !packets.isEmpty { packets[0] = Array(packets[0].prefix(count % (packets[0].count + 1))) }
    case .replace: packets = [made(&state)]
    case .precede: packets.insert(made(&state), at: 0)
    case .follow: packets.append(made(&state))
    case .flood:
      let (count, packet) = (Int(state.input.popFirst() ?? 0), made(&state))
      packets += Array(repeating: packet, count: count * 2)
    case .answerTwice: packets += packets
    case .beNotified:
      let handle = UInt16(state.input.popFirst() ?? 3)
      let value = [first, state.input.popFirst() ?? 0]
      packets.append(
        first & 0x80 == 0
          ? ATTPDU.handleValueNotification(handle: handle, value: value).encoded
          : ATTPDU.handleValueIndication(handle: handle, value: value).encoded)
    case .hangUp: return true
    }
    return false
  }

  /// A packet of the input's own.
  private static func made(_ state: inout State) -> [UInt8] {
    let count = Int(state.input.popFirst() ?? 0)
    defer { state.input = state.input.dropFirst(count) }
    // Now and then one that no link carries.
    return Array(state.input.prefix(count)) + (count == 0xFF ? [UInt8](repeating: 0, count: 400) : [])
  }

  private static func note(_ packet: [UInt8], _ state: inout State) {
    switch try? ATTPDU(decoding: packet) {
    case .handleValueNotification(let handle, let value):
      state.values.append(SentValue(handle: handle, value: value, isIndication: false))
    case .handleValueIndication(let handle, let value):
      state.indications += 1
      state.values.append(SentValue(handle: handle, value: value, isIndication: true))
    case .exchangeMTUResponse(let mtu): state.mtu = max(state.mtu, Int(mtu))
    default: break
    }
  }
}

extension [MeterAction] {
  /// The packets that are sent.
  fileprivate var sent: [[UInt8]] { compactMap { if case .send(let packet, _) = $0 { packet } else { nil } } }
}
