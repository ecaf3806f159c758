import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird

/// Plays the faults of `ReceiverFaults` around one endpoint.
struct FaultMiddleware: RouterMiddleware {
  let faults: ReceiverFaults
  let endpoint: ReceiverFaults.Endpoint
  var clock: any HostClock = .system

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    switch faults.next(at: endpoint) {
    case nil:
      return try await next(request, context)
    case .answer(let status, let retryAfter):
      var refusal = Refusal(HTTPResponse.Status(code: status), "An injected fault")
      if let retryAfter { refusal.headers[.retryAfter] = String(retryAfter) }
      throw refusal
    case .dropBeforeStoring:
      await context.hangUp()
      throw Refusal(.serviceUnavailable, "An injected fault")
    case .dropAfterStoring:
      let response = try await next(request, context)
      await context.hangUp()
      return response
    case .delay(let duration):
      try await clock.sleep(for: duration)
      return try await next(request, context)
    }
  }
}
