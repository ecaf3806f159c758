import CurlHTTP
import Synchronization

/// One end of a connection in memory: what a client sends goes to the broker, what the broker says comes out of `receive`.
final class BrokerConnection: ByteConnection {
  private struct State {
    var said: [UInt8] = []
    var isOver = false
    var waiter: CheckedContinuation<[UInt8], Never>?
  }

  private let number: Int
  private let broker: FleetBroker
  private let state = Mutex(State())

  init(_ number: Int, of broker: FleetBroker) { (self.number, self.broker) = (number, broker) }

  func send(_ bytes: [UInt8]) async throws(ByteConnectionError) {
    guard !state.withLock(\.isOver) else { throw ByteConnectionError(.closed, "the connection is over") }
    await broker.heard(bytes, from: number)
  }

  func receive() async throws(ByteConnectionError) -> [UInt8] {
    await withCheckedContinuation { continuation in
      let bytes: [UInt8]? = state.withLock { state in
        guard state.said.isEmpty, !state.isOver else {
          defer { state.said = [] }
          return state.said
        }
        state.waiter = continuation
        return nil
      }
      if let bytes { continuation.resume(returning: bytes) }
    }
  }

  func close() { end() }

  /// What the broker says.
  func say(_ bytes: [UInt8]) {
    let waiter = state.withLock { state -> CheckedContinuation<[UInt8], Never>? in
      guard !state.isOver else { return nil }
      guard let waiter = state.waiter else {
        state.said += bytes
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: bytes)
  }

  /// It breaks; what was said and not received is gone.
  func end() {
    let waiter = state.withLock { state in
      (state.isOver, state.said) = (true, [])
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: [])
  }
}
