import HTTPServing
import HTTPTypes
import Hummingbird

/// Why a request is refused.
enum PageRefusal: Error, Hashable {
  case wrongHost, wrongOrigin, noCookie, linkUsed, notPage
  case notFound, wrongMethod(allowed: String)
  case wrongMediaType, tooLarge, malformed
  case busy, tooMany, gone, notComplete, stopping

  var status: HTTPResponse.Status {
    switch self {
    case .wrongHost: .misdirectedRequest
    case .wrongOrigin, .notPage: .forbidden
    case .noCookie, .linkUsed: .unauthorized
    case .notFound, .gone: .notFound
    case .wrongMethod: .methodNotAllowed
    case .wrongMediaType: .unsupportedMediaType
    case .tooLarge: .contentTooLarge
    case .malformed: .badRequest
    case .busy, .notComplete: .conflict
    case .tooMany: .tooManyRequests
    case .stopping: .serviceUnavailable
    }
  }

  /// Stable and meant for programs.
  var code: String {
    switch self {
    case .wrongHost: "wrong_host"
    case .wrongOrigin: "wrong_origin"
    case .noCookie: "no_cookie"
    case .linkUsed: "link_used"
    case .notPage: "no_page_token"
    case .notFound: "not_found"
    case .wrongMethod: "wrong_method"
    case .wrongMediaType: "wrong_media_type"
    case .tooLarge: "too_large"
    case .malformed: "malformed"
    case .busy: "busy"
    case .tooMany: "too_many"
    case .gone: "gone"
    case .notComplete: "not_complete"
    case .stopping: "stopping"
    }
  }

  var message: String {
    switch self {
    case .wrongHost: "This view answers only to names of this machine, such as 127.0.0.1."
    case .wrongOrigin: "This request comes from another page."
    case .noCookie:
      "This page opens by the link that meterhost snap view shows, in the browser that has opened the link first."
    case .linkUsed:
      "This link is not valid, or has been used already. Start meterhost snap view again, and open the link that it shows."
    case .notPage: "This request does not come from the page as it is open now. Load the page again."
    case .notFound: "There is no such page."
    case .wrongMethod(let allowed): "Only \(allowed) is possible here."
    case .wrongMediaType: "The body must have the content type application/json."
    case .tooLarge: "The request is too long."
    case .malformed: "The request cannot be read. Load the page again."
    case .busy: "Another reading is under way. End it first; it may be in another window."
    case .tooMany: "Too many windows watch this reading."
    case .gone: "This reading is no longer there. Start another one."
    case .notComplete: "This reading has no result."
    case .stopping: "The view is being closed."
    }
  }
}

/// An error as the page is told of it.
struct PageFailure: Encodable {
  let error: String
  let message: String
  var problems: [RowProblem]?

  /// Status and body of an error; what is none of ours is told without its words, which may quote anything.
  static func describe(_ error: any Error) -> (status: HTTPResponse.Status, body: PageFailure) {
    switch error {
    case let refusal as PageRefusal: (refusal.status, PageFailure(error: refusal.code, message: refusal.message))
    case let problems as RowProblems:
      (
        .unprocessableContent,
        PageFailure(
          error: "rows", message: "This is not a reading of this meter. Look at the marked rows.",
          problems: problems.problems)
      )
    case let error as DeskError:
      (
        error.kind == .notFound ? .notFound : .serviceUnavailable,
        PageFailure(error: error.kind == .cameraDenied ? "denied" : error.code, message: error.message)
      )
    case let error as HTTPError: (error.status, PageFailure(error: "bad_request", message: error.status.reasonPhrase))
    case let error where RequestFault(error) != nil:
      (.badRequest, PageFailure(error: "malformed", message: PageRefusal.malformed.message))
    default:
      (.internalServerError, PageFailure(error: "internal", message: "The view failed on this request. Try again."))
    }
  }
}
