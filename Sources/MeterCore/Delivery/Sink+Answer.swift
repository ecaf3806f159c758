package import HostPrimitives

extension Sink {
  /// Asks about a credential before anything depends on it. The answer goes into the store together with the credential, so that nobody
  /// asks the same again at once.
  package func answer(
    on credential: SinkCredential, policy: DeliveryPolicy = DeliveryPolicy(), clock: any HostClock = .system,
    jitter: Double = .random(in: 0...1)
  ) async -> TokenAnswer {
    let reply = await check(credential)
    let skew = reply.clockSkewSeconds.map { ClockSkew(seconds: $0, measuredMicroseconds: clock.unixMicroseconds) }
    let verdict: TokenVerdict =
      switch reply.verdict {
      case .accepted: .accepted
      case .refused: .refused
      case .otherUser: .otherUser
      case .cannotSay, .unclear, .outOfReach: .unknown(reason: reply.reason)
      }
    // Where deliveries may go out all the same there is nothing to wait for.
    guard case .outOfReach(let asked) = reply.verdict else {
      return TokenAnswer(verdict: verdict, wait: nil, skew: skew)
    }
    let time = policy.wait(asked, failures: 1, jitter: jitter)
    let wait = SinkWait(
      noted: BootClock(clock), pause: time, asked: asked == nil ? .zero : time, failures: 1, error: reply.text)
    return TokenAnswer(verdict: verdict, wait: wait, skew: skew)
  }
}
