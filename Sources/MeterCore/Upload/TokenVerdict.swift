package import HostPrimitives
internal import StrictJSON

extension ReceiverEndpoint {
  /// Asks the receiver about a token. Nothing is stored, so that a mistyped token costs nobody their session.
  public func verdict(
    on token: AccessToken, of owner: SessionUser, transport: any HTTPTransport
  ) async -> TokenVerdict {
    await answer(on: token, of: owner, transport: transport).verdict
  }

  /// Asks the receiver about a token, as ``verdict(on:of:transport:)`` does. The answer goes into the store together with the token,
  /// so that nobody asks the same again at once.
  package func answer(
    on token: AccessToken, of owner: SessionUser, transport: any HTTPTransport,
    policy: DeliveryPolicy = DeliveryPolicy(),
    clock: any HostClock = .system, jitter: Double = .random(in: 0...1)
  ) async -> TokenAnswer {
    let attempt = await Attempt.send(
      request("GET", user, token: token), transport, hiding: token, clock: clock)
    let skew = attempt.clockSkewSeconds.map {
      ClockSkew(seconds: $0, measuredMicroseconds: clock.unixMicroseconds)
    }
    func unknown(_ wait: SinkWait?) -> TokenAnswer {
      TokenAnswer(verdict: .unknown(reason: attempt.reason), wait: wait, skew: skew)
    }
    // Uploads may go out: there is nothing to wait for.
    guard !attempt.isWithoutValidation else { return unknown(nil) }
    switch policy.decide(attempt.outcome, failures: 1, jitter: jitter) {
    case .delivered:
      let isOther = TokenOwner.contradicts(owner, in: attempt.answer)
      return TokenAnswer(verdict: isOther ? .otherUser : .accepted, wait: nil, skew: skew)
    case .endSession: return TokenAnswer(verdict: .refused, wait: nil, skew: skew)
    case .dead: return unknown(nil)
    case .retry(let time):
      let asked = attempt.retryAfterSeconds == nil ? .zero : time
      return unknown(SinkWait(noted: BootClock(clock), pause: time, asked: asked, failures: 1, error: attempt.text))
    }
  }
}

/// Whose token it is, as the answer to the validation call says.
enum TokenOwner {
  /// Whether the answer names somebody else. A receiver that names nobody contradicts nothing; what it says that cannot be
  /// understood does, because silence and a name that nobody can read are not the same.
  static func contradicts(_ user: SessionUser, in body: [UInt8]) -> Bool {
    // 204 has no body.
    guard !body.isEmpty else { return false }
    guard let answer = ReceiverAnswer.object(body) else { return true }
    var places = [answer]
    if let data = answer.member("data"), data.kind != .null {
      guard data.kind == .object else { return true }
      places.append(data)
    }
    for place in places {
      guard let user = place.member("user"), user.kind == .object else { continue }
      places.append(user)
    }
    // The receiver's id of the user, and the organisation's own: a session may name either.
    return places.contains { place in
      let users = ["user_id", "uid"].compactMap { place.member($0) }.filter { $0.kind != .null }
      let organization = place.member("organization_id").flatMap { $0.kind == .null ? nil : $0 }
      return !users.isEmpty && !users.contains { ReceiverAnswer.isText($0, user.userID) }
        || organization.map { !ReceiverAnswer.isText($0, user.organizationID) } ?? false
    }
  }
}
