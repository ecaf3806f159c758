import CurlHTTP

/// What an answer to a transaction bundle means for the reading in it (docs/send-to-fhir.md, "What answers mean").
enum AnswerMeaning: Hashable {
  /// The server has it.
  case delivered(id: String?)
  /// Not now.
  case retry(after: Duration?)
  /// The server will never take it, for this reason.
  case refused(reason: String)
  /// The server does not know who asks. `isCertain` is whether it is the server that says so.
  case unauthorized(isCertain: Bool)

  /// Statuses that say of a bundle that it will never be taken, when the server explains itself.
  private static let final: Set<Int> = [400, 404, 405, 410, 413, 415, 422]
  /// The reason of a reading that the server has twice, or whose device it has twice.
  static let ambiguous = "ambiguous"

  /// - Parameters:
  ///   - entries: How many entries the bundle has.
  ///   - main: Which of them is the main observation.
  init(_ response: HTTPResponse, entries: Int, main: Int) {
    let asked = RetryAfter.seconds(response).map { Duration.seconds($0) }
    let outcome = OperationOutcome(response.body)
    switch response.status {
    case 200, 201:
      switch TransactionAnswer(response.body, entries: entries, main: main) {
      case .taken(let id): self = .delivered(id: id)
      case .foreign: self = .retry(after: nil)
      }
    case 401: self = .unauthorized(isCertain: outcome != nil || response.refusesToken)
    case 412 where outcome?.isAboutContent == true: self = .refused(reason: Self.ambiguous)
    case let status where Self.final.contains(status) && outcome?.isAboutContent == true:
      self = .refused(reason: "http-\(status)")
    // 409 as well: two transactions have met on one resource, which passes.
    case 400..<600: self = .retry(after: asked)
    // Other successes are none of a transaction; redirects are not followed.
    default: self = .retry(after: nil)
    }
  }
}

extension HTTPResponse {
  /// Whether a 401 names the token as its reason (RFC 6750 section 3.1); a proxy of the network asks for something else.
  var refusesToken: Bool {
    guard status == 401, let field = header("WWW-Authenticate")?.lowercased() else { return false }
    return field.hasPrefix("bearer") && field.contains("invalid_token")
  }
}
