import CurlHTTP
import MeterCore
import SinkHTTP

/// What answers of a receiver mean, as docs/reference/webhook.md lists them.
///
/// Nothing of an answer's body is kept: it may repeat the reading.
enum WebhookAnswer {
  /// The statuses by which a receiver says that it has what was sent.
  private static let accepting: Set<Int> = [200, 201, 202, 204]
  /// The statuses that refuse a reading for good, where a JSON object explains them.
  private static let final: Set<Int> = [400, 413, 415, 422]
  /// How long an endpoint is left alone that says that it is gone.
  private static let restOfGone = Duration.seconds(86_400)

  /// - Parameter id: That of the message that is answered.
  static func reply(
    _ response: HTTPResponse, to id: String, _ confirmation: WebhookSinkSetting.Confirmation
  ) -> SinkReply {
    switch response.status {
    case let status where accepting.contains(status): receipt(response, of: id, confirmation)
    case 401, 403:
      SinkReply(
        .retry(after: response.asksFor),
        text:
          "HTTP \(response.status): the endpoint refuses the signature or the Authorization; check the secret at both ends, "
          + "and this machine's clock.")
    case 410:
      SinkReply(
        .retry(after: restOfGone),
        text: "HTTP 410: the endpoint is gone, and is asked once a day; give the sink another address, or remove it.")
    case let status where final.contains(status) && response.object != nil:
      SinkReply(.refused(reason: "http-\(status)"), text: "HTTP \(status)", isAboutItem: true)
    default: later(response)
    }
  }

  private static func receipt(
    _ response: HTTPResponse, of id: String, _ confirmation: WebhookSinkSetting.Confirmation
  ) -> SinkReply {
    guard !response.isPage else {
      return SinkReply(
        .retry(),
        text: "HTTP \(response.status) with a page for people: what answers there takes no readings; check the address."
      )
    }
    switch confirmation {
    case .status: return SinkReply(.delivered())
    case .echo:
      guard response.header("webhook-id") == id else {
        return SinkReply(
          .retry(),
          text:
            "HTTP \(response.status) without the message's webhook-id, by which the receiver is to say that it has it.")
      }
      return SinkReply(.delivered(id: id))
    }
  }

  /// Nothing that says that the receiver will never take the reading: a redirect, which is not followed, an address that is not there, a
  /// fault, a limit.
  private static func later(_ response: HTTPResponse) -> SinkReply {
    let passes = [408, 425, 429].contains(response.status) || (500..<600).contains(response.status)
    let words = (300..<400).contains(response.status) ? ": redirects are not followed; give the new address." : ""
    return SinkReply(
      .retry(after: response.asksFor), text: "HTTP \(response.status)\(words)", isAboutItem: !passes)
  }
}
