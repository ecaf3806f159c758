import Glibc
import HostPrimitives
import Logging
import NIOCore

/// Keeps a server accepting when the process runs out of descriptors: it makes room, waits a moment, and says so once.
///
/// The kernel goes on telling that somebody waits, so that a server which only tried again would do nothing else; and an error
/// that reached the end of the pipeline would be the server's own end.
final class AcceptGuard: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private static let pause = TimeAmount.milliseconds(100)

  private let registry: ConnectionRegistry
  private let logger: Logger
  private var isPaused = false
  private var isWanted = false
  private let outages: OutageLog

  init(_ registry: ConnectionRegistry, logger: Logger) {
    self.registry = registry
    self.logger = logger
    outages = OutageLog(clock: registry.clock)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard DescriptorLimit.hasReserve else {
      unwrapInboundIn(data).close(promise: nil)
      return makeRoom(context)
    }
    for outage in outages.worked() {
      logger.notice("connections are accepted again", metadata: ["times": "\(outage.times)"])
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let code = (error as? IOError)?.errnoCode else { return context.fireErrorCaught(error) }
    switch code {
    // Whoever it was has gone.
    case ECONNABORTED: break
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: makeRoom(context)
    default: context.fireErrorCaught(error)
    }
  }

  func read(context: ChannelHandlerContext) {
    if isPaused { isWanted = true } else { context.read() }
  }

  private func makeRoom(_ context: ChannelHandlerContext) {
    registry.makeRoom()
    guard !isPaused else { return }
    isPaused = true
    if outages.failed("accept") != nil {
      logger.warning("the process is short of descriptors or memory; connections are closed to make room")
    }
    let bound = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) { bound.value.guard.resume(bound.value.context) }
  }

  private func resume(_ context: ChannelHandlerContext) {
    isPaused = false
    guard isWanted else { return }
    isWanted = false
    context.read()
  }
}
