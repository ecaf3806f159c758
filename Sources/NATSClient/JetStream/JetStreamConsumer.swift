import StrictJSON

/// A durable consumer that is asked for messages and told of each what became of it (`$JS.API.CONSUMER.DURABLE.CREATE`).
package struct JetStreamConsumer: Sendable, Hashable {
  /// Its name: no blanks, dots or wildcards.
  package var name: String
  /// Which of the stream's messages it is about; nil for all.
  package var filter: String?
  /// After how long without a word a message is given out again.
  package var acknowledgeWithin: Duration = .seconds(30)
  /// Messages that may be out without a word.
  package var maxPending = 2000
  /// How often a message is given out; -1 for as often as it takes.
  package var maxDeliveries = -1
  /// How many requests for messages may wait.
  package var maxWaiting = 512

  /// A consumer of every message of a stream, from its first on.
  package init(name: String) { self.name = name }

  /// The request's content.
  package func json(stream: String) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("stream_name", stream)
      json.object("config") { json in
        json.member("durable_name", name)
        json.member("name", name)
        json.member("deliver_policy", "all")
        json.member("ack_policy", "explicit")
        json.member("replay_policy", "instant")
        if let filter { json.member("filter_subject", filter) }
        json.member("ack_wait", integer: acknowledgeWithin.wholeNanoseconds)
        json.member("max_ack_pending", integer: Int64(maxPending))
        json.member("max_deliver", integer: Int64(maxDeliveries))
        json.member("max_waiting", integer: Int64(maxWaiting))
      }
    }
    return json.bytes
  }
}

/// What JetStream says of a consumer.
package struct JetStreamConsumerInfo: Sendable, Hashable {
  /// Its name.
  package let name: String
  /// Its stream.
  package let stream: String
  /// Messages that wait to be given out.
  package let waiting: UInt64
  /// Messages that are out without a word.
  package let unacknowledged: Int
  /// Messages that were given out again.
  package let repeated: Int

  /// What the answer of `CONSUMER.DURABLE.CREATE` or `CONSUMER.INFO` says.
  ///
  /// - Throws: ``JetStreamRefusal``.
  package init(_ payload: [UInt8]) throws(JetStreamRefusal) {
    let answer = try JetStreamAnswer.object(payload)
    guard let name = answer.member("name")?.asString, let stream = answer.member("stream_name")?.asString else {
      throw JetStreamAnswer.foreign
    }
    self.name = name
    self.stream = stream
    waiting = answer.unsigned("num_pending") ?? 0
    unacknowledged = answer.integer("num_ack_pending") ?? 0
    repeated = answer.integer("num_redelivered") ?? 0
  }
}

/// A question for messages of a consumer (`$JS.API.CONSUMER.MSG.NEXT`).
package struct JetStreamPull: Sendable, Hashable {
  /// How many messages at most.
  package var batch: Int
  /// How long the server waits for them.
  package var expires: Duration
  /// Bytes of them at most; nil for no limit.
  package var maxBytes: Int?
  /// How often the server says meanwhile that it is there; nil for never. Less than half of ``expires``.
  package var heartbeat: Duration?
  /// Whether it answers at once when there are none.
  package var doesNotWait = false

  /// A question for so many messages.
  package init(batch: Int, expires: Duration) { (self.batch, self.expires) = (batch, expires) }

  /// The request's content.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("batch", integer: Int64(max(1, batch)))
      if expires > .zero { json.member("expires", integer: expires.wholeNanoseconds) }
      if let maxBytes { json.member("max_bytes", integer: Int64(maxBytes)) }
      if let heartbeat { json.member("idle_heartbeat", integer: heartbeat.wholeNanoseconds) }
      if doesNotWait { json.member("no_wait", flag: true) }
    }
    return json.bytes
  }
}
