/// Why there is no token now.
struct TokenFailure: Error, Hashable {
  /// What it means for what was to be sent.
  enum Kind: Hashable {
    /// The endpoint refuses who this host is.
    case refused
    /// Not now. `after` is how long the endpoint asks to be left alone.
    case retry(after: Duration?)
  }

  let kind: Kind
  /// What went wrong, for people, in one line; no secret.
  let text: String
  /// How far the endpoint's clock is ahead of this machine's, in seconds.
  var clockSkewSeconds: Int?

  init(_ kind: Kind, _ text: String, clockSkewSeconds: Int? = nil) {
    (self.kind, self.text, self.clockSkewSeconds) = (kind, text, clockSkewSeconds)
  }
}
