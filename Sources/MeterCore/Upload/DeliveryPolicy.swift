/// What one attempt to deliver came to.
public enum DeliveryOutcome: Sendable, Hashable {
  /// The receiver answered.
  case answered(status: Int, retryAfterSeconds: Int?)
  /// There was no answer.
  case failed(TransportError)
}

/// What is to be done after an attempt.
public enum DeliveryDecision: Sendable, Hashable {
  /// The receiver has the record.
  case delivered
  /// Try again after this time on a monotonic clock.
  case retry(after: Duration)
  /// The receiver will never take it.
  case dead(reason: String)
  /// The token is refused: the session ends.
  case endSession
}

/// Decides what follows an attempt, without clock or socket: statuses as docs/reference/wire-format.md lists them,
/// waiting with full jitter.
public struct DeliveryPolicy: Sendable, Hashable {
  /// The longest wait after the first failure; it doubles with each further one.
  public var base: Duration
  /// The longest wait that doubling reaches.
  public var cap: Duration
  /// The longest wait that doubling reaches for an image that is refused again and again, or fails while the receiver takes
  /// others: each attempt costs megabytes.
  public var imageCap: Duration = .seconds(6 * 3600)
  /// The longest wait that a receiver's Retry-After reaches.
  public var retryAfterCap: Duration
  /// The statuses that say of what was sent that the receiver will never take it.
  public var finalStatuses: Set<Int> = [400, 404, 409, 413, 422]

  /// A policy; the defaults suit a receiver on the internet.
  public init(
    base: Duration = .seconds(2), cap: Duration = .seconds(300), retryAfterCap: Duration = .seconds(86_400)
  ) {
    self.base = base
    self.cap = cap
    self.retryAfterCap = retryAfterCap
  }

  /// What follows an attempt.
  ///
  /// - Parameters:
  ///   - outcome: What the attempt came to.
  ///   - failures: Failures in a row, this one included.
  ///   - jitter: A random number from 0 to 1.
  ///   - cap: The longest wait that doubling reaches; nil for that of the policy.
  public func decide(
    _ outcome: DeliveryOutcome, failures: Int, jitter: Double, cap: Duration? = nil
  ) -> DeliveryDecision {
    func backoff() -> Duration { self.backoff(failures, jitter, cap ?? self.cap) }
    switch outcome {
    // Even a request that cannot be sent: its URL and token are wrong, not the reading.
    case .failed: return .retry(after: backoff())
    case .answered(let status, let retryAfter):
      switch status {
      case _ where AnswerClaim.accepting.contains(status): return .delivered
      case 401: return .endSession
      case _ where finalStatuses.contains(status): return .dead(reason: "http-\(status)")
      // Not this token, not this way, not now: none of them says anything about the reading, so it is kept and shown.
      case 400..<600:
        guard let retryAfter else { return .retry(after: backoff()) }
        // A little jitter on top: a receiver that names one moment to everybody is not to be met by all at once.
        let named = min(.seconds(max(0, retryAfter)), retryAfterCap)
        return .retry(after: named + base * clamped(jitter))
      // Redirects are not followed: the token goes to the configured receiver only. Whoever moved it can move it back.
      case 300..<400: return .retry(after: backoff())
      // Informational or outside HTTP: not an answer that says anything about the record.
      default: return .retry(after: backoff())
      }
    }
  }

  /// Full jitter: anything from nothing to the doubled limit.
  private func backoff(_ failures: Int, _ jitter: Double, _ cap: Duration) -> Duration {
    limit(failures, cap) * clamped(jitter)
  }

  /// The longest wait after so many failures.
  private func limit(_ failures: Int, _ cap: Duration) -> Duration {
    var limit = base
    for _ in 1..<max(1, min(failures, 64)) where limit < cap { limit = limit * 2 }
    return min(limit, cap)
  }

  /// The longest wait of an image, which is no shorter than others' are.
  var longestImageWait: Duration { max(imageCap, cap) }

  /// Whether an image has failed so often that it waits for longer than anything else does.
  func isRare(failures: Int) -> Bool { limit(failures, longestImageWait) > cap }

  private func clamped(_ jitter: Double) -> Double { jitter.isFinite ? min(max(jitter, 0), 1) : 1 }
}
