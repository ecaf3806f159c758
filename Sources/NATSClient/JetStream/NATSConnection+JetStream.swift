// JetStream's own requests.
extension NATSConnection {
  /// Publishes a message to a stream and waits until the stream has it.
  ///
  /// - Throws: ``NATSError`` as ``request(_:headers:payload:timeout:)``; with code `nats_jetstream` for what the stream refuses.
  package func publishToStream(
    _ subject: String, headers: NATSHeaders, payload: [UInt8], timeout: Duration? = nil
  ) async throws(NATSError) -> JetStreamAcknowledgement {
    let answer = try await request(subject, headers: headers, payload: payload, timeout: timeout)
    do { return try JetStreamAcknowledgement(answer.payload) } catch { throw NATSError(error) }
  }

  /// Asks a consumer for messages. What comes ends with the connection that the question went over: by another one nothing would come.
  package func pull(
    _ pull: JetStreamPull, from consumer: String, of stream: String
  ) async throws(NATSError) -> AsyncStream<NATSMessage> {
    try await question("$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", pull.json, limit: pull.batch + 16)
  }
}

extension NATSError {
  /// What JetStream has refused, as an error.
  package init(_ refusal: JetStreamRefusal) {
    let hint: String? =
      switch refusal.reason {
      case JetStreamRefusal.Reason.noStream, JetStreamRefusal.Reason.noConsumer: "`meterhost fleet` makes it"
      case JetStreamRefusal.Reason.storeFailed: "raise the stream's limits, or let its messages be read"
      case let reason where JetStreamRefusal.Reason.notEnabled.contains(reason): "switch JetStream on at the server"
      default: nil
      }
    self.init(
      .jetStream, "JetStream refuses it", hint: hint,
      cause: refusal.reason == 0 ? refusal.text : "\(refusal.text), \(refusal.reason)")
  }
}
