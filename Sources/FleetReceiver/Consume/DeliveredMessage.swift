import MeterReceiver
import NATSClient

/// A message of a gateway as the consumer delivers it.
struct DeliveredMessage: Sendable, Hashable {
  let message: FleetMessage
  /// Where the server hears what became of it.
  let reply: String
  /// How often it was delivered, this time included.
  let deliveries: Int

  /// A message; nil for what no consumer has delivered, which cannot be acknowledged.
  init?(_ message: NATSMessage) {
    guard let reply = message.reply, let delivery = JetStreamDelivery(reply: reply) else { return nil }
    var headers: [String: String] = [:]
    if !message.hasBrokenHeaders {
      for name in Self.names {
        let values = message.headers.all(name)
        // Of two nobody can say which one is meant.
        if values.count == 1 { headers[name] = values[0] }
      }
    }
    self.reply = reply
    deliveries = delivery.deliveries
    self.message = FleetMessage(subject: message.subject, headers: headers, payload: message.payload)
  }

  private static let names = [
    FleetMessage.Header.messageID, FleetMessage.Header.user, FleetMessage.Header.mac, FleetMessage.Header.confirm,
  ]

  /// What its sender calls it; nil for what is no name, which nobody waits for and which is not repeated.
  var name: String? {
    message.headers[FleetMessage.Header.messageID].flatMap { FleetMessage.isName($0) ? $0 : nil }
  }

  /// Where the gateway wants to hear what became of it; nil where it does not, or names another's subject.
  var confirmation: String? {
    guard let own = FleetSubject(message.subject)?.confirmations, message.headers[FleetMessage.Header.confirm] == own
    else { return nil }
    return own
  }

  /// Whether it asks for a confirmation somewhere else than with its own gateway.
  var isMisdirected: Bool { message.headers[FleetMessage.Header.confirm] != nil && confirmation == nil }
}
