import HTTPServing
import HTTPTypes
import Hummingbird

/// `{"access_token", "<type>": {...}}`: what every Legacy write is wrapped in.
struct LegacyEnvelope: Sendable {
  /// The token of the body, or else of the query.
  let token: String?
  /// What the body holds under the name that was asked for.
  let content: JSONValue?

  init(_ body: JSONValue, holding name: String, request: Request) throws(Refusal) {
    guard case .object(let object) = body else {
      throw Refusal(.badRequest, "The body must be an object with access_token and \(name)")
    }
    guard Set(object.members.map { Array($0.name.utf8) }).count == object.members.count else {
      throw Refusal(.badRequest, "The body has a member twice")
    }
    if case .string(let text)? = object["access_token"] {
      token = text
    } else {
      token = Self.token(of: request)
    }
    content = object[name]
  }

  /// The token of a call without a body.
  static func token(of request: Request) -> String? {
    request.uri.queryParameters["access_token"].map(String.init)
  }
}

/// Gives refusals the Legacy shape.
struct LegacyRefusalMiddleware: RouterMiddleware {
  let log: RequestLog

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      var refusal = Refusal(error, log: log)
      refusal.shape = .legacy
      throw refusal
    }
  }
}
