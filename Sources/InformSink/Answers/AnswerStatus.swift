import CurlHTTP
import MeterCore

/// What the statuses of a receiver's answers mean, as docs/reference/wire-format.md lists them.
struct AnswerStatus: Sendable, Hashable {
  /// The statuses that say of what was sent that the receiver will never take it.
  let final: Set<Int>

  static let ofRecords = AnswerStatus(final: [400, 404, 409, 413, 422])
  /// An image of a kind that the receiver does not take stays one, and is too large to be sent again and again.
  static let ofImages = AnswerStatus(final: [400, 404, 409, 413, 415, 422])

  func outcome(of exchange: ExchangeOutcome) -> SinkReply.Outcome {
    // Even a request that cannot be sent: its URL and token are wrong, not the reading.
    guard case .answered(let status, let retryAfter) = exchange else { return .retry() }
    switch status {
    case _ where AnswerClaim.accepting.contains(status): return .delivered()
    case 401: return .credentialRefused
    case _ where final.contains(status): return .refused(reason: "http-\(status)")
    // Not this token, not this way, not now: none of them says anything about the reading, so it is kept and shown.
    case 400..<600: return .retry(after: retryAfter.map { .seconds($0) })
    // Redirects are not followed: the token goes to the configured receiver only. Whoever moved it can move it back.
    // Anything else is informational or outside HTTP: not an answer that says anything about the record.
    default: return .retry()
    }
  }
}

extension Attempt {
  /// What the attempt means for what was sent.
  ///
  /// - Parameters:
  ///   - id: The receiver's own id of it, where its answer has one.
  ///   - address: Its address there.
  func reply(_ status: AnswerStatus, id: String? = nil, address: String? = nil) -> SinkReply {
    var outcome = refusal.map { SinkReply.Outcome.refused(reason: $0) } ?? status.outcome(of: self.outcome)
    if case .delivered = outcome { outcome = .delivered(id: id, address: address) }
    return SinkReply(outcome, text: text, isAboutItem: isRefusal, clockSkewSeconds: clockSkewSeconds)
  }
}
