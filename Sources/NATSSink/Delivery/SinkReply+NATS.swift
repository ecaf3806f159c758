import HostErrors
package import MeterCore
package import NATSClient

extension SinkReply {
  /// What an error on the way to the stream means for a reading.
  ///
  /// Nothing here is final but what the reading itself is the reason of: keys, permissions, streams and servers are somebody's to mend, and
  /// thousands of readings must not be given up for a line in a configuration.
  package init(_ error: NATSError) {
    switch error.code {
    case .payload: self.init(.refused(reason: Self.tooLarge), text: error.line, isAboutItem: true)
    case .address, .key, .unreachable, .tls, .authorization, .permission, .noResponders, .subject, .disconnected,
      .timeout, .server, .jetStream, .cancelled:
      self.init(.retry(), text: error.line)
    }
  }

  /// What a stream's refusal means for a reading.
  package init(_ refusal: JetStreamRefusal) {
    switch refusal.reason {
    case JetStreamRefusal.Reason.messageTooLong:
      self.init(.refused(reason: Self.tooLarge), text: NATSError(refusal).line, isAboutItem: true)
    case JetStreamRefusal.Reason.storeFailed:
      self.init(.retry(), text: "the stream takes no more (\(refusal.text)); raise its limits or look to its receiver")
    default: self.init(.retry(), text: NATSError(refusal).line)
    }
  }

  static let tooLarge = "too_large"
}

extension NATSError {
  /// The error in one line.
  package var line: String { fullMessage + (hint.map { "; \($0)" } ?? "") }
}
