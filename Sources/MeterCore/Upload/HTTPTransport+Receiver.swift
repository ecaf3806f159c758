internal import Foundation

extension HTTPTransport {
  /// Sends a request to a receiver and waits for its answer.
  ///
  /// - Throws: ``TransportError``: beside those of ``send(_:)`` `foreignAnswer` for a success that is none of a receiver's.
  func answer(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let response = try await send(request)
    guard !response.isForeign else {
      throw TransportError(
        .foreignAnswer,
        "the answer (HTTP \(response.status)) is no receiver's, but of something in between, such as a network's login "
          + "page; check network and address.")
    }
    return response
  }
}

extension HTTPResponse {
  /// Whether it claims success and cannot be a receiver's: those answer with a JSON object, or with 204 and nothing. The
  /// content type says nothing either way, receivers and proxies get it wrong.
  ///
  /// Taking such an answer for success would delete readings that nobody has.
  var isForeign: Bool { (200..<300).contains(status) && status != 204 && !isObject }

  private var isObject: Bool {
    // Pages are told apart by their first character, and not read.
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    guard body.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") else { return false }
    return (try? JSONSerialization.jsonObject(with: Data(body))) is [String: Any]
  }
}
