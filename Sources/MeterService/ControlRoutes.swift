import AsyncAlgorithms
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import MeterCore
import CurlHTTP
import GatewayAPI
import GatewayEngine
import NIOCore

/// What the control socket answers:
///
/// | call | |
/// |---|---|
/// | `POST /v1/requests/NAME` | performs a request, answers with its answer |
/// | `POST /v1/conversations/NAME` | runs a conversation, answers with a line of JSON for each event |
/// | `POST /v1/conversations/ID/answers` | answers a question |
/// | `DELETE /v1/conversations/ID` | gives a conversation up |
/// | `GET /v1/events` | events as server-sent events |
/// | `GET /metrics` | metrics, for a Prometheus |
struct ControlRoutes: Sendable {
  let owner: GatewayOwner
  let desk: ConversationDesk

  /// An image of the largest size, written in base64, and its record.
  static let bodyLimit = 32 << 20

  func router() -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    router.add(middleware: ControlErrorMiddleware())
    router.post("v1/requests/:name") { request, context in
      let name = try context.parameters.require("name")
      guard let type = ControlTable.requests.first(where: { $0.name == name }) else { throw Self.unknown(name) }
      return try await perform(type, request, context)
    }
    router.post("v1/conversations/:name") { request, context in
      let name = try context.parameters.require("name")
      guard let type = ControlTable.conversations.first(where: { $0.name == name }) else { throw Self.unknown(name) }
      return try await converse(type, request, context)
    }
    router.post("v1/conversations/:name/answers") { request, context in
      var request = request
      let answer = try await Self.decode(ControlAnswer.self, &request, context)
      let entry = desk.entry(try context.parameters.require("name"))
      guard entry?.settle(answer.question, answer.answer) == true else {
        throw GatewayError(.usage, code: "no_question", "no such question waits")
      }
      return Response(status: .noContent)
    }
    router.delete("v1/conversations/:name") { _, context in
      desk.entry(try context.parameters.require("name"))?.giveUp()
      return Response(status: .noContent)
    }
    router.get("v1/events") { request, _ in try await events(request) }
    router.get("metrics") { request, _ in try await MetricsRoutes.answer(request, from: owner) }
    return router
  }

  private static func unknown(_ name: String) -> GatewayError {
    GatewayError(
      .usage, code: "unknown_request", "the running service knows no request of this name",
      hint: "docs/reference/control-openapi.yaml lists the names; after an update restart the service")
  }

  private static func decode<Body: Decodable>(
    _ type: Body.Type, _ request: inout Request, _ context: ConnectionContext
  ) async throws -> Body {
    guard let bytes = try await request.collect(limit: bodyLimit, context: context) else {
      throw HTTPError(.contentTooLarge, message: "the request is longer than \(bodyLimit) bytes")
    }
    // A request without members may come without a body.
    let body = bytes.isEmpty ? Data("{}".utf8) : Data(bytes)
    do { return try ControlJSON.decode(type, body) } catch { throw GatewayError(badRequest: error) }
  }

  // MARK: Requests

  private func perform<R: HandledRequest>(
    _ type: R.Type, _ request: Request, _ context: ConnectionContext
  ) async throws -> Response {
    var request = request
    let answer = try await Self.decode(type, &request, context).perform(on: owner)
    return Response(status: .ok, json: try ControlJSON.encode(answer))
  }

  // MARK: Conversations

  private func converse<C: HandledConversation>(
    _ type: C.Type, _ request: Request, _ context: ConnectionContext
  ) async throws -> Response {
    var request = request
    let conversation = try await Self.decode(type, &request, context)
    let id = UUID().uuidString.lowercased()
    let entry = desk.open(id)
    let lines = AsyncChannel<ByteBuffer>()
    let tell = { @Sendable (line: ControlLine<C.Event>) async in
      // A line that cannot be written is a fault of this program; the others still arrive.
      guard let data = try? ControlJSON.encode(line) else { return }
      await lines.send(ByteBuffer(bytes: data + [UInt8(ascii: "\n")]))
    }
    let partner = ControlPartner<C.Event>(patience: entry.patience) { event in
      await tell(ControlLine(event: event))
    } ask: { question in
      await entry.answer(to: question.id) { await tell(ControlLine(question: question)) }
    }
    let headers: HTTPFields = [.contentType: "application/x-ndjson", .conversation: id]
    return Response(
      status: .ok, headers: headers,
      body: body(of: request, lines, for: id) {
        // Told at once: with the head comes the id, by which the conversation can be given up.
        await lines.send(ByteBuffer(string: "\n"))
        do {
          try await conversation.perform(on: owner, with: partner)
          await tell(ControlLine(end: true))
        } catch {
          await tell(ControlLine(error: Self.written(error)))
        }
      })
  }

  /// The body of what is refused before it reaches a route.
  static func refusal(_ status: Int, _ reason: String) -> Data {
    let isBusy = status == 503
    let failure = GatewayError.Written(
      kind: isBusy ? .temporary : .usage, code: isBusy ? "too_many_connections" : "bad_request", message: reason,
      hint: nil)
    // Nothing in it has no JSON.
    return (try? ControlJSON.encode(ControlFailure(error: failure))) ?? Data()
  }

  static func written(_ error: any Error) -> GatewayError.Written {
    (GatewayError(describing: error) ?? GatewayError(.failed, code: "failed", "\(error)")).written
  }

  /// A body that grows while something works, until the work is over or nobody reads any more; then the conversation leaves
  /// the desk.
  private func body(
    of request: Request, _ lines: AsyncChannel<ByteBuffer>, for id: String, _ work: @escaping @Sendable () async -> Void
  ) -> ResponseBody {
    ResponseBody { [desk] writer in
      let working = Task {
        await work()
        lines.finish()
      }
      defer {
        desk.entry(id)?.giveUp()
        desk.close(id)
        // Whoever still tells something tells it to nobody.
        lines.finish()
      }
      try await request.body.consumeWithInboundCloseHandler { _ in
        for await line in lines { try await writer.write(line) }
      } onInboundClosed: {
        desk.entry(id)?.giveUp()
      }
      await working.value
      try await writer.finish(nil)
    }
  }

  // MARK: Server-sent events

  /// `GET /v1/events`, with `Last-Event-ID` or `?after=` (HTML Living Standard, section 9.2).
  private func events(_ request: Request) async throws -> Response {
    let written = request.headers[.lastEventID] ?? request.uri.queryParameters["after"].map(String.init)
    let cursor = written.flatMap { Int64($0) }
    guard written == nil || cursor != nil else {
      throw GatewayError(.usage, code: "unknown_cursor", "a cursor is a whole number")
    }
    // A cursor of another folder is an answer, not a stream that breaks off.
    if let cursor { _ = try owner.store.events(after: cursor, limit: 1) }
    var request = request
    _ = try await request.collectBody(upTo: 0)
    let id = UUID().uuidString.lowercased()
    let entry = desk.open(id)
    let lines = AsyncChannel<ByteBuffer>()
    let partner = ControlPartner<EventDescription>(patience: entry.patience) { event in
      guard let data = try? ControlJSON.encode(event) else { return }
      let id = event.cursor.map { "id: \($0)\n" } ?? ""
      await lines.send(
        ByteBuffer(string: "\(id)event: \(event.name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"))
    }
    let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    return Response(
      status: .ok, headers: headers,
      body: body(of: request, lines, for: id) {
        // Told at once, so that a listener knows that it is heard.
        await lines.send(ByteBuffer(string: ": listening\n\n"))
        try? await EventsRequest(after: cursor, follows: true).perform(on: owner, with: partner)
      })
  }
}

