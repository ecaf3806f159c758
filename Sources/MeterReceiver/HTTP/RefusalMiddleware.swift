import HTTPServing
import HTTPTypes
import Hummingbird

/// Turns every error into an answer in the receiver's own shape, and has each request logged.
struct RefusalMiddleware: RouterMiddleware {
  let log: RequestLog

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    let response: Response
    do {
      response = try await next(request, context)
    } catch {
      response = Refusal(error, log: log).response
    }
    log.answered(request, route: context.endpointPath, status: response.status.code)
    return response
  }
}

extension Refusal {
  /// The answer to a request that failed; what is the receiver's fault goes to the log.
  init(_ error: any Error, log: RequestLog) {
    switch error {
    case let refusal as Refusal: self = refusal
    case let errors as FieldErrors: self.init(.badRequest, fields: errors)
    case let error as HTTPError where error.status == .notFound: self.init(.notFound, "There is no such resource")
    case let error as HTTPError: self.init(error.status, error.body ?? error.status.reasonPhrase)
    case is CancellationError: self = .unavailable("The receiver is stopping; send the record again")
    // They were there when the request began.
    case let error as ReceiverError where error.code == .notFound:
      self.init(.notFound, "There is no such user in this organisation")
    case let error as ReceiverError where error.isOfTheDatabase:
      log.failed(error.message, code: error.code.rawValue)
      self = .unavailable("The receiver cannot store or read at the moment; send the request again later")
    default:
      if let fault = RequestFault(error) {
        self.init(HTTPResponse.Status(code: fault.status), fault.reason)
        return
      }
      log.failed("a request failed", code: "\(type(of: error))")
      self.init(.internalServerError, "The receiver failed on this request; its log says how")
    }
  }
}
