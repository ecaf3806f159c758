import MeterCore
import CurlHTTP
internal import StrictJSON

extension HTTPTransport {
  /// Sends a request to a receiver and waits for its answer.
  ///
  /// - Throws: ``TransportError``: beside those of ``send(_:)`` `foreignAnswer` for an answer on which something would be done
  ///   for good, and that is none of a receiver's.
  func answer(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let response = try await send(request)
    // Whose token it is is asked with GET: an answer that names two users is one of somebody else, and not of something in between.
    guard !response.isForeign(allowsDuplicateKeys: request.method == "GET") else { throw .foreign(response) }
    return response
  }
}

extension TransportError {
  /// Something else than a receiver has answered.
  static func foreign(_ response: HTTPResponse) -> TransportError {
    TransportError(.foreignAnswer, "the answer (HTTP \(response.status)) \(response.foreignWords)")
  }
}

extension HTTPResponse {
  /// Whether it claims what something would be done for good about, and cannot be a receiver's: those answer with a JSON
  /// object in which no member stands twice, or to a success with 204 and nothing; and what they accept they accept by one of few
  /// statuses, without telling of a failure.
  ///
  /// Taking a page for success would delete readings that nobody has. Taking it for a refusal would put readings aside, or end
  /// a session, because a proxy was restarted.
  ///
  /// - Parameter allowsDuplicateKeys: Whether a member may stand twice, because whoever reads the answer judges that.
  func isForeign(allowsDuplicateKeys: Bool = false) -> Bool {
    let answer = ReceiverAnswer.object(body, allowsDuplicateKeys: allowsDuplicateKeys)
    return switch status {
    case 204 where body.isEmpty: false
    case 200..<300:
      !AnswerClaim.accepting.contains(status)
        || answer.map { AnswerClaim.isOfFailure($0) || !AnswerClaim.isOfReceiver($0) } ?? true
    case 400, 401, 404, 409, 410, 413, 415, 422: answer == nil
    default: false
    }
  }

  /// The JSON object in the body.
  private var answer: JSONElement? { ReceiverAnswer.object(body) }

  /// Whether a refusal for good does not say what of. Gateways of the cloud refuse in JSON as well (`{"message": "Unauthorized"}`,
  /// `{"status": 404, "error": "Not Found"}`), and mean the address, or their own limits; a receiver that means what was sent
  /// lists errors.
  var isUnexplained: Bool {
    guard [400, 401, 404, 409, 413, 415, 422].contains(status) else { return false }
    return !(answer?.member("errors").map(AnswerClaim.saysSomething) ?? false)
  }

  /// Why nothing is done for good about it.
  fileprivate var foreignWords: String {
    let isSuccess = (200..<300).contains(status)
    if isSuccess, !AnswerClaim.accepting.contains(status) {
      return "is none by which a receiver says that it has what was sent (200, 201, 202 and 204 are); "
        + "check network, proxy and address."
    }
    if isSuccess, answer.map(AnswerClaim.isOfFailure) == true {
      return "claims success and tells of a failure; what was sent is not taken for stored: ask who runs the receiver."
    }
    if !isSuccess, isObject {
      return
        "does not list the `errors` for which a receiver refuses, as of a gateway in front of it; what was sent is sent "
        + "again later. If it is the receiver's, ask who runs it."
    }
    return
      "is no receiver's, but of something in between, such as a proxy or a network's login page; check network, proxy "
      + "and address."
  }

  /// Whether the body is a JSON object, as every answer of a receiver has.
  var isObject: Bool { answer != nil }
}
