import HTTPServing
import HTTPTypes
import Hummingbird

/// Why a request is refused before anything is done for it.
enum ConsoleRefusal: Error, Hashable {
  case wrongHost, wrongOrigin, linkUsed, notOurForm
  case notFound, wrongMethod(allowed: String), wrongMediaType, tooLarge, malformed, tooMany

  var status: HTTPResponse.Status {
    switch self {
    case .wrongHost: .misdirectedRequest
    case .wrongOrigin, .notOurForm: .forbidden
    case .linkUsed: .unauthorized
    case .notFound: .notFound
    case .wrongMethod: .methodNotAllowed
    case .wrongMediaType: .unsupportedMediaType
    case .tooLarge: .contentTooLarge
    case .malformed: .badRequest
    case .tooMany: .tooManyRequests
    }
  }

  var message: String {
    switch self {
    case .wrongHost: "The console answers only to its own names."
    case .wrongOrigin: "This request comes from another page."
    case .linkUsed: "This link is not valid, has been used already, or is too old."
    case .notOurForm: "This form is not of the page as it is open now."
    case .notFound: "There is no such page."
    case .wrongMethod(let allowed): "Only \(allowed) is possible here."
    case .wrongMediaType: "This is no form of the console."
    case .tooLarge: "This is too long."
    case .malformed: "This cannot be read."
    case .tooMany: "Too many windows listen."
    }
  }

  var hint: String? {
    switch self {
    case .linkUsed: "`meterhost console` makes another one."
    case .notOurForm, .malformed: "Load the page again. Nothing was done."
    case .wrongHost: "Use the address that `meterhost console` shows."
    default: nil
    }
  }

  /// Why a request fails; nil for what is a fault of the console's own.
  init?(_ error: any Error) {
    switch error {
    case let refusal as ConsoleRefusal: self = refusal
    case is NoSuchPage: self = .notFound
    case is BadForm: self = .malformed
    case let error as HTTPError where error.status == .notFound: self = .notFound
    case is HTTPError: self = .malformed
    case let error where RequestFault(error) != nil: self = .malformed
    default: return nil
    }
  }
}
