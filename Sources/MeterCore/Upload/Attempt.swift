internal import Foundation
import HostPrimitives

/// One attempt to deliver: what was answered, and what the store keeps of it.
struct Attempt: Sendable {
  let outcome: DeliveryOutcome
  /// Why the record could not even be written; nil when it was sent.
  var refusal: String?
  /// What went wrong, for people; no token.
  var text = ""
  var retryAfterSeconds: Int?
  /// The body of an answer that accepts.
  var answer: [UInt8] = []
  /// How far the receiver's clock is ahead of this machine's, in seconds; nil when its answer has no date.
  var clockSkewSeconds: Int?

  /// Receivers' error texts are kept up to this many bytes.
  static let textLimit = 512
  /// The reason under which the dead-letter table keeps what a wire format cannot carry.
  static let notEncodable = "not_encodable"

  /// An attempt that ended before anything was sent: the format cannot carry the record.
  init(_ refusal: EncodingRefusal) {
    outcome = .failed(TransportError(.invalidRequest, refusal.message))
    self.refusal = Self.notEncodable
    text = "\(refusal.code.rawValue): \(refusal.message)"
  }

  private init(_ outcome: DeliveryOutcome, text: String = "") {
    self.outcome = outcome
    self.text = text
  }

  /// - Parameter token: The secret in the request, which the kept text must not repeat.
  static func send(
    _ request: HTTPRequest, _ transport: any HTTPTransport, hiding token: AccessToken, clock: any HostClock
  ) async -> Attempt {
    do {
      let response = try await transport.answer(to: request)
      let now = clock.unixMicroseconds
      let retryAfter = RetryAfter.seconds(response)
      var attempt = Attempt(.answered(status: response.status, retryAfterSeconds: retryAfter))
      attempt.retryAfterSeconds = retryAfter
      attempt.clockSkewSeconds = response.header("Date").flatMap(HTTPDate.seconds).map { $0 - Int(now / 1_000_000) }
      if (200..<300).contains(response.status) {
        attempt.answer = response.body
      } else {
        attempt.text = "HTTP \(response.status) " + excerpt(response.body, hiding: token)
      }
      return attempt
    } catch {
      return Attempt(.failed(error), text: "\(error)")
    }
  }

  /// Whether this is how a receiver without the validation call answers to it: neither the token nor the moment is what it
  /// refuses.
  var isWithoutValidation: Bool {
    guard case .answered(let status, _) = outcome else { return false }
    return (400..<500).contains(status) && ![401, 407, 408, 425, 429].contains(status)
  }

  /// The beginning of a receiver's error body as one line; a token that the receiver repeats is taken out.
  static func excerpt(_ body: [UInt8], hiding token: AccessToken) -> String {
    var text = String(decoding: body.prefix(textLimit * 8), as: UTF8.self)
    if !token.secret.isEmpty { text = text.replacingOccurrences(of: token.secret, with: "<token>") }
    let line = text.unicodeScalars.prefix(textLimit).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    return String(String.UnicodeScalarView(line))
  }
}
