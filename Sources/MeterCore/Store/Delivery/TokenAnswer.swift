/// What a receiver says of an access token before anything depends on it.
public enum TokenVerdict: Sendable, Hashable {
  /// The receiver knows the token, and does not say that it is another user's.
  case accepted
  /// The receiver refuses the token: 401 in its own JSON.
  case refused
  /// The token is another user's: readings would end up with the wrong person.
  case otherUser
  /// The receiver is out of reach or does not say; the reason is for people.
  case unknown(reason: String)
}

/// What a receiver has answered about a token, with what the next question depends on.
package struct TokenAnswer: Sendable {
  /// What it says.
  package let verdict: TokenVerdict
  /// How long it is left alone: it was out of reach, or has asked for that. The question was one attempt like any other.
  let wait: SinkWait?
  /// How far its clock is from this machine's.
  let skew: ClockSkew?
}