/// Refuses callers of another major version, tells every caller this one's, and turns errors into their JSON.
private struct ControlErrorMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    var response = try await answer(request, context, next)
    response.headers[.controlVersion] = ControlVersion.current.description
    return response
  }

  private func answer(
    _ request: Request, _ context: ConnectionContext, _ next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    do {
      if let refusal = ControlVersion.refusal(request.headers[.controlVersion], by: GatewayVersion.host) {
        throw refusal
      }
      return try await next(request, context)
    } catch let error as HTTPError {
      let failure = GatewayError.Written(
        kind: .usage, code: "bad_request", message: error.body ?? "\(error.status)", hint: nil)
      return Response(status: error.status, json: try ControlJSON.encode(ControlFailure(error: failure)))
    } catch let error where RequestFault(error) != nil {
      return Response(status: .badRequest, json: ControlRoutes.refusal(400, "the request broke off or is no HTTP"))
    } catch {
      let failure = ControlRoutes.written(error)
      return Response(status: Self.status(failure.kind), json: try ControlJSON.encode(ControlFailure(error: failure)))
    }
  }

  private static func status(_ kind: GatewayError.Kind) -> HTTPResponse.Status {
    switch kind {
    case .usage: .badRequest
    case .failed, .cancelled: .conflict
    case .unavailable, .temporary: .serviceUnavailable
    }
  }
}

extension Response {
  fileprivate init(status: HTTPResponse.Status, json: Data) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
  }
}

extension HTTPField.Name {
  static let controlVersion = HTTPField.Name(ControlVersion.headerName) ?? .via
  static let conversation = HTTPField.Name("Meterhost-Conversation") ?? .via
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
}
