import MeterReceiver
import NATSClient

// What a receiver sends when it has dealt with a message of a gateway.
extension NATSConnection.Note {
  /// What becomes of a message at the server.
  static func verdict(_ verdict: JetStreamVerdict, of delivered: DeliveredMessage) -> NATSConnection.Note {
    NATSConnection.Note(subject: delivered.reply, payload: verdict.payload)
  }

  /// What is to be sent once the database has a message for good: the confirmation to the gateway that has sent it, then the
  /// acknowledgement. Over one connection the second never arrives without the first: else nobody would say it again, and the gateway
  /// would send its reading once more.
  ///
  /// A gateway says where it listens; a receiver sends nowhere else than to that gateway itself, or one gateway could have it speak to
  /// another.
  static func settling(_ delivered: DeliveredMessage, _ verdict: FleetVerdict) -> [NATSConnection.Note] {
    let acknowledgement = Self.verdict(verdict.isFinalRefusal ? .never : .done, of: delivered)
    guard let subject = delivered.confirmation, let id = delivered.name else { return [acknowledgement] }
    return [NATSConnection.Note(subject: subject, payload: verdict.confirmation(messageID: id)), acknowledgement]
  }
}
