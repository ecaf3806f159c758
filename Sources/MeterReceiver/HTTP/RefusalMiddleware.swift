import HTTPServing
import HTTPTypes
import Hummingbird
import Logging

/// Turns every error into an answer in the receiver's own shape, and logs each request: method, route and status, never
/// the path with its ids, the query with its token, or anything of a body.
struct RefusalMiddleware: RouterMiddleware {
  let logger: Logger

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    let response: Response
    do {
      response = try await next(request, context)
    } catch {
      response = Refusal(error, logger: logger).response
    }
    logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "unknown")",
        "status": "\(response.status.code)",
      ])
    return response
  }
}

extension Refusal {
  /// The answer to a request that failed; what is the receiver's fault goes to the log.
  init(_ error: any Error, logger: Logger) {
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
      logger.error("\(error.message)", metadata: ["code": "\(error.code.rawValue)"])
      self = .unavailable("The receiver cannot store or read at the moment; send the request again later")
    default:
      logger.error("a request failed", metadata: ["error": "\(type(of: error))"])
      self.init(.internalServerError, "The receiver failed on this request; its log says how")
    }
  }
}
