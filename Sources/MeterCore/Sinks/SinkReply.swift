/// What came of sending one reading or picture.
public struct SinkReply: Sendable, Hashable {
  /// What it means for what was sent.
  public enum Outcome: Sendable, Hashable {
    /// The receiver has it: its own id and address of it, where it gave them.
    case delivered(id: String? = nil, address: String? = nil)
    /// Somebody in between has it, such as a broker, and the receiver is to say what became of it within this time: until then it is
    /// neither delivered nor sent again, also after a restart.
    case unconfirmed(within: Duration)
    /// Not now. `after` is how long the receiver itself asks to be left alone; nil where it does not say.
    case retry(after: Duration? = nil)
    /// The receiver, or its format, will never take it; the reason is a stable word.
    case refused(reason: String)
    /// The receiver refuses the credential, and says nothing of what was sent.
    case credentialRefused
  }

  /// What it means for what was sent.
  public var outcome: Outcome
  /// What went wrong, for people, in one line; it repeats no secret.
  public var text: String
  /// Whether an answer refuses what was sent, even if not for good: it says nothing of an outage, and to send the same again will
  /// come to the same for as long as nobody changes something.
  public var isAboutItem: Bool
  /// How far the receiver's clock is ahead of this machine's, in seconds; nil where it does not say.
  public var clockSkewSeconds: Int?

  /// A reply.
  public init(_ outcome: Outcome, text: String = "", isAboutItem: Bool = false, clockSkewSeconds: Int? = nil) {
    self.outcome = outcome
    self.text = text
    self.isAboutItem = isAboutItem
    self.clockSkewSeconds = clockSkewSeconds
  }
}

extension SinkReply {
  /// The receiver's own id of what it has.
  var deliveredID: String? { if case .delivered(let id, _) = outcome { id } else { nil } }
  /// Its address there.
  var deliveredAddress: String? { if case .delivered(_, let address) = outcome { address } else { nil } }
  /// Whether the receiver itself asks to be left alone.
  var isAsked: Bool { if case .retry(.some) = outcome { true } else { false } }
}

/// What a receiver says of a credential.
public struct CredentialReply: Sendable, Hashable {
  /// What it says.
  public enum Verdict: Sendable, Hashable {
    /// It knows the credential, and does not say that it is another user's.
    case accepted
    /// It refuses the credential.
    case refused
    /// The credential is another user's: readings would end up with the wrong person.
    case otherUser
    /// It has no answer to this question: what it says to deliveries tells as much.
    case cannotSay
    /// It is out of reach. `after` is how long it asks to be left alone; nil where it does not say.
    case outOfReach(after: Duration? = nil)
    /// It answers with something that settles nothing, and will do so again.
    case unclear
  }

  /// What it says.
  public var verdict: Verdict
  /// What went wrong, for people, in one line; it repeats no secret.
  public var text: String
  /// Why it says nothing, for people.
  public var reason: String
  /// How far the receiver's clock is ahead of this machine's, in seconds; nil where it does not say.
  public var clockSkewSeconds: Int?

  /// A reply.
  public init(_ verdict: Verdict, text: String = "", reason: String = "", clockSkewSeconds: Int? = nil) {
    self.verdict = verdict
    self.text = text
    self.reason = reason
    self.clockSkewSeconds = clockSkewSeconds
  }
}
