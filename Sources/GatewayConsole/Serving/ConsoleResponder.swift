import GatewayAPI
import HTTPServing
import HTTPTypes
import HostPrimitives
import Hummingbird
import Logging
import MeterCore
import NIOCore

/// Answers requests: first who asks and from where, then what for.
struct ConsoleResponder: HTTPResponder {
  let host: any ConsoleHost
  let access: ConsoleAccess
  let rule: OriginRule
  let state: ConsoleState
  let streams: ChangeStreams
  let renderer: PageRenderer
  /// The view by which displays are read; nil: there is none here.
  var view: (any ConsoleView)?
  let logger: Logger

  /// The most bytes of a form.
  static let bodyLimit = 64 << 10
  /// How much more of a body is dropped, before the connection is closed.
  static let patienceWithBodies = 1 << 20

  func respond(to request: Request, context: ConnectionContext) async throws -> Response {
    let session = access.session(cookies: request.headers[values: .cookie])
    let response: Response
    do {
      response = try await answer(request, context, session)
    } catch {
      response = refusal(error, session)
    }
    // Never the path: it may hold the token of a link or the id of a reading.
    logger.debug("request", metadata: ["method": "\(request.method.rawValue)", "status": "\(response.status.code)"])
    return response
  }

  private func answer(
    _ request: Request, _ context: ConnectionContext, _ session: ConsoleSession?
  ) async throws -> Response {
    // The first Host header is the authority; a second one stays with the others.
    guard rule.admits(host: request.head.authority), request.headers[.secondHost] == nil else {
      throw ConsoleRefusal.wrongHost
    }
    guard let route = ConsoleRoute(path: request.uri.path) else {
      return session == nil ? await outside(nil, status: .unauthorized) : try refused(.notFound)
    }
    let isPost = request.method == .post
    guard isPost || request.method == .get, route.changes.map({ $0 == isPost }) ?? true else {
      throw ConsoleRefusal.wrongMethod(allowed: route.changes == true ? "POST" : "GET")
    }
    if case .file(let file) = route { return Response(bytes: file.bytes, mediaType: file.mediaType) }
    guard rule.admits(fetchSite: request.headers[.secFetchSite], isEntry: !isPost && route.isEntry) else {
      throw ConsoleRefusal.wrongOrigin
    }
    if case .open(let token) = route { return try open(token) }
    guard isPost else {
      // Nothing that asks for a page sends a body; and a stream that is read later must not be touched here.
      let length = request.headers[.contentLength]
      guard request.headers[.transferEncoding] == nil, length == nil || length == "0" else {
        throw ConsoleRefusal.tooLarge
      }
      guard let session else { return await outside(nil, status: route == .login ? .ok : .unauthorized) }
      if route == .changes { return try changes(request) }
      if case .view(let path) = route { return try await show(path, of: view, request, context, session) }
      return try await show(route, request, session)
    }
    guard rule.admits(origin: request.headers[.origin], host: request.head.authority) else {
      throw ConsoleRefusal.wrongOrigin
    }
    if route == .login { return await login(try await form(request, context)) }
    guard let session else { return await outside(nil, status: .unauthorized) }
    if case .view(let path) = route { return try await show(path, of: view, request, context, session) }
    return try await change(route, request, context, session)
  }

  private func show(
    _ path: String, of view: (any ConsoleView)?, _ request: Request, _ context: ConnectionContext,
    _ session: ConsoleSession
  ) async throws -> Response {
    guard let view else { throw ConsoleRefusal.notFound }
    var response = await view.respond(to: request, path: path, context: context, formToken: session.formToken)
    // The drawing of a meter is of a driver's package.
    if response.headers[.contentType] == "image/svg+xml" {
      response.headers[.contentSecurityPolicy] = CataloguePicture.contentSecurityPolicy
    }
    return response
  }

  private func refused(_ refusal: ConsoleRefusal) throws -> Response { throw refusal }

  // MARK: Who comes in

  private func open(_ token: String) throws(ConsoleRefusal) -> Response {
    guard access.links.use(token) else { throw .linkUsed }
    return letIn(access.sessions.begin())
  }

