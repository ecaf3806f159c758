import HostPrimitives
import MeterCore

/// A sink that tells those who count what comes of sending; it changes nothing.
struct CountedSink: Sink {
  private let sink: any Sink
  private let name: String
  private let counted: CountedEvents
  private let clock: any HostClock

  /// - Parameter name: What the store calls it.
  init(_ sink: any Sink, name: String, counted: CountedEvents, clock: any HostClock = .system) {
    (self.sink, self.name, self.counted, self.clock) = (sink, name, counted, clock)
  }

  var capabilities: SinkCapabilities { sink.capabilities }

  func check(_ credential: SinkCredential) async -> CredentialReply { await sink.check(credential) }

  func deliver(_ records: [Record], with credential: SinkCredential) async -> [SinkReply] {
    let began = clock.now
    let replies = await sink.deliver(records, with: credential)
    counted.tell(
      .answered(sink: name, took: clock.now - began, skewSeconds: replies.lazy.compactMap(\.clockSkewSeconds).first))
    let now = clock.unixMicroseconds
    for (index, record) in records.enumerated() {
      // One of which nothing is said is sent again.
      let outcome = index < replies.count ? SendOutcome(replies[index].outcome) : .retry
      let delay = outcome == .delivered ? now.subtractingReportingOverflow(record.time.endMicroseconds) : nil
      counted.tell(
        .sent(sink: name, outcome, delayMicroseconds: delay.flatMap { $0.overflow ? nil : $0.partialValue }))
    }
    return replies
  }

  func deliver(_ image: SinkImage, with credential: SinkCredential) async -> SinkReply {
    let reply = await sink.deliver(image, with: credential)
    counted.tell(.sentImage(sink: name, SendOutcome(reply.outcome)))
    return reply
  }

  func serve(_ surroundings: SinkSurroundings) async { await sink.serve(surroundings) }

  /// What receivers say later is counted as it comes: when the reading was measured nobody knows any more then.
  func confirmations() async -> AsyncStream<SinkConfirmation> {
    let inner = await sink.confirmations()
    guard capabilities.confirmsLater else { return inner }
    let (stream, continuation) = AsyncStream<SinkConfirmation>.makeStream()
    let passing = Task { [name, counted] in
      for await confirmation in inner {
        counted.tell(.sent(sink: name, SendOutcome(confirmation.reply.outcome), delayMicroseconds: nil))
        continuation.yield(confirmation)
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in passing.cancel() }
    return stream
  }
}

extension SendOutcome {
  fileprivate init(_ outcome: SinkReply.Outcome) {
    self =
      switch outcome {
      case .delivered: .delivered
      case .unconfirmed: .unconfirmed
      case .retry: .retry
      case .refused: .refused
      case .credentialRefused: .credentialRefused
      }
  }
}
