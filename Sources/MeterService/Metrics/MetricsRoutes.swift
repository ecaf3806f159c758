import GatewayAPI
import GatewayEngine
import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird
import Logging
import MeterCore
import NIOCore

/// `GET /metrics` on a port: the only thing that is answered there.
struct MetricsRoutes: Sendable {
  let owner: GatewayOwner
  let logger: Logger
  let outages: OutageLog

  func router() -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    router.add(middleware: MetricsErrorMiddleware(logger: logger, outages: outages))
    router.get("metrics") { request, _ in try await Self.answer(request, from: owner) }
    return router
  }

  /// The metrics in the form that a client wants, here and on the control socket.
  ///
  /// - Throws: As ``GatewayEngine/GatewayOwner/metricFamilies()``.
  static func answer(_ request: Request, from owner: GatewayOwner) async throws -> Response {
    let form = MetricsForm(accept: request.headers[.accept])
    let text = form.text(try await owner.metricFamilies())
    return Response(
      status: .ok, headers: [.contentType: form.mediaType, .cacheControl: "no-store", .vary: "Accept"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}

/// Turns every error into a line of text, which says no more than what a stranger may know.
private struct MetricsErrorMiddleware: RouterMiddleware {
  let logger: Logger
  let outages: OutageLog

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    do {
      let response = try await next(request, context)
      for _ in outages.worked() { logger.notice("metrics are shown again") }
      return response
    } catch let error as HTTPError {
      return Self.refusal(
        error.status, error.status == .notFound ? "there is /metrics, and nothing else" : "bad request")
    } catch {
      if let fault = RequestFault(error) {
        return Self.refusal(HTTPResponse.Status(code: fault.status), fault.reason)
      }
      if outages.failed("metrics") != nil { logger.error("metrics cannot be shown: \(error)") }
      return Self.refusal(.serviceUnavailable, "the metrics cannot be looked up now")
    }
  }

  private static func refusal(_ status: HTTPResponse.Status, _ words: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: "\(words)\n")))
  }
}
