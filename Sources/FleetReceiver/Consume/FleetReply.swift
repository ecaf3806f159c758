import MeterReceiver

/// A message that a receiver sends when it has dealt with one of a gateway.
struct FleetReply: Sendable, Hashable {
  let subject: String
  let payload: [UInt8]

  /// The server may forget it; the consumer is not given it again.
  static func stored(_ mark: DeliveryMark) -> FleetReply {
    FleetReply(subject: mark.subject, payload: Array("+ACK".utf8))
  }

  /// It will never be taken.
  static func refused(_ mark: DeliveryMark) -> FleetReply {
    FleetReply(subject: mark.subject, payload: Array("+TERM".utf8))
  }

  /// It is to come again, after some time.
  static func later(_ mark: DeliveryMark, after delay: Duration) -> FleetReply {
    guard delay > .zero else { return FleetReply(subject: mark.subject, payload: Array("-NAK".utf8)) }
    let nanoseconds = Int64(delay.components.seconds) * 1_000_000_000
    return FleetReply(subject: mark.subject, payload: Array("-NAK {\"delay\":\(max(1, nanoseconds))}".utf8))
  }

  /// What is to be sent once the database has a message for good: the confirmation to the gateway that has sent it, then the
  /// acknowledgement. Were it the other way round, a receiver that is killed in between would leave the gateway to send it again.
  ///
  /// A gateway says where it listens; a receiver sends nowhere else than to that gateway itself, or one gateway could have it speak to
  /// another.
  static func settling(_ delivered: DeliveredMessage, _ verdict: FleetVerdict) -> [FleetReply] {
    let acknowledgement = verdict.isFinalRefusal ? refused(delivered.mark) : stored(delivered.mark)
    guard let subject = delivered.confirmation else { return [acknowledgement] }
    let id = delivered.message.headers[FleetMessage.Header.messageID] ?? ""
    return [FleetReply(subject: subject, payload: verdict.confirmation(messageID: id)), acknowledgement]
  }
}
