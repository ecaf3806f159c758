import StrictJSON

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
