/// What a consumer's message says of itself in its reply subject:
/// `$JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERIES.STREAMSEQ.CONSUMERSEQ.TIME.PENDING[.RANDOM]`.
package struct JetStreamDelivery: Sendable, Hashable {
  /// The stream.
  package let stream: String
  /// The consumer.
  package let consumer: String
  /// How often it was given out, this time included.
  package let deliveries: Int
  /// The message's number in the stream.
  package let sequence: UInt64
  /// When the stream got it, in nanoseconds since 1970-01-01T00:00Z.
  package let nanoseconds: Int64
  /// Messages behind it that the consumer has not given out.
  package let waiting: UInt64

  /// What a reply subject says; nil where the message is none of a consumer.
  package init?(reply: String) {
    var tokens = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard tokens.count >= 9, tokens[0] == "$JS", tokens[1] == "ACK" else { return nil }
    // Servers of a domain put that and the account before the stream.
    tokens.removeFirst(tokens.count == 9 ? 2 : 4)
    guard tokens.count >= 7, let deliveries = Int(tokens[2]), let sequence = UInt64(tokens[3]),
      let nanoseconds = Int64(tokens[5]), let waiting = UInt64(tokens[6])
    else { return nil }
    stream = String(tokens[0])
    consumer = String(tokens[1])
    self.deliveries = deliveries
    self.sequence = sequence
    self.nanoseconds = nanoseconds
    self.waiting = waiting
  }
}

/// What is said of a consumer's message, published to its reply subject.
package enum JetStreamVerdict: Sendable, Hashable {
  /// It is done.
  case done
  /// It is to be given out again, after some time.
  case again(after: Duration?)
  /// It is never to be given out again.
  case never
  /// It is being worked at: the time for a word begins anew.
  case working

  /// The message's content.
  package var payload: [UInt8] {
    switch self {
    case .done: Array("+ACK".utf8)
    case .again(nil): Array("-NAK".utf8)
    case .again(let time?): Array("-NAK {\"delay\":\(time.wholeNanoseconds)}".utf8)
    case .never: Array("+TERM".utf8)
    case .working: Array("+WPI".utf8)
    }
  }
}

/// What a message is that came to the inbox of a pull.
package enum JetStreamPullAnswer: Sendable, Hashable {
  /// A message of the stream.
  case message(NATSMessage)
  /// The pull has brought all that it will: no messages (404), no more in time (408), its limit of bytes.
  case over
  /// The server is there and has nothing yet.
  case heartbeat
  /// The consumer is gone, or leads elsewhere: it is to be asked anew, after a while. The server's words.
  case broken(String)

  /// What a message is.
  package init(_ message: NATSMessage) {
    switch message.status {
    case nil: self = .message(message)
    case 100: self = .heartbeat
    case 404, 408: self = .over
    case 409 where Self.isBound(message.headers.statusText): self = .over
    default: self = .broken(message.headers.statusText.oneLineOfServer)
    }
  }

  private static func isBound(_ text: String) -> Bool {
    let small = text.lowercased()
    return small.hasPrefix("message size exceeds") || small.hasPrefix("batch completed")
  }
}
