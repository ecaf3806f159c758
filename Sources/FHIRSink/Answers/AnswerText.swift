import CurlHTTP
import HostPrimitives
import InformSink
import MeterCore

/// What is kept and shown of an answer, in one line: no secret, and no value of the reading.
struct AnswerText {
  /// Secrets of the request.
  let secrets: [AccessToken]
  /// Values of what was sent.
  let values: HiddenValues

  /// Of an answer that does not say that all is done.
  ///
  /// - Parameters:
  ///   - entries: How many entries the bundle has.
  ///   - main: Which of them is the main observation.
  func text(_ response: HTTPResponse, entries: Int, main: Int) -> String {
    if (200..<300).contains(response.status) {
      guard case .foreign(let words) = TransactionAnswer(response.body, entries: entries, main: main) else {
        return "the answer (HTTP \(response.status)) is none by which a server takes a transaction; it is sent again"
      }
      return "the answer (HTTP \(response.status)) \(words); it is sent again"
    }
    return text(ofRefusal: response)
  }

  /// Of an answer that refuses something.
  func text(ofRefusal response: HTTPResponse) -> String {
    let head = "HTTP \(response.status)"
    guard let outcome = OperationOutcome(response.body) else {
      return (300..<400).contains(response.status)
        ? "\(head): the server has moved; redirects are not followed, correct its address"
        : "\(head), without an OperationOutcome: it may be of something in front of the server"
    }
    let words = outcome.text(hiding: values)
    guard !repeatsSecret(words) else { return "\(head) (the answer repeats a secret, and is not kept)" }
    return "\(head) \(words)"
  }

  /// Whether a text repeats a secret or a good part of it, in any spelling that programs give it.
  func repeatsSecret(_ text: String) -> Bool { secrets.contains { TokenTrace($0).isIn([text], inPart: true) } }

  /// A server's id of something, if it can be kept.
  func kept(_ id: String?) -> String? { id.flatMap { repeatsSecret($0) ? nil : $0 } }
}
