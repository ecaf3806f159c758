import MeterCore

/// What the broker's word on a reading comes to.
enum ReadingVerdict: Sendable, Hashable {
  /// Somebody gets it.
  case taken
  /// Nobody has subscribed to it.
  case unheard
  case reply(SinkReply)

  init(_ answer: MQTTSession.Answer) {
    switch answer {
    case .lost(let end): self = .reply(end.reply)
    case .tooLarge:
      self = .reply(
        SinkReply(
          .refused(reason: "too_large"), text: "the reading is larger than the broker takes", isAboutItem: true))
    case .acknowledged(.noMatchingSubscribers, _): self = .unheard
    case .acknowledged(let reason, let words):
      let text = "the broker: \(reason.text)" + (words.isEmpty ? "" : ", \(words)")
      switch reason {
      // The topic may not be written: nothing goes out until somebody changes the broker's rules or the user.
      case .notAuthorized: self = .reply(SinkReply(.credentialRefused, text: text))
      case .topicNameInvalid: self = .reply(SinkReply(.refused(reason: "topic_name"), text: text, isAboutItem: true))
      case .payloadFormatInvalid:
        self = .reply(SinkReply(.refused(reason: "payload_format"), text: text, isAboutItem: true))
      case .packetTooLarge: self = .reply(SinkReply(.refused(reason: "too_large"), text: text, isAboutItem: true))
      default: self = reason.isFailure ? .reply(SinkReply(.retry(), text: text)) : .taken
      }
    }
  }
}
