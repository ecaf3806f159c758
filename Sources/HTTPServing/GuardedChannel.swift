package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// HTTP/1.1 on connections that are watched.
package struct GuardedChannel: ServerChildChannel, HTTPChannelHandler {
  package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  /// Bounds of a head.
  package struct HeadLimits: Sendable {
    package var field = 16_384
    package var list = 32_768
    package var count = 100

    package init() {}
  }

  package let responder: HTTPChannelHandler.Responder
  private let registry: ConnectionRegistry
  private let form: RefusalForm
  private let encryption: ConnectionEncryption?
  private let handlers: @Sendable () -> [any RemovableChannelHandler]

  /// What an application is built with.
  ///
  /// - Parameters:
  ///   - form: How requests are refused that never reach the application.
  ///   - encryption: TLS; without it the bytes of HTTP are on the network as they are.
  ///   - handlers: More handlers for what the application answers.
  package static func server(
    _ registry: ConnectionRegistry, form: RefusalForm = .text, encryption: ConnectionEncryption? = nil,
    handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      GuardedChannel(
        responder: responder, registry: registry, form: form, encryption: encryption, handlers: handlers)
    }
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    Peer.of(channel).flatMapThrowing { peer in
      let connection = GuardedConnection(channel, limits: registry.limits, clock: registry.clock)
      let outermost = encryption?.handler()
      let value = try pipeline(channel, connection, behind: outermost, logger)
      // Afterwards only: a channel that is closed before it is whole takes the server with it.
      if !registry.admit(connection, of: peer) { try turnAway(channel, connection, behind: outermost) }
      return value
    }
  }

  private func pipeline(
    _ channel: any Channel, _ connection: GuardedConnection, behind outermost: (any ChannelHandler)?, _ logger: Logger
  ) throws -> Value {
    var limits = NIOHTTPDecoderLimitConfiguration()
    let bounds = HeadLimits()
    limits.maxHeaderFieldSize = bounds.field
    limits.maxHeaderListSize = bounds.list
    limits.maxHeaderFieldCount = bounds.count
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(WriteGuard(connection))
    if let outermost { try pipeline.addHandler(outermost) }
    try pipeline.addHandler(ByteGuard(connection))
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
      withEncoderConfiguration: .init(),
      withDecoderLimitConfiguration: limits)
    try pipeline.addHandler(RequestGuard(connection, form: form))
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: outermost != nil))
    try pipeline.addHandlers(handlers())
    try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
  }

  /// Whoever speaks TLS is told in TLS.
  private func turnAway(
    _ channel: any Channel, _ connection: GuardedConnection, behind outermost: (any ChannelHandler)?
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    if let outermost {
      try pipeline.addHandler(TurnAway(form), position: .after(outermost))
    } else {
      try pipeline.addHandler(TurnAway(form), position: .first)
    }
    registry.turnAway(connection)
  }

  package func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}

/// Says that there is no room, and that nothing more comes. What the client still sends is dropped behind it (``ByteGuard``), for a
/// while: a socket that is closed with unread bytes in it takes the answer away from the client.
private final class TurnAway: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = IOData

  private let form: RefusalForm

  init(_ form: RefusalForm) { self.form = form }

  func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    let fault = RequestFault.tooMany
    let body = form.body(fault.status, fault.reason)
    var head = "HTTP/1.1 \(fault.status) Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    head += "Content-Type: \(form.mediaType)\r\nContent-Length: \(body.count)\r\n"
    for field in form.fields { head += "\(field.name): \(field.value)\r\n" }
    let answer = ByteBuffer(bytes: Array("\(head)\r\n".utf8) + body)
    let bound = context.loopBound
    context.writeAndFlush(wrapOutboundOut(.byteBuffer(answer))).whenComplete { _ in
      let context = bound.value
      context.close(mode: .output, promise: nil)
      // Nobody behind reads, and so nobody asks for more.
      context.read()
    }
  }
}
