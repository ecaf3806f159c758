import MeterCore
import CurlHTTP
import HostPrimitives

/// What an exchange with the receiver came to.
enum ExchangeOutcome: Sendable, Hashable {
  /// The receiver answered.
  case answered(status: Int, retryAfterSeconds: Int?)
  /// There was no answer.
  case failed(TransportError)
}

/// One attempt to deliver: what was answered, and what the store keeps of it.
struct Attempt: Sendable {
  let outcome: ExchangeOutcome
  /// Why the record could not even be written; nil when it was sent.
  var refusal: String?
  /// What went wrong, for people; no token.
  var text = ""
  var retryAfterSeconds: Int?
  /// The body of an answer that is taken for the receiver's.
  var answer: [UInt8] = []
  /// The status of an answer in JSON, as a receiver's is.
  private var ownStatus: Int?
  /// How far the receiver's clock is ahead of this machine's, in seconds; nil when its answer has no date.
  var clockSkewSeconds: Int?

  /// The reason under which the dead-letter table keeps what a wire format cannot carry.
  static let notEncodable = "not_encodable"

  /// An attempt that ended before anything was sent: the format cannot carry the record.
  init(_ refusal: EncodingRefusal) {
    outcome = .failed(TransportError(.invalidRequest, refusal.message))
    self.refusal = Self.notEncodable
    text = "\(refusal.code.rawValue): \(refusal.message)"
  }

  private init(_ outcome: ExchangeOutcome, text: String = "") {
    self.outcome = outcome
    self.text = text
  }

  /// - Parameter token: The secret in the request, which the kept text must not repeat.
  static func send(
    _ request: HTTPRequest, _ transport: any HTTPTransport, hiding token: AccessToken, clock: any HostClock
  ) async -> Attempt {
    let response: HTTPResponse
    do { response = try await transport.answer(to: request) } catch {
      return Attempt(.failed(error), text: "\(error)")
    }
    let now = clock.unixMicroseconds
    let retryAfter = RetryAfter.seconds(response)
    let isUnexplained = response.isUnexplained
    let outcome =
      isUnexplained
      ? ExchangeOutcome.failed(.foreign(response))
      : .answered(status: response.status, retryAfterSeconds: retryAfter)
    var attempt = Attempt(outcome)
    attempt.clockSkewSeconds = response.header("Date").flatMap(HTTPDate.seconds).map { $0 - Int(now / 1_000_000) }
    attempt.retryAfterSeconds = isUnexplained ? nil : retryAfter
    if response.isObject { attempt.ownStatus = response.status }
    if !isUnexplained { attempt.answer = response.body }
    guard !(200..<300).contains(response.status) else { return attempt }
    let words = ReceiverWords.text(of: response.body, hiding: token)
    attempt.text = "HTTP \(response.status)" + (words.isEmpty ? "" : " \(words)")
    if case .failed(let error) = outcome { attempt.text = "\(error)" + (words.isEmpty ? "" : " It says: \(words)") }
    return attempt
  }

  /// An attempt whose answer is that to another request.
  ///
  /// - Parameter what: What it is an answer to.
  static func mixedUp(_ what: MixedAnswer) -> Attempt {
    let error = what.error
    return Attempt(.failed(error), text: "\(error)")
  }

  /// Whether an answer refuses what was sent, even if not for good: it says nothing of an outage, and to send the same again will
  /// come to the same for as long as nobody changes something.
  var isRefusal: Bool {
    switch outcome {
    case .failed(let error): [.foreignAnswer, .responseTooLarge].contains(error.code)
    // What is asked for in a moment, or of a proxy, passes by itself; of the faults of receivers 501 does not.
    case .answered(let status, _):
      !(200..<300).contains(status) && ![401, 407, 408, 425, 429].contains(status) && (status < 500 || status == 501)
    }
  }

  /// Why there is no answer to the validation call, in words.
  var reason: String {
    if let ownStatus { return "the receiver answers with status \(ownStatus)" }
    return switch outcome {
    case .answered(let status, _): "the receiver answers with status \(status)"
    case .failed(let error): error.message
    }
  }

  /// Whether this is how a receiver without the validation call answers to it: neither the token nor the moment is what it
  /// refuses. A page of something in between is not: whose token it is would never be asked.
  var isWithoutValidation: Bool {
    guard let ownStatus else { return false }
    return (400..<500).contains(ownStatus) && ![401, 407, 408, 425, 429].contains(ownStatus)
  }
}
