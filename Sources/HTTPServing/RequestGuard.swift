import HostPrimitives
import NIOCore
import NIOHTTP1
import Synchronization

/// Lets through requests that can be understood and the answers that they are owed, and ends the connection where it cannot
/// go on: behind the parser, and in front of everything that knows what is asked for.
///
/// An answer that is given before its request was read to the end is the last one: reading on for the sake of the next request
/// would let a client who never ends a body keep the connection for ever.
final class RequestGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Asked for by whoever wants a body, before the first of it is read.
  struct BodyIsWanted: Sendable {}

  private let connection: GuardedConnection
  private let form: RefusalForm

  init(_ connection: GuardedConnection, form: RefusalForm) {
    self.connection = connection
    self.form = form
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !connection.state.withLock(\.isEnding) else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      do throws(RequestFault) {
        let exchange = try RequestRules.check(head)
        connection.state.withLock { $0.headCame(exchange) }
      } catch {
        return refuse(error, context)
      }
    case .body: break
    case .end: connection.state.withLock { $0.requestEnded() }
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let error as HTTPParserError: refuse(RequestFault(error), context, told: error)
    // Bytes behind those that could not be understood.
    case is ByteToMessageDecoderError: break
    default: context.fireErrorCaught(error)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is GuardedConnection.TimeIsUp: return refuse(.tooSlow, context)
    case ChannelEvent.inputClosed where connection.state.withLock({ $0.inputEnded() }): context.close(promise: nil)
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    // Half a body must not pass for a whole one.
    if case .tell = connection.state.withLock({ $0.faultCame() }) { context.fireErrorCaught(RequestFault.brokenOff) }
    context.fireChannelInactive()
  }

  /// - Parameter told: What the reader of a body hears in place of the rest of it.
  private func refuse(_ fault: RequestFault, _ context: ChannelHandlerContext, told: (any Error)? = nil) {
    switch connection.state.withLock({ $0.faultCame() }) {
    case .answer: answer(fault, context)
    case .tell: context.fireErrorCaught(told ?? fault)
    case .nothing: break
    }
  }

  /// Answers in place of the application, which has not heard of the request.
  func answer(_ fault: RequestFault, _ context: ChannelHandlerContext) {
    let body = form.body(fault.status, fault.reason)
    var headers = HTTPHeaders([("Content-Type", form.mediaType), ("Content-Length", "\(body.count)")])
    headers.add(contentsOf: form.fields.map { ($0.name, $0.value) })
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: fault.status), headers: headers)
    write(context: context, data: wrapOutboundOut(.head(head)), promise: nil)
    write(context: context, data: wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    write(context: context, data: wrapOutboundOut(.end(nil)), promise: nil)
  }

  // MARK: Answers

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
    let isAwaited = connection.state.withLock { state in
      defer { state.toldToContinue() }
      return state.awaitsContinue
    }
    if isAwaited {
      let head = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }
    promise?.succeed()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      // Nobody waits for it: the guard has answered, or the client is gone.
      guard let form = connection.state.withLock({ $0.answerBegins() }) else { return drop(promise) }
      if form.closes { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      guard connection.state.withLock(\.isWritingBody) else { return drop(promise) }
      context.write(data, promise: promise)
    case .end:
      guard connection.state.withLock(\.isWriting) else { return drop(promise) }
      end(data, promise, context)
    }
  }

  private func drop(_ promise: EventLoopPromise<Void>?) { promise?.succeed() }

  private func end(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    let now = connection.clock.now
    guard connection.state.withLock({ $0.answerEnded(at: now) }) else { return context.write(data, promise: promise) }
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    let bound = context.loopBound
    written.futureResult.whenComplete { [connection] _ in
      let context = bound.value
      // The client sees the end of its answers, and its own end is waited for.
      let isOver = connection.state.withLock(\.hasWholeInput)
      context.close(mode: isOver ? .all : .output, promise: nil)
      context.read()
    }
    context.writeAndFlush(data, promise: written)
  }
}