  private func letIn(_ session: ConsoleSession) -> Response {
    Response(status: .seeOther, headers: [.location: "/", .setCookie: access.setCookie(session)])
  }

  private func login(_ fields: FormFields) async -> Response {
    guard let password = fields["password"], !password.isEmpty else { return await outside(nil, status: .badRequest) }
    if let seconds = access.tries.begin() {
      logger.warning("the console's password was tried too often; further tries wait")
      return await outside("Too many tries. Wait \(seconds) seconds, or use a link.", status: .tooManyRequests)
    }
    // A password that is changed while it is compared lets nobody in.
    let closings = access.sessions.closings
    guard let isRight = await host.isPassword(password) else {
      return await outside("No password is set. Use a link.", status: .unauthorized)
    }
    guard isRight, let session = access.sessions.begin(since: closings) else {
      return await outside("This is not the password.", status: .unauthorized)
    }
    access.tries.succeeded()
    return letIn(session)
  }

  /// The page for who has not been let in.
  private func outside(_ problem: String?, status: HTTPResponse.Status) async -> Response {
    html(LoginPage(problem: problem, hasPassword: host.hasPassword), nil, status: status)
  }

  // MARK: What is shown

  private func show(_ route: ConsoleRoute, _ request: Request, _ session: ConsoleSession) async throws -> Response {
    let desk = ConsoleDesk(host: host, state: state, session: session)
    let answer: DeskAnswer
    switch route {
    case .login: answer = .redirect("/")
    case .area(let area): answer = try await desk.show(area, query: FormFields((request.uri.query ?? "").utf8))
    case .heldReadings:
      answer = try await desk.readings(before: Self.before(request), isHeld: true)
    case .charts: answer = try await desk.charts()
    case .reading(let name): answer = try await desk.reading(name)
    case .picture(let name): answer = try await desk.picture(name)
    case .drawing(let name): answer = try await desk.drawing(name)
    case .part(let area, let name): answer = try await desk.showPart(of: area, name)
    case .open, .logout, .file, .changes, .filterReadings, .decideReading, .examine, .act, .view:
      throw ConsoleRefusal.notFound
    }
    return response(answer, session)
  }

  private static func before(_ request: Request) -> Int64? {
    FormFields((request.uri.query ?? "").utf8)?["before"].flatMap { Int64($0) }
  }

