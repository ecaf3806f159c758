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

  /// Makes a stream.
  package func createStream(_ stream: JetStreamStream) async throws(NATSError) -> JetStreamStreamInfo {
    try await info("STREAM.CREATE.\(stream.name)", stream.json)
  }

  /// Gives a stream that is there another configuration.
  package func updateStream(_ stream: JetStreamStream) async throws(NATSError) -> JetStreamStreamInfo {
    try await info("STREAM.UPDATE.\(stream.name)", stream.json)
  }

  /// What a stream is; nil where there is none of the name.
  package func streamInfo(_ name: String) async throws(NATSError) -> JetStreamStreamInfo? {
    let answer = try await ask("STREAM.INFO.\(name)", [])
    do { return try JetStreamStreamInfo(answer) } catch  where error.reason == JetStreamRefusal.Reason.noStream {
      return nil
    } catch { throw NATSError(error) }
  }

  private func info(_ name: String, _ payload: [UInt8]) async throws(NATSError) -> JetStreamStreamInfo {
    let answer = try await ask(name, payload)
    do { return try JetStreamStreamInfo(answer) } catch { throw NATSError(error) }
  }

  /// Makes a consumer, or gives one that is there what may be changed.
  package func createConsumer(
    _ consumer: JetStreamConsumer, of stream: String
  ) async throws(NATSError) -> JetStreamConsumerInfo {
    let answer = try await ask("CONSUMER.DURABLE.CREATE.\(stream).\(consumer.name)", consumer.json(stream: stream))
    do { return try JetStreamConsumerInfo(answer) } catch { throw NATSError(error) }
  }

  /// What a consumer is; nil where there is none of the name.
  package func consumerInfo(_ name: String, of stream: String) async throws(NATSError) -> JetStreamConsumerInfo? {
    let answer = try await ask("CONSUMER.INFO.\(stream).\(name)", [])
    do { return try JetStreamConsumerInfo(answer) } catch  where error.reason == JetStreamRefusal.Reason.noConsumer {
      return nil
    } catch { throw NATSError(error) }
  }

  /// Asks a consumer for messages. What comes ends with the connection that the question went over: by another one nothing would come.
  package func pull(
    _ pull: JetStreamPull, from consumer: String, of stream: String
  ) async throws(NATSError) -> AsyncStream<NATSMessage> {
    try await question("$JS.API.CONSUMER.MSG.NEXT.\(stream).\(consumer)", pull.json, limit: pull.batch + 16)
  }

  /// Says what became of a consumer's message. Whether the server has heard it nobody says: else it gives the message out again.
  package func tell(_ verdict: JetStreamVerdict, of message: NATSMessage) async throws(NATSError) {
    guard let reply = message.reply else { return }
    try await publish(reply, payload: verdict.payload)
  }

  private func ask(_ name: String, _ payload: [UInt8]) async throws(NATSError) -> [UInt8] {
    try await request("$JS.API.\(name)", payload: payload).payload
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
