/// What the reply subject of a message from a consumer says: where it is acknowledged, and which delivery this is.
struct DeliveryMark: Sendable, Hashable {
  /// Where the acknowledgement goes.
  let subject: String
  /// The how many-th time it is delivered, from 1.
  let delivery: Int

  /// A mark; nil for what is no message of a consumer.
  ///
  /// `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.CONSUMERSEQUENCE.TIME.PENDING`, or from servers with domains
  /// `$JS.ACK.DOMAIN.ACCOUNT.STREAM.CONSUMER.DELIVERED...` with more behind it.
  init?(_ reply: String?) {
    guard let reply, reply.hasPrefix("$JS.ACK.") else { return nil }
    let tokens = reply.split(separator: ".", omittingEmptySubsequences: false)
    guard tokens.count == 9 || tokens.count >= 11, let delivery = Int(tokens[tokens.count == 9 ? 4 : 6]), delivery > 0
    else { return nil }
    (subject, self.delivery) = (reply, delivery)
  }
}
