/// What is to be done after an attempt.
package enum DeliveryDecision: Sendable, Hashable {
  /// The receiver has the record.
  case delivered
  /// The receiver says what became of it within this time, or it is sent again.
  case unconfirmed(within: Duration)
  /// Try again after this time on a monotonic clock.
  case retry(after: Duration)
  /// The receiver will never take it.
  case dead(reason: String)
  /// The credential is refused: what follows is the affair of whose it is.
  case credentialRefused
}

/// Decides what follows an attempt, without clock or socket: waiting with full jitter.
package struct DeliveryPolicy: Sendable, Hashable {
  /// The longest wait after the first failure; it doubles with each further one.
  package var base: Duration
  /// The longest wait that doubling reaches.
  package var cap: Duration
  /// The longest wait that doubling reaches for an image that is refused again and again, or fails while the receiver takes
  /// others: each attempt costs megabytes.
  package var imageCap: Duration = .seconds(6 * 3600)
  /// The longest wait that a receiver's Retry-After reaches.
  package var retryAfterCap: Duration
  /// The longest time in which a receiver may confirm what somebody in between has taken for it.
  package var confirmationCap: Duration = .seconds(86_400)
  /// A policy; the defaults suit a receiver on the internet.
  package init(
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
  package func decide(
    _ outcome: SinkReply.Outcome, failures: Int, jitter: Double, cap: Duration? = nil
  ) -> DeliveryDecision {
    switch outcome {
    case .delivered: .delivered
    case .unconfirmed(let limit): .unconfirmed(within: min(max(.zero, limit), confirmationCap))
    case .refused(let reason): .dead(reason: reason)
    case .credentialRefused: .credentialRefused
    case .retry(let asked): .retry(after: wait(asked, failures: failures, jitter: jitter, cap: cap))
    }
  }

  /// How long to wait after an attempt that is to be repeated.
  ///
  /// - Parameter asked: How long the receiver asks to be left alone; nil where it does not say.
  package func wait(_ asked: Duration?, failures: Int, jitter: Double, cap: Duration? = nil) -> Duration {
    guard let asked else { return backoff(failures, jitter, cap ?? self.cap) }
    // A little jitter on top: a receiver that names one moment to everybody is not to be met by all at once.
    return min(max(.zero, asked), retryAfterCap) + base * clamped(jitter)
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
