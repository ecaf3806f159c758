import HostPrimitives
import NIOCore
import Synchronization

/// Lets bytes out in slices, so that a client who takes a long answer slowly is told from one who takes nothing.
///
/// Next to the network: TLS hands on all that it has encrypted as one piece.
final class WriteGuard: ChannelOutboundHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private static let slice = 64 << 10

  private let connection: GuardedConnection

  init(_ connection: GuardedConnection) { self.connection = connection }

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
