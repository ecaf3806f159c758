internal import CLinux
internal import Synchronization

/// A non-blocking descriptor from which elements are taken one by one by waiting tasks.
///
/// Edge-triggered readiness is safe here because the attempt to take an element and the registration of the waiter
/// happen under one lock, which the loop's thread takes before it serves waiters.
package final class DescriptorQueue<Element: Sendable>: Sendable, ReadinessHandler {
  /// What one attempt to take an element gave.
  package enum Attempt {
    /// One was there.
    case element(Element)
    /// None yet.
    case nothingYet
    /// There will be none any more.
    case end
    /// The descriptor is broken.
    case failed(SocketError)
  }

  private struct Waiter<Value> {
    let id: UInt64
    let continuation: CheckedContinuation<Value, any Error>
    /// Asked before it is woken; true closes the descriptor at once.
    var isOver: (@Sendable (Int32) -> Bool)?
  }

  private struct State {
    var descriptor: Int32
    var token: UInt64 = 0
    var nextID: UInt64 = 0
    var readers: [Waiter<Element?>] = []
    var writers: [Waiter<Void>] = []
    var watchesWriting = false
  }

  private let state: Mutex<State>
  private let loop: ReadinessLoop
  private let attempt: @Sendable (Int32) -> Attempt
  private let closesAtEnd: Bool

  /// Takes over the descriptor; it is closed when this throws.
  ///
  /// - Parameter closesAtEnd: Whether the descriptor is closed by the loop's thread when a waiter is told of the end, before any
  ///   task has run.
  package init(
    descriptor: Int32, closesAtEnd: Bool = false, attempt: @escaping @Sendable (Int32) -> Attempt
  ) throws(SocketError) {
    self.closesAtEnd = closesAtEnd
    do {
      loop = try ReadinessLoop.shared()
    } catch {
      _ = mh_packet_close(descriptor)
      throw error
    }
    self.attempt = attempt
    state = Mutex(State(descriptor: descriptor))
    do {
      let token = try loop.add(descriptor, handler: self)
      state.withLock { $0.token = token }
    } catch {
      _ = mh_packet_close(descriptor)
      throw error
    }
  }

  /// Runs with the open descriptor; nil if it is closed.
  package func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value? {
    state.withLock { $0.descriptor >= 0 ? body($0.descriptor) : nil }
  }

  /// The next element; nil when there will be none any more, from whichever side.
  package func next() async throws -> Element? {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let now = state.withLock { takeOrWait(&$0, Waiter(id: id, continuation: continuation)) }
        if let now { resume(continuation, with: now) }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Returns when the descriptor may take more bytes.
  ///
  /// - Parameters:
  ///   - retry: Asked under the lock, after writing is watched; true means it is not necessary to wait.
  ///   - isOver: Asked by the loop's thread before the task is woken; true closes the descriptor at once.
  package func waitUntilWritable(
    unless retry: @Sendable (Int32) -> Bool, closingIf isOver: (@Sendable (Int32) -> Bool)? = nil
  ) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let now = state.withLock { state -> Result<Void, any Error>? in
          guard state.descriptor >= 0 else { return .failure(SocketError.closedHere) }
          loop.watchWriting(true, token: state.token, descriptor: state.descriptor)
          state.watchesWriting = true
          guard !retry(state.descriptor) else { return .success(()) }
          state.writers.append(Waiter(id: id, continuation: continuation, isOver: isOver))
          return nil
        }
        if let now { continuation.resume(with: now) }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  package func becameReady(readable: Bool, writable: Bool) {
    if readable { serveReaders() }
    if writable { serveWriters() }
  }

  /// Closes the descriptor and ends all waiting; repeated calls do nothing.
  package func close() {
    state.withLock { if $0.descriptor >= 0 { close(&$0) } }
    wakeAll()
  }

  private func close(_ state: inout State) {
    loop.remove(state.token, descriptor: state.descriptor)
    _ = mh_packet_close(state.descriptor)
    state.descriptor = -1
  }

  private func takeOrWait(_ state: inout State, _ waiter: Waiter<Element?>) -> Result<Element?, any Error>? {
    guard state.descriptor >= 0 else { return .success(nil) }
    // Whoever waits already is first in the line.
    if state.readers.isEmpty, let result = taken(from: &state) { return result }
    state.readers.append(waiter)
    return nil
  }

  private func taken(from state: inout State) -> Result<Element?, any Error>? {
    let result: Result<Element?, any Error>
    switch attempt(state.descriptor) {
    case .element(let element): return .success(element)
    case .nothingYet: return nil
    case .end: result = .success(nil)
    case .failed(let error): result = .failure(error)
    }
    if closesAtEnd { close(&state) }
    return result
  }

  /// Hands a reader what was taken, and tells those who wait behind it of an end that it is told of.
  private func resume(_ reader: CheckedContinuation<Element?, any Error>, with result: Result<Element?, any Error>) {
    reader.resume(with: result)
    if case .success(.some) = result { return }
    if closesAtEnd { wakeAll() }
  }

  private func serveReaders() {
    while true {
      let served = state.withLock { state -> (Waiter<Element?>, Result<Element?, any Error>)? in
        guard state.descriptor >= 0, !state.readers.isEmpty, let result = taken(from: &state) else { return nil }
        return (state.readers.removeFirst(), result)
      }
      guard let (reader, result) = served else { return }
      resume(reader.continuation, with: result)
    }
  }

  /// Tells everybody who still waits that the descriptor is closed.
  private func wakeAll() {
    let (readers, writers) = state.withLock { state in
      defer { (state.readers, state.writers) = ([], []) }
      return (state.readers, state.writers)
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
    for writer in writers { writer.continuation.resume(throwing: SocketError.closedHere) }
  }

  private func serveWriters() {
    let writers = state.withLock { state in
      // A change re-arms the edge: on a hung-up descriptor it would come back at once, and so for ever.
      if state.descriptor >= 0, state.watchesWriting {
        loop.watchWriting(false, token: state.token, descriptor: state.descriptor)
        state.watchesWriting = false
      }
      if state.descriptor >= 0, state.writers.contains(where: { $0.isOver?(state.descriptor) == true }) {
        close(&state)
      }
      defer { state.writers = [] }
      return state.writers
    }
    for writer in writers { writer.continuation.resume() }
  }

  private func cancel(_ id: UInt64) {
    let (reader, writer) = state.withLock { state in
      let reader = state.readers.firstIndex { $0.id == id }.map { state.readers.remove(at: $0) }
      let writer = state.writers.firstIndex { $0.id == id }.map { state.writers.remove(at: $0) }
      return (reader, writer)
    }
    reader?.continuation.resume(throwing: CancellationError())
    writer?.continuation.resume(throwing: CancellationError())
  }
}
