import HostPrimitives
import MeterCore

extension MQTTSessionEnd {
  /// For how long a client whose place another one has taken stays away: two with one id would take turns without end.
  static let waitAfterTakeOver: Duration = .seconds(60)

  /// What it means for readings that could not be published, or whose acknowledgement has not come.
  var reply: SinkReply {
    switch cause {
    case .refused(.badUserNameOrPassword), .refused(.notAuthorized): SinkReply(.credentialRefused, text: text)
    case .disconnected(.sessionTakenOver): SinkReply(.retry(after: Self.waitAfterTakeOver), text: text)
    case .refused, .disconnected, .unusable, .silent, .broken, .left: SinkReply(.retry(), text: text)
    }
  }

  /// What it means for the password.
  var credentialReply: CredentialReply {
    switch cause {
    case .refused(.badUserNameOrPassword), .refused(.notAuthorized): CredentialReply(.refused, text: text, reason: text)
    case .refused(.serverUnavailable), .refused(.serverBusy), .silent, .broken(isCertificate: false), .left,
      .disconnected:
      CredentialReply(.outOfReach(), text: text, reason: text)
    case .refused, .unusable, .broken(isCertificate: true): CredentialReply(.unclear, text: text, reason: text)
    }
  }
}
