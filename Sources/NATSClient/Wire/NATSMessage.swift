/// A message as a subscription gets it.
package struct NATSMessage: Sendable, Hashable {
  /// What it was published under.
  package var subject: String
  /// Where the sender waits for an answer; nil where it does not.
  package var reply: String?
  /// What stands before the content.
  package var headers: NATSHeaders
  /// Whether something stood there that is no header: such a message is nothing that one of ours has sent.
  package var hasBrokenHeaders: Bool
  /// The content.
  package var payload: [UInt8]

  /// A message.
  package init(
    subject: String, reply: String? = nil, headers: NATSHeaders = NATSHeaders(), hasBrokenHeaders: Bool = false,
    payload: [UInt8] = []
  ) {
    self.subject = subject
    self.reply = reply
    self.headers = headers
    self.hasBrokenHeaders = hasBrokenHeaders
    self.payload = payload
  }

  /// What a server says in place of a message: 503 nobody listens, 404 no messages, 408 no more in time, 409 the pull is over, 100 a
  /// heartbeat; nil for a message of a client.
  package var status: Int? { headers.status }

  /// Whether a server says that nobody listens to what was published.
  package var saysNobodyListens: Bool { status == 503 && payload.isEmpty }
}
