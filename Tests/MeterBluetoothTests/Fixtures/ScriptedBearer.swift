import BluetoothWire
import HostPrimitives
import Synchronization
import TestSupport

@testable import MeterBluetooth

/// A bearer whose meter answers what a test wants.
final class ScriptedBearer: ATTBearer {
  private struct State {
    var sent: [[UInt8]] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Held while the answers to one PDU go out: who hears the first one may hang up before the last one else.
  private let answering = Mutex(())
  private let answer: @Sendable (ATTPDU, Int) -> [[UInt8]]
  private let incoming: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation
  /// Opened by ``close()``: a meter that takes nothing keeps whoever sends until then.
  private let stall: Gate?

  /// - Parameters:
  ///   - stalls: The meter takes no PDU.
  ///   - answer: What the meter sends for a PDU; the number counts PDUs from 0.
  init(stalls: Bool = false, _ answer: @escaping @Sendable (ATTPDU, Int) -> [[UInt8]]) {
    self.answer = answer
    stall = stalls ? Gate() : nil
    (incoming, sink) = AsyncStream.makeStream()
  }

  var sent: [ATTPDU] { state.withLock { $0.sent }.compactMap { try? ATTPDU(decoding: $0) } }
  var isClosed: Bool { state.withLock(\.isClosed) }

  /// The meter sends by itself.
  func push(_ pdus: ATTPDU...) { for pdu in pdus { sink.yield(pdu.encoded) } }
  func push(bytes: [UInt8]) { sink.yield(bytes) }
  /// The meter hangs up.
  func hangUp() { answering.withLock { _ in sink.finish() } }

  func send(_ pdu: [UInt8]) async throws(GATTError) {
    await stall?.pass()
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.sent.append(pdu)
      return state.sent.count - 1
    }
    guard let number, let decoded = try? ATTPDU(decoding: pdu) else { throw GATTError(.disconnected, "closed") }
    let replies = answer(decoded, number)
    answering.withLock { _ in for reply in replies { sink.yield(reply) } }
  }

  func receive() async throws(GATTError) -> [UInt8]? {
    for await bytes in incoming { return bytes }
    return nil
  }

  func close() {
    state.withLock { $0.isClosed = true }
    stall?.open()
    sink.finish()
  }

  /// A client on this bearer that listens already.
  func client(
    _ limits: ATTClient.Limits = ATTClient.Limits(), clock: any HostClock = .ofTest
  ) async -> GATTClient {
    let client = ATTClient(bearer: self, limits: limits, clock: clock)
    await client.start()
    return GATTClient(att: client)
  }
}

extension ATTPDU {
  /// The bytes as a list of one, as scripts want them.
  var reply: [[UInt8]] { [encoded] }

  static func error(_ request: ATTPDU, _ code: ATTErrorCode) -> [[UInt8]] {
    ATTPDU.errorResponse(request: request.opcode, handle: 1, code: code).reply
  }
}
