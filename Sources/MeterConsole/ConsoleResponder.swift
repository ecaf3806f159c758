import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird
import Logging
import NIOCore
import StrictJSON
import Synchronization

/// Answers requests: first who asks, then what for.
struct ConsoleResponder: HTTPResponder {
  let desk: any ReadingDesk
  let room: ReadingRoom
  let access: ConsoleAccess
  let logger: Logger

  /// The most bytes of a body; a submission is the longest one.
  static let bodyLimit = 4096
  /// How much more of a body is dropped, before the connection is closed.
  static let patienceWithBodies = 1 << 20

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    let response: Response
    do {
      response = try await answer(request, context)
    } catch {
      response = refusal(error, at: request.uri.path)
    }
    // Never the path: it may hold the token of the link or the id of a reading.
    logger.debug("request", metadata: ["method": "\(request.method.rawValue)", "status": "\(response.status.code)"])
    return response
  }

  private func answer(_ request: Request, _ context: ConnectionContext) async throws -> Response {
    guard let port = context.localPort else { throw PageRefusal.wrongHost }
    let origin = OriginCheck(port: port)
    let host = request.head.authority
    // The first Host header is the authority; a second one stays with the others.
    guard origin.admits(host: host), request.headers[.secondHost] == nil else { throw PageRefusal.wrongHost }
    let path = request.uri.path[...]
    let route = ConsoleRoute(path: path)
    if case .open(let token)? = route, request.method == .get { return try open(token, port: port) }
    guard access.admits(cookies: request.headers[values: .cookie], port: port) else { throw PageRefusal.noCookie }
    guard origin.admits(fetchSite: request.headers[.secFetchSite]) else { throw PageRefusal.wrongOrigin }
    guard let route else { throw PageRefusal.notFound }
    guard request.method == (route.changes ? .post : .get) else {
      throw PageRefusal.wrongMethod(allowed: route.changes ? "POST" : "GET")
    }
    guard route.changes else {
      try expectNoBody(request)
      return try await show(route, request, base: "", pageToken: access.pageToken)
    }
    guard origin.admits(origin: request.headers[.origin], host: host) else { throw PageRefusal.wrongOrigin }
    guard access.isPage(request.headers[.pageToken]) else { throw PageRefusal.notPage }
    var request = request
    let body = try await request.collect(limit: Self.bodyLimit, context: context)
    return try await change(route, body: try json(body, request))
  }

  /// Nothing that asks for a page sends a body; and a stream that is read later must not be touched here.
  private func expectNoBody(_ request: Request) throws(PageRefusal) {
    let length = request.headers[.contentLength]
    guard request.headers[.transferEncoding] == nil, length == nil || length == "0" else { throw .tooLarge }
  }

  /// Answers a request that another server has judged by who asks, and from where.
  ///
  /// - Parameters:
  ///   - path: Below the view, beginning with `/`.
  ///   - base: What stands before it in the browser.
  ///   - pageToken: What the page of this request's browser holds.
  func respond(
    to request: Request, at path: String, below base: String, pageToken: String, context: ConnectionContext
  ) async -> Response {
    do {
      guard let route = ConsoleRoute(path: path[...]) else { throw PageRefusal.notFound }
      guard request.method == (route.changes ? .post : .get) else {
        throw PageRefusal.wrongMethod(allowed: route.changes ? "POST" : "GET")
      }
      guard route.changes else {
        try expectNoBody(request)
        return try await show(route, request, base: base, pageToken: pageToken)
      }
      guard let shown = request.headers[.pageToken], RandomSecret.equal(pageToken, shown) else {
        throw PageRefusal.notPage
      }
      var request = request
      let body = try await request.collect(limit: Self.bodyLimit, context: context)
      return try await change(route, body: try json(body, request))
    } catch {
      return refusal(error, at: path)
    }
  }

  private func open(_ token: String, port: Int) throws(PageRefusal) -> Response {
    guard let cookie = access.exchange(token, port: port) else { throw .linkUsed }
    return Response(status: .seeOther, headers: [.location: "/", .setCookie: cookie])
  }

  // MARK: What is shown

  private func show(
    _ route: ConsoleRoute, _ request: Request, base: String, pageToken: String
  ) async throws -> Response {
    switch route {
    case .page(let file):
      return Response(bytes: file.content(pageToken: pageToken, base: base), mediaType: file.mediaType)
    case .meters: return Response(json: PageMeters(try await desk.meters()))
    case .overlay(let meter): return Response(bytes: try await desk.overlay(of: meter), mediaType: "image/svg+xml")
    case .crop(let id): return Response(bytes: try await room.crop(of: id), mediaType: "image/jpeg")
    case .events(let id): return try await events(of: id, request)
    case .preview(let id): return try await preview(of: id, request)
    case .open, .start, .cancel, .submit, .discard: throw PageRefusal.notFound
    }
  }

  private func events(of id: String, _ request: Request) async throws -> Response {
    let events = try await room.events(of: id)
    let presence = Presence { [room] in await room.leave(id) }
    // Begun at once, so that the page knows that it is heard.
    let beginning = ByteBuffer(string: ": listening\n\n")
    return stream(request, mediaType: EventLines.mediaType, beginning, events, while: presence) {
      EventLines.event($0)
    }
  }

  private func preview(of id: String, _ request: Request) async throws -> Response {
    let pictures = try await room.pictures(of: id)
    let presence = Presence { [room] in await room.leavePictures(of: id) }
    return stream(
      request, mediaType: PictureStream.mediaType, PictureStream.beginning, pictures, PictureStream.end, while: presence
    ) { PictureStream.part($0) }
  }

  /// An answer that goes on until there is nothing more to tell, or nobody reads any more.
  private func stream<Element: Sendable>(
    _ request: Request, mediaType: String, _ beginning: ByteBuffer, _ elements: AsyncStream<Element>,
    _ end: ByteBuffer = ByteBuffer(), while presence: Presence, _ part: @escaping @Sendable (Element) -> ByteBuffer
  ) -> Response {
    Response(
      status: .ok, headers: [.contentType: mediaType],
      body: ResponseBody { writer in
        defer { presence.end() }
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          try await writer.write(beginning)
          for await element in elements { try await writer.write(part(element)) }
          if end.readableBytes > 0 { try await writer.write(end) }
        }
        try await writer.finish(nil)
      })
  }

  // MARK: What is changed

  private func json(_ bytes: [UInt8]?, _ request: Request) throws(PageRefusal) -> JSONElement {
    guard let bytes else { throw .tooLarge }
    guard request.headers[.contentType]?.lowercased() == "application/json" else { throw .wrongMediaType }
    do { return try JSONDocument(bytes, rules: JSONRules(depth: 4)).root } catch { throw .malformed }
  }

  private func change(_ route: ConsoleRoute, body: JSONElement) async throws -> Response {
    guard body.kind == .object else { throw PageRefusal.malformed }
    switch route {
    case .start: return try await start(body)
    case .submit(let id): return try await submit(id, body)
    case .cancel(let id): try await room.cancel(id)
    case .discard(let id): try await room.discard(id)
    case .open, .page, .meters, .overlay, .events, .preview, .crop: throw PageRefusal.notFound
    }
    return Response(status: .noContent)
  }

  private func start(_ body: JSONElement) async throws -> Response {
    struct Started: Encodable { let reading: String }
    guard let meter = body.member("meter")?.numeral.flatMap({ UInt32($0) }) else { throw PageRefusal.malformed }
    let unit = body.member("unit")
    guard unit == nil || unit?.kind == .string || unit?.kind == .null else { throw PageRefusal.malformed }
    let id = try await room.start(meter: meter, unit: unit?.asString)
    return Response(status: .created, json: Started(reading: id))
  }

  private func submit(_ id: String, _ body: JSONElement) async throws -> Response {
    struct Submitted: Encodable {
      let message: String
      let values: [DeskValue]
    }
    guard let rows = body.member("rows"), rows.kind == .array else { throw PageRefusal.malformed }
    let texts = rows.elements.compactMap(\.asString)
    guard texts.count == rows.count else { throw PageRefusal.malformed }
    let receipt = try await room.submit(id, texts)
    return Response(json: Submitted(message: receipt.sentence, values: receipt.values))
  }

  // MARK: What is refused

  private func refusal(_ error: any Error, at path: String) -> Response {
    let (status, failure) = PageFailure.describe(error)
    if status == .internalServerError { logger.error("a request failed", metadata: ["error": "\(type(of: error))"]) }
    // A person sees a sentence, the page JSON.
    var response =
      path.hasPrefix("/api/")
      ? Response(status: status, json: failure)
      : Response(bytes: Array("\(failure.message)\n".utf8), mediaType: "text/plain; charset=utf-8", status: status)
    if case PageRefusal.wrongMethod(let allowed) = error { response.headers[.allow] = allowed }
    return response
  }
}

/// Somebody watches, until it ends or its answer is dropped: the server drops one unused whose client has gone before.
private final class Presence: Sendable {
  private let onEnd: @Sendable () async -> Void
  private let isOver = Mutex(false)

  init(_ onEnd: @escaping @Sendable () async -> Void) {
    self.onEnd = onEnd
  }

  deinit { end() }

  func end() {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    Task { [onEnd] in await onEnd() }
  }
}

extension HTTPField.Name {
  static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .via
  static let secondHost = HTTPField.Name("Host") ?? .via
  /// Holds the page's token.
  static let pageToken = HTTPField.Name("Meterhost-Page") ?? .via
}
