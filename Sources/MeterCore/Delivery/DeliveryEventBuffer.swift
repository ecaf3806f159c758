internal import Synchronization

/// Events for a listener that may be slow, in bounded memory: what comes while its buffer is full is not kept, and
/// ``DeliveryEvent/missed(_:)`` stands in its place with the number. Who must hear everything reads the event log
/// (``MeterStore/eventSequence(after:)``).
package final class DeliveryEventBuffer: Sendable {
  /// How many events a buffer holds.
  package static let limit = 1024

  private let continuation: AsyncStream<DeliveryEvent>.Continuation
  private let missed = Mutex(0)

  private init(_ continuation: AsyncStream<DeliveryEvent>.Continuation) { self.continuation = continuation }

  /// An empty buffer, and the listener's end of it. The buffer does not keep that end, so that it notices when the
  /// listener has dropped it.
  package static func make(limit: Int = limit) -> (stream: AsyncStream<DeliveryEvent>, buffer: DeliveryEventBuffer) {
    // The gap stands where it was: full, a buffer refuses what is new and does not give up what is old.
    let (stream, continuation) = AsyncStream.makeStream(
      of: DeliveryEvent.self, bufferingPolicy: .bufferingOldest(max(1, limit)))
    return (stream, DeliveryEventBuffer(continuation))
  }

  /// Has something done when the listener is gone, or after ``finish()``.
  package func onEnd(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }

  /// Tells the listener an event.
  package func tell(_ event: DeliveryEvent) {
    missed.withLock { missed in
      if missed > 0 {
        guard case .enqueued = continuation.yield(.missed(missed)) else {
          missed += 1
          return
        }
        missed = 0
      }
      if case .dropped = continuation.yield(event) { missed = 1 }
    }
  }

  /// No event comes any more.
  package func finish() { continuation.finish() }
}
