import HostPrimitives
import NIOCore
import Synchronization

/// Counts the bytes of a connection, in front of everything that understands them.
///
/// What comes behind the last answer is dropped here. What goes out goes in slices, so that a client who takes a long answer slowly is
/// told from one who takes nothing.
final class ByteGuard: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private static let slice = 64 << 10

  private let connection: GuardedConnection

  init(_ connection: GuardedConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let (count, now) = (unwrapInboundIn(data).readableBytes, connection.clock.now)
    switch connection.state.withLock({ $0.bytesCame(count, at: now) }) {
    case .read: context.fireChannelRead(data)
    case .drop: break
    case .close: context.close(promise: nil)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // Nobody behind reads any more, and so nobody asks for more.
    if connection.state.withLock(\.isEnding) { context.read() }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .byteBuffer(var buffer) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    while buffer.readableBytes > Self.slice, let part = buffer.readSlice(length: Self.slice) {
      write(part, nil, context)
    }
    write(buffer, promise, context)
  }

  private func write(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    let now = connection.clock.now
    connection.state.withLock { $0.writes(at: now) }
    let written = context.eventLoop.makePromise(of: Void.self)
    written.futureResult.whenComplete { [connection] _ in
      let now = connection.clock.now
      connection.state.withLock { $0.wrote(at: now) }
    }
    if let promise { written.futureResult.cascade(to: promise) }
    context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: written)
  }
}
