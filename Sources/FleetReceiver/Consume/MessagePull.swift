import HostPrimitives
import NATSClient

/// One question to a consumer for its next messages, and what comes in answer.
struct MessagePull: Sendable {
  /// The most messages.
  let count: Int
  /// How long the server waits for the first one. What is there by then comes at once.
  var wait: Duration = .seconds(10)

  /// What came of it.
  struct Outcome: Sendable {
    var messages: [NATSMessage] = []
    /// Whether the server has waited for messages, and has not said at once that there are none.
    var hasWaited = false
  }

  /// The most bytes of a batch, so that one of the largest records fits into memory.
  private static let bytes = 8 << 20

  /// The question: wait for the first message, and for no other.
  var question: JetStreamPull {
    var pull = JetStreamPull(batch: count, expires: wait)
    pull.maxBytes = Self.bytes
    pull.doesNotWait = true
    return pull
  }

  private enum Event: Sendable {
    case came(JetStreamPullAnswer)
    case broke
    case isLate
  }

  /// Asks, and waits until the consumer has given what it has.
  ///
  /// What has come when the connection breaks is given back: it can be acknowledged over the next one.
  ///
  /// - Throws: ``NATSError``, where not one message has come: `nats_no_responders` when there is no such consumer, `nats_disconnected`,
  ///   `nats_timeout`, `nats_cancelled`.
  func run(
    _ connection: NATSConnection, stream: String, consumer: String, clock: any HostClock
  ) async throws(NATSError) -> Outcome {
    let answers = try await connection.pull(question, from: consumer, of: stream)
    let begun = clock.now
    let (events, continuation) = AsyncStream<Event>.makeStream()
    let tasks = [
      Task {
        for await message in answers { continuation.yield(.came(JetStreamPullAnswer(message))) }
        continuation.yield(.broke)
      },
      Task { [wait] in if await clock.elapsed(wait + .seconds(5)) { continuation.yield(.isLate) } },
    ]
    defer { for task in tasks { task.cancel() } }
    var outcome = Outcome()
    for await event in events {
      guard try take(event, &outcome) else { break }
    }
    if Task.isCancelled, outcome.messages.isEmpty { throw NATSError(.cancelled, "the caller gave up") }
    outcome.hasWaited = clock.now - begun >= wait / 2
    return outcome
  }

  /// - Returns: Whether more may come.
  private func take(_ event: Event, _ outcome: inout Outcome) throws(NATSError) -> Bool {
    let failure: NATSError
    switch event {
    case .came(.message(let message)):
      outcome.messages.append(message)
      return outcome.messages.count < count
    case .came(.heartbeat): return true
    case .came(.over): return false
    case .came(.broken(let words)):
      failure = NATSError(
        .jetStream, "there is no consumer of readings at the server of NATS, or it has just moved",
        hint: "`meterhost-receiver fleet provision` makes it", cause: words)
    case .broke: failure = NATSError(.disconnected, "the connection to the server of NATS broke")
    case .isLate: failure = NATSError(.timeout, "the server of NATS has not answered in time")
    }
    guard outcome.messages.isEmpty else { return false }
    throw failure
  }
}
