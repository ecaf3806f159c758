import HTTPTypes
import Hummingbird
import Logging

/// Turns every error into an answer in the receiver's own shape, and logs each request: method, route and status, never
/// the path with its ids, the query with its token, or anything of a body.
struct RefusalMiddleware: RouterMiddleware {
  let logger: Logger

  func handle(
    _ request: Request, context: ReceiverRequestContext,
    next: (Request, ReceiverRequestContext) async throws -> Response
  ) async throws -> Response {
    let response: Response
    do {
      response = try await next(request, context)
    } catch {
      response = refusal(for: error).response
    }
    logger.info(
      "request",
      metadata: [
        "method": "\(request.method.rawValue)", "route": "\(context.endpointPath ?? "unknown")",
        "status": "\(response.status.code)",
      ])
    return response
  }

  private func refusal(for error: any Error) -> Refusal {
    switch error {
    case let refusal as Refusal: return refusal
    case let error as HTTPError where error.status == .notFound: return Refusal(.notFound, "There is no such resource")
    case let error as HTTPError: return Refusal(error.status, error.body ?? error.status.reasonPhrase)
    case is CancellationError: return .unavailable("The receiver is stopping; send the record again")
    case let error as ReceiverError where error.code == .databaseFailure:
      logger.error("\(error.message)", metadata: ["code": "\(error.code.rawValue)"])
      return .unavailable("The receiver cannot store or read at the moment; send the request again later")
    default:
      logger.error("a request failed", metadata: ["error": "\(type(of: error))"])
      return Refusal(.internalServerError, "The receiver failed on this request; its log says how")
    }
  }
}