  /// Tells a window that something has changed, until it goes away.
  private func changes(_ request: Request) throws -> Response {
    guard let place = streams.open() else { throw ConsoleRefusal.tooMany }
    let (host, clock) = (host, state.clock)
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: ResponseBody { writer in
        let listener = place.listener
        let partner = ControlPartner<EventDescription>(patience: listener.patience) { _ in listener.tell() }
        let hearing = Task {
          try? await host.converse(EventsRequest(after: nil, follows: true), with: partner)
          listener.end()
        }
        let beating = Task { while await clock.elapsed(ChangeStreams.beat) { listener.beat() } }
        defer {
          place.giveBack()
          beating.cancel()
          hearing.cancel()
        }
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          try await writer.write(ByteBuffer(string: ": listening\n\n"))
          while let hasChanged = await listener.next() {
            try await writer.write(ByteBuffer(string: hasChanged ? "event: change\ndata: {}\n\n" : ": \n\n"))
          }
        }
        try await writer.finish(nil)
      })
  }

  // MARK: What is changed

  private func form(_ request: Request, _ context: ConnectionContext) async throws -> FormFields {
    guard request.headers[.contentType]?.lowercased() == "application/x-www-form-urlencoded" else {
      throw ConsoleRefusal.wrongMediaType
    }
    var request = request
    guard let bytes = try await request.collect(limit: Self.bodyLimit, context: context) else {
      throw ConsoleRefusal.tooLarge
    }
    guard let fields = FormFields(bytes) else { throw ConsoleRefusal.malformed }
    return fields
  }

  private func change(
    _ route: ConsoleRoute, _ request: Request, _ context: ConnectionContext, _ session: ConsoleSession
  ) async throws -> Response {
    if route == .act(.imports, name: "file", action: "upload") { return try await upload(request, context, session) }
    let fields = try await form(request, context)
    guard let token = fields["token"], RandomSecret.equal(session.formToken, token) else {
      throw ConsoleRefusal.notOurForm
    }
    let desk = ConsoleDesk(host: host, state: state, session: session)
    switch route {
    case .logout:
      access.sessions.end(session)
      return Response(status: .seeOther, headers: [.location: "/login", .setCookie: access.clearCookie])
    case .filterReadings: return response(desk.filterReadings(fields), session)
    case .decideReading(let name, let decision):
      return response(try await desk.decide(decision, name, fields), session)
    case .examine: return response(await desk.examine(fields), session)
    case .act(let area, let name, let action):
      return response(try await desk.act(in: area, on: name, action, fields), session)
    case .open, .login, .file, .changes, .area, .heldReadings, .charts, .reading, .picture, .drawing, .part, .view:
      throw ConsoleRefusal.notFound
    }
  }

  /// Takes a file. The form's token comes before it, so that nothing of a stranger's file is kept.
  private func upload(
    _ request: Request, _ context: ConnectionContext, _ session: ConsoleSession
  ) async throws -> Response {
    let desk = ConsoleDesk(host: host, state: state, session: session)
    guard let reader = MultipartReader(contentType: request.headers[.contentType]) else {
      throw ConsoleRefusal.wrongMediaType
    }
    guard desk.mayImport else { return response(desk.busyImporting(), session) }
    let person = try await desk.person()
    var upload = Upload(reader, token: session.formToken, folder: host.uploadFolder)
    let isWithin = try await request.stream(limit: ConsoleDesk.uploadLimit, context: context) { piece in
      try piece.withUnsafeReadableBytes { try upload.take($0) }
    }
    guard isWithin else { throw ConsoleRefusal.tooLarge }
    guard let file = upload.whole else { throw ConsoleRefusal.malformed }
    guard try await desk.person() == person else { return response(desk.personHasChanged(), session) }
    return response(desk.importFile(file), session)
  }

  // MARK: Answers

  private func response(_ answer: DeskAnswer, _ session: ConsoleSession) -> Response {
    switch answer {
    case .page(let page): return html(page, session)
    case .refused(let page, let status): return html(page, session, status: HTTPResponse.Status(code: status))
    case .redirect(let path): return Response(status: .seeOther, headers: [.location: path])
    case .drawing(let picture):
      var response = Response(bytes: picture.bytes, mediaType: picture.mediaType)
      response.headers[.contentSecurityPolicy] = CataloguePicture.contentSecurityPolicy
      return response
    case .picture(let mediaType, let bytes): return Response(bytes: bytes, mediaType: mediaType)
    case .download(let name, let mediaType, let bytes):
      var response = Response(bytes: bytes, mediaType: mediaType)
      response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
      return response
    }
  }

  private func html(
    _ page: some ConsolePage, _ session: ConsoleSession?, status: HTTPResponse.Status = .ok
  ) -> Response {
    let frame = PageFrame(
      title: page.title, area: type(of: page).area, session: session,
      notice: session.flatMap { state.takeNotice($0) }, times: state.times, version: host.version)
    return Response(
      bytes: Array(renderer.html(page, in: frame).utf8), mediaType: "text/html; charset=utf-8", status: status)
  }

  private func refusal(_ error: any Error, _ session: ConsoleSession?) -> Response {
    if let refusal = ConsoleRefusal(error) {
      // A page of another origin gets nothing that a form of ours has.
      let shown = refusal == .wrongHost || refusal == .wrongOrigin ? nil : session
      var response = html(
        MessagePage(title: "Not possible", text: refusal.message, hint: refusal.hint), shown, status: refusal.status)
      if case .wrongMethod(let allowed) = refusal { response.headers[.allow] = allowed }
      return response
    }
    let told = GatewayError.told(error)
    if told.code == "failed" { logger.error("a request failed", metadata: ["error": "\(type(of: error))"]) }
    return html(
      MessagePage(title: "This did not work", text: told.message.clipped(to: 1000), hint: told.hint), session,
      status: .serviceUnavailable)
  }
}

extension Response {
  fileprivate init(bytes: [UInt8], mediaType: String, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: mediaType], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

extension HTTPField.Name {
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .via
  fileprivate static let secondHost = HTTPField.Name("Host") ?? .via
}
