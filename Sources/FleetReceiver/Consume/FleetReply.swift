import MeterReceiver
import NATSClient

/// A message that a receiver sends when it has dealt with one of a gateway.
struct FleetReply: Sendable, Hashable {
  let subject: String
  let payload: [UInt8]

  /// What becomes of a message at the server.
  static func verdict(_ verdict: JetStreamVerdict, of delivered: DeliveredMessage) -> FleetReply {
    FleetReply(subject: delivered.reply, payload: verdict.payload)
  }

  /// What is to be sent once the database has a message for good: the confirmation to the gateway that has sent it, then the
  /// acknowledgement. Were it the other way round, a receiver that is killed in between would leave the gateway to send it again.
  ///
  /// A gateway says where it listens; a receiver sends nowhere else than to that gateway itself, or one gateway could have it speak to
  /// another.
  static func settling(_ delivered: DeliveredMessage, _ verdict: FleetVerdict) -> [FleetReply] {
    let acknowledgement = Self.verdict(verdict.isFinalRefusal ? .never : .done, of: delivered)
    guard let subject = delivered.confirmation else { return [acknowledgement] }
    let id = delivered.message.headers[FleetMessage.Header.messageID] ?? ""
    return [FleetReply(subject: subject, payload: verdict.confirmation(messageID: id)), acknowledgement]
  }
}
