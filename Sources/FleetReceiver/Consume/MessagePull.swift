import HostPrimitives
import NATSClient
import StrictJSON

/// One question to a consumer for its next messages.
struct MessagePull: Sendable {
  /// The most messages.
  let count: Int
  /// The most bytes of them, so that a batch of the largest records fits into memory.
  var bytes = 8 << 20
  /// How long the server waits for the first one. What is there by then comes at once.
  var wait: Duration = .seconds(10)

  /// What came of it.
  struct Outcome: Sendable {
    var messages: [NATSMessage] = []
    /// Whether the server has waited as long as it was told to.
    var hasWaited = false
  }

  /// The body of the question.
  var request: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("batch", integer: Int64(count))
      json.member("max_bytes", integer: Int64(bytes))
      // With a time beside it: wait for the first message, and for no other.
      json.member("no_wait", flag: true)
      json.member("expires", integer: wait.components.seconds * 1_000_000_000)
    }
    return json.bytes
  }

  /// What a message of the inbox means for the question.
  enum Part: Sendable, Equatable {
    case message
    /// A sign of life.
    case nothing
    /// No more comes.
    case end(hasWaited: Bool)
    /// The consumer is not there, or somewhere else now.
    case failed
  }

  /// What a message is: the consumer's statuses are 100 (alive), 404 (no messages), 408 (none in time) and 409 (the question is over, such
  /// as by a change of leader), and the server's is 503 (nobody listens to such questions).
  static func part(_ status: Int?) -> Part {
    switch status {
    case nil: .message
    case 100: .nothing
    case 404: .end(hasWaited: false)
    case 408: .end(hasWaited: true)
    case 409: .end(hasWaited: false)
    default: .failed
    }
  }
}

extension NATSConnection {
  private enum PullEvent: Sendable {
    case came(NATSMessage)
    case isOver
    case broke
    case isLate
  }

  /// Asks a consumer for messages and waits until it has given what it has.
  ///
  /// What has come when the connection breaks is given back: it can be acknowledged over the next one.
  ///
  /// - Parameter subject: The consumer's own for such questions.
  /// - Throws: ``NATSError``, where not one message has come: `nats_no_responders` when there is no such consumer, `nats_disconnected`,
  ///   `nats_timeout`, `nats_cancelled`.
  func pull(_ pull: MessagePull, from subject: String, clock: any HostClock) async throws(NATSError)
    -> MessagePull.Outcome
  {
    let happenings = events()
    let inbox = newInbox()
    let answers = try subscribe(inbox, limit: pull.count + 16)
    let (merged, continuation) = AsyncStream<PullEvent>.makeStream()
    let tasks = [
      Task {
        for await message in answers { continuation.yield(.came(message)) }
        continuation.yield(.isOver)
      },
      Task {
        for await event in happenings { if case .disconnected = event { continuation.yield(.broke) } }
      },
      Task { if await clock.elapsed(pull.wait + .seconds(5)) { continuation.yield(.isLate) } },
    ]
    defer { for task in tasks { task.cancel() } }
    try await publish(subject, payload: pull.request, reply: inbox)
    return try await collect(pull, merged)
  }

  private func collect(
    _ pull: MessagePull, _ events: AsyncStream<PullEvent>
  ) async throws(NATSError) -> MessagePull.Outcome {
    var outcome = MessagePull.Outcome()
    for await event in events {
      switch event {
      case .came(let message):
        switch MessagePull.part(message.status) {
        case .message:
          outcome.messages.append(message)
          if outcome.messages.count == pull.count { return outcome }
        case .nothing: continue
        case .end(let hasWaited):
          outcome.hasWaited = hasWaited
          return outcome
        case .failed:
          guard outcome.messages.isEmpty else { return outcome }
          throw NATSError(
            .noResponders, "there is no consumer of readings at the server of NATS",
            hint: "`meterhost-receiver fleet provision` makes it")
        }
      case .broke, .isOver:
        guard outcome.messages.isEmpty else { return outcome }
        throw NATSError(.disconnected, "the connection to the server of NATS broke")
      case .isLate:
        guard outcome.messages.isEmpty else { return outcome }
        throw NATSError(.timeout, "the server of NATS has not answered in time")
      }
    }
    guard outcome.messages.isEmpty else { return outcome }
    throw NATSError(.cancelled, "the caller gave up")
  }
}
