internal import StrictJSON

extension HTTPTransport {
  /// Sends a request to a receiver and waits for its answer.
  ///
  /// - Throws: ``TransportError``: beside those of ``send(_:)`` `foreignAnswer` for an answer on which something would be done
  ///   for good, and that is none of a receiver's.
  func answer(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let response = try await send(request)
    guard !response.isForeign else { throw .foreign(response) }
    return response
  }
}

extension TransportError {
  /// Something else than a receiver has answered.
  static func foreign(_ response: HTTPResponse) -> TransportError {
    let isSuccess = (200..<300).contains(response.status) && response.isObject
    return TransportError(
      .foreignAnswer,
      isSuccess
        ? "the answer (HTTP \(response.status)) claims success and lists errors; what was sent is not taken for stored: ask "
          + "who runs the receiver."
        : "the answer (HTTP \(response.status)) is no receiver's, but of something in between, such as a proxy or a network's "
          + "login page; check network, proxy and address.")
  }
}

extension HTTPResponse {
  /// Whether it claims what something would be done for good about, and cannot be a receiver's: those answer with a JSON
  /// object, or to a success with 204 and nothing.
  ///
  /// Taking a page for success would delete readings that nobody has. Taking it for a refusal would put readings aside, or end
  /// a session, because a proxy was restarted.
  var isForeign: Bool {
    switch status {
    case 204: false
    case 200..<300: answer.map(ReceiverAnswer.listsErrors) ?? true
    case 400, 401, 404, 409, 410, 413, 415, 422: answer == nil
    default: false
    }
  }

  /// The JSON object in the body.
  private var answer: JSONElement? { ReceiverAnswer.object(body) }

  /// Whether a refusal speaks of the address alone. "There is nothing here" is what gateways of the cloud say in JSON as well
  /// (`{"message": "no Route matched"}`); a receiver that means what was sent lists errors.
  var isOfAddressAlone: Bool {
    guard status == 404 else { return false }
    return !(answer?.member("errors").map(ReceiverAnswer.saysSomething) ?? false)
  }

  /// Whether the body is a JSON object, as every answer of a receiver has.
  var isObject: Bool { answer != nil }
}
