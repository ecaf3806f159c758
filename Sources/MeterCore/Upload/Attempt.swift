internal import Foundation

/// One attempt to deliver: what was answered, and what the store keeps of it.
struct Attempt: Sendable {
  let outcome: DeliveryOutcome
  /// Why the record could not even be written; nil when it was sent.
  var refusal: String?
  /// What went wrong, for people; no token.
  var text = ""
  /// The receiver's own id for the record.
  var receiverID: String?
  var retryAfterSeconds: Int?
  /// The body of an answer that accepts.
  var answer: [UInt8] = []

  /// Receivers' error texts are kept up to this many bytes.
  static let textLimit = 512

  static func make(
    _ ticket: DeliveryTicket, _ encoder: InformV2Encoder, _ endpoint: ReceiverEndpoint, _ transport: any HTTPTransport
  ) async -> Attempt {
    do {
      let body = try encoder.encode(ticket.record)
      let url = endpoint.data(ticket.record.type)
      return await send(endpoint.request("POST", url, token: ticket.token, body: body), transport)
    } catch {
      return Attempt(
        outcome: .failed(TransportError(.invalidRequest, error.message)), refusal: "not_encodable",
        text: error.message)
    }
  }

  static func send(_ request: HTTPRequest, _ transport: any HTTPTransport) async -> Attempt {
    do {
      let response = try await transport.send(request)
      let retryAfter = RetryAfter.seconds(response)
      var attempt = Attempt(outcome: .answered(status: response.status, retryAfterSeconds: retryAfter))
      attempt.retryAfterSeconds = retryAfter
      if (200..<300).contains(response.status) {
        attempt.answer = response.body
        attempt.receiverID = receiverID(response.body)
      } else {
        attempt.text = "HTTP \(response.status) " + excerpt(response.body, of: request)
      }
      return attempt
    } catch {
      return Attempt(outcome: .failed(error), text: "\(error)")
    }
  }

  private struct Accepted: Decodable {
    struct Stored: Decodable {
      let id: String?
    }

    let id: String?
    let data: Stored?
  }

  /// The member `id` of the answer or of its `data`; an answer without one is an answer all the same.
  private static func receiverID(_ body: [UInt8]) -> String? {
    let answer = try? JSONDecoder().decode(Accepted.self, from: Data(body))
    guard let id = answer?.data?.id ?? answer?.id, id.utf8.count <= 256 else { return nil }
    return id
  }

  /// The beginning of a receiver's error body as one line; a token that the receiver repeats is taken out.
  private static func excerpt(_ body: [UInt8], of request: HTTPRequest) -> String {
    var text = String(decoding: body.prefix(textLimit * 8), as: UTF8.self)
    for header in request.headers where header.name == "Authorization" {
      let token = header.value.split(separator: " ").last.map(String.init) ?? ""
      if !token.isEmpty { text = text.replacingOccurrences(of: token, with: "<token>") }
    }
    let line = text.unicodeScalars.prefix(textLimit).map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    return String(String.UnicodeScalarView(line))
  }
}
