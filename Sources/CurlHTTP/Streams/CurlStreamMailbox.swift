import CCurl
internal import Synchronization

/// One call on its way to the thread of connections.
struct CurlStreamOrder: Sendable {
  enum Action: Sendable {
    case connect(ByteConnectionAddress)
    case send([UInt8])
    case receive
  }

  let number: Int
  /// The connection that it is about.
  let stream: Int
  let action: Action
  /// Hears the bytes of a `receive`, and nothing of the others.
  let finish: @Sendable (Result<[UInt8], ByteConnectionError>) -> Void
}

/// What callers and the thread of connections share.
final class CurlStreamMailbox: Sendable {
  private struct State {
    var next = 0
    var orders: [CurlStreamOrder] = []
    var cancelled: Set<Int> = []
    var closedStreams: Set<Int> = []
    var isClosed = false
    /// Why there is no loop.
    var failure: ByteConnectionError?
    /// The multi handle while the loop lives; only `curl_multi_wakeup` may be called on it from other threads.
    var multi: UnsafeMutableRawPointer?
  }

  private let state = Mutex(State())

  func nextNumber() -> Int {
    state.withLock { state in
      state.next += 1
      return state.next
    }
  }

  func submit(_ order: CurlStreamOrder) {
    let refusal: ByteConnectionError? = state.withLock { state in
      if let failure = state.failure { return failure }
      if state.isClosed { return Self.closed }
      // The caller may have given up before it submitted.
      if state.cancelled.contains(order.number) { return Self.gaveUp }
      state.orders.append(order)
      Self.wake(state)
      return nil
    }
    if let refusal { order.finish(.failure(refusal)) }
  }

  func cancel(_ number: Int) {
    state.withLock { state in
      state.cancelled.insert(number)
      Self.wake(state)
    }
  }

  /// Ends the memory of an order that has its answer.
  func forget(_ number: Int) { state.withLock { _ = $0.cancelled.remove(number) } }

  func closeStream(_ number: Int) {
    state.withLock { state in
      guard !state.isClosed, state.failure == nil else { return }
      state.closedStreams.insert(number)
      Self.wake(state)
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      Self.wake(state)
    }
  }

  private static func wake(_ state: State) {
    if let multi = state.multi { _ = mh_curl_multi_wakeup(multi) }
  }

  static let closed = ByteConnectionError(.closed, "the connection was closed here.")
  static let gaveUp = ByteConnectionError(.cancelled, "the caller gave up.")

  // MARK: The loop's side

  struct Post {
    var orders: [CurlStreamOrder]
    var cancelled: Set<Int>
    var closedStreams: Set<Int>
  }

  func attach(_ multi: UnsafeMutableRawPointer?) {
    // A pointer's bits cross into the lock; the pointer itself stays the loop's.
    let bits = UInt(bitPattern: multi)
    state.withLock { $0.multi = UnsafeMutableRawPointer(bitPattern: bits) }
  }

  /// What arrived since the last call; nil when the dialer and all of its connections are gone.
  func collect() -> Post? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      defer { (state.orders, state.closedStreams) = ([], []) }
      return Post(orders: state.orders, cancelled: state.cancelled, closedStreams: state.closedStreams)
    }
  }

  /// Answers what waits, and everything that will be submitted, with an error.
  func fail(_ error: ByteConnectionError) {
    let waiting = state.withLock { state in
      state.failure = error
      state.closedStreams = []
      defer { state.orders = [] }
      return state.orders
    }
    for order in waiting { order.finish(.failure(error)) }
  }

  /// Closes and hands out what was never started.
  func shutDown() -> [CurlStreamOrder] {
    state.withLock { state in
      state.isClosed = true
      state.multi = nil
      defer { state.orders = [] }
      return state.orders
    }
  }
}
