public import BluetoothWire
import Synchronization

/// Advertisements between a radio and the one who listens: repeats that nobody has read yet collapse, a changed payload is
/// never lost.
///
/// An address has one place in the queue for each payload that waits, so that a thousand meters which say the same over
/// and over need a thousand places, however slowly they are read. What is more than ``capacity`` ends the stream with an
/// error: a reading must not vanish without a word.
public final class AdvertisementQueue: Sendable {
  /// Most advertisements that may wait.
  public static let defaultCapacity = 65_536

  private struct Sender: Hashable {
    let address: BluetoothAddress
    /// A scan response does not replace the advertisement that it belongs to.
    let isScanResponse: Bool

    init(_ report: AdvertisingReport) {
      address = report.address
      isScanResponse = report.eventType == .scanResponse
    }
  }

  private typealias Answer = Result<AdvertisingReport?, BluetoothError>

  private struct State {
    var waiting: [AdvertisingReport] = []
    /// Index of the oldest that waits, and how many were taken out of the array before it.
    var (first, removed) = (0, 0)
    /// The newest that waits of each sender, counted from the beginning of all.
    var newest: [Sender: Int] = [:]
    var reader: CheckedContinuation<Answer, Never>?
    var end: Answer?
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// An empty queue.
  public init(capacity: Int = AdvertisementQueue.defaultCapacity) { self.capacity = capacity }

  /// Puts an advertisement in; one that repeats the newest of its sender that still waits takes that one's place.
  public func put(_ report: AdvertisingReport) {
    wake { state in
      guard state.end == nil else { return }
      let sender = Sender(report)
      if let newest = state.newest[sender], state.waiting[newest - state.removed].data == report.data {
        state.waiting[newest - state.removed] = report
      } else if state.waiting.count - state.first < capacity {
        state.newest[sender] = state.removed + state.waiting.count
        state.waiting.append(report)
      } else {
        state.end = .failure(
          BluetoothError(
            .communicationFailure,
            "more than \(capacity) different advertisements wait to be read; switch off what fills the air, and try "
              + "again"))
      }
    }
  }

  /// Ends the stream behind what waits; an error says why.
  public func finish(throwing error: BluetoothError? = nil) {
    wake { state in state.end = state.end ?? error.map { .failure($0) } ?? .success(nil) }
  }

  /// The queue as a stream for one reader.
  ///
  /// - Parameter onEnd: Called once when the reader is gone, whether it was cancelled or stopped reading.
  public func stream(onEnd: @escaping @Sendable () -> Void) -> AsyncThrowingStream<AdvertisingReport, any Error> {
    let lease = Lease(onEnd: onEnd)
    return AsyncThrowingStream { [self] in
      defer { _ = lease }
      return try await next()
    }
  }

  private func next() async throws(BluetoothError) -> AdvertisingReport? {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wake { state in state.reader = continuation }
      }
    } onCancel: {
      finish()
    }
    return try result.get()
  }

  /// Changes the state; then the reader gets what there is for it.
  private func wake(_ change: (inout State) -> Void) {
    let served = state.withLock { state -> (CheckedContinuation<Answer, Never>, Answer)? in
      change(&state)
      guard let reader = state.reader, let result = Self.take(&state) else { return nil }
      state.reader = nil
      return (reader, result)
    }
    if let (reader, result) = served { reader.resume(returning: result) }
  }

  private static func take(_ state: inout State) -> Answer? {
    guard state.first < state.waiting.count else { return state.end }
    let report = state.waiting[state.first]
    let sender = Sender(report)
    if state.newest[sender] == state.removed + state.first { state.newest[sender] = nil }
    state.first += 1
    // Moved in large steps, so that a report costs the same however many wait.
    if state.first == state.waiting.count || state.first >= 1024 {
      state.waiting.removeFirst(state.first)
      state.removed += state.first
      state.first = 0
    }
    return .success(report)
  }

  /// Ends with the last reader's hold on the stream.
  private final class Lease: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }
}
