import HostPrimitives
import NIOCore
import Synchronization

/// Counts the bytes that come over a connection, in front of everything that understands them. What comes behind the last answer is
/// dropped here.
final class ByteGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

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
}
