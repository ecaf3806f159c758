import Foundation
import GatewayAPI
import GatewayEngine
import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird
import Logging
import MeterCore
import NIOCore

/// `POST /ingest/{format}`: takes what a phone's automation posts, and answers when it is on disk.
///
/// What is logged of a request is its source and the status, never the body, the token or a header.
struct IngestRoutes: Sendable {
  /// What the last part of a path may be. The content decides which driver reads a body; the word is for the sender's settings.
  static let formats: Set<String> = ["auto", "hae", "hc-webhook", "shortcuts"]

  let desk: HealthFeedDesk
  let logger: Logger
  /// Bounds what strangers can write into the log.
  let budget: LineBudget
  /// How long a sender waits for the counts.
  var patience = Duration.seconds(10)

  private struct Taken: Encodable {
    var accepted: Int
    var duplicates: Int
    var refused: Int
  }

  private struct Queued: Encodable {
    var id: String
    var state = "queued"
  }

  func router() -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    router.add(middleware: IngestErrorMiddleware(logger: logger, budget: budget))
    router.post("ingest/:format") { request, context in
      guard let format = context.parameters.get("format"), Self.formats.contains(format) else {
        throw IngestRefusal.notFound
      }
      return try await take(request, context)
    }
    return router
  }

  private func take(_ request: Request, _ context: ConnectionContext) async throws -> Response {
    guard let generation = try desk.postingSession() else { throw IngestRefusal.noSession }
    guard let source = try desk.source(presenting: Self.token(request.headers)) else {
      throw IngestRefusal.unauthorized
    }
    if let seconds = desk.wait(of: source) { throw IngestRefusal.tooOften(seconds) }
    let body = try IngestBody(request.headers)
    let entry = try await spooled(body, request, context, from: source, of: generation)
    logger.info("an export was posted", metadata: ["source": "\(source)", "bytes": "\(entry.size)"])
    return try answer(await desk.outcome(of: entry, within: patience), entry)
  }

  private func spooled(
    _ body: IngestBody, _ request: Request, _ context: ConnectionContext, from source: String,
    of generation: SessionGeneration
  ) async throws -> SpoolEntry {
    let writer = try desk.spool.begin(from: source, of: generation, came: desk.date)
    try await body.write(request, context, to: writer)
    return try writer.finish()
  }

  private func answer(_ outcome: SpoolOutcome?, _ entry: SpoolEntry) throws -> Response {
    switch outcome {
    case .taken(let tally)?:
      guard !tally.isUseless else {
        throw IngestRefusal.useless("nothing_usable", "none of its samples could be taken", tally)
      }
      return Self.accepted(
        Taken(accepted: tally.accepted, duplicates: tally.duplicates, refused: tally.refused))
    case .refused(let error)?: throw IngestRefusal.useless(error.code, error.message, HealthTally())
    // It is on disk, and is imported later.
    case .waits?, nil: return Self.accepted(Queued(id: entry.name.id))
    case .gone?: throw IngestRefusal.noSession
    }
  }

  private static func accepted(_ value: some Encodable) -> Response {
    Response(
      status: .accepted, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: GatewayJSON.line(value))))
  }

  /// `Authorization: Bearer TOKEN` (RFC 6750, section 2.1), or `X-Api-Key: TOKEN` of senders that can set no other.
  private static func token(_ headers: HTTPFields) -> String? {
    if let key = headers[.apiKey] { return key }
    let parts = (headers[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }

  /// The body of what is refused before it reaches a route.
  static func refusal(_ status: Int, _ reason: String) -> [UInt8] {
    let code = status == 503 ? "too_many_connections" : "bad_request"
    return Array(IngestRefusal(HTTPResponse.Status(code: status), code, reason).json.utf8)
  }
}

/// Turns every error into an answer.
private struct IngestErrorMiddleware: RouterMiddleware {
  let logger: Logger
  let budget: LineBudget

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let refusal = refusal(error)
      if let leftOut = budget.take("\(refusal.status.code)") {
        var metadata: Logger.Metadata = ["status": "\(refusal.status.code)", "code": "\(refusal.code)"]
        if leftOut > 0 { metadata["left_out"] = "\(leftOut)" }
        logger.info("a posted export was refused", metadata: metadata)
      }
      return refusal.response
    }
  }

  private func refusal(_ error: any Error) -> IngestRefusal {
    switch error {
    case let refusal as IngestRefusal: return refusal
    case let error as SpoolError: return IngestRefusal(error)
    case let error as HTTPError where error.status == .notFound: return .notFound
    case let error as HTTPError: return IngestRefusal(error.status, "bad_request", error.body)
    case is StoreError: return .later("store", "the host cannot keep it now; send it again later", in: 60)
    default:
      if let fault = RequestFault(error) {
        return IngestRefusal(HTTPResponse.Status(code: fault.status), "bad_request", fault.reason)
      }
      return .later("failed", "the host cannot take it now; send it again later", in: 60)
    }
  }
}

extension HTTPField.Name {
  fileprivate static let apiKey = HTTPField.Name("X-Api-Key") ?? .via
}
