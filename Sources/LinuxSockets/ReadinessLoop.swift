internal import CLinux
internal import Synchronization

/// Something that wants to know when its descriptor is ready.
package protocol ReadinessHandler: AnyObject, Sendable {
  /// The descriptor's state has changed.
  func becameReady(readable: Bool, writable: Bool)
}

/// One thread that waits for all sockets of the process.
///
/// One thread and edge-triggered epoll instead of Dispatch sources: the thread that wakes resumes the waiting task
/// itself, so that a packet costs one hand-over between threads less.
final class ReadinessLoop: Sendable {
  private struct Handlers {
    var byToken: [UInt64: any ReadinessHandler] = [:]
    var nextToken: UInt64 = 1
  }

  private static let current = Mutex<ReadinessLoop?>(nil)

  private let poll: Int32
  private let handlers = Mutex(Handlers())

  /// The process's loop, started at the first call; a failure is not remembered.
  static func shared() throws(SocketError) -> ReadinessLoop {
    try current.withLock { (loop) throws(SocketError) -> ReadinessLoop in
      if let loop { return loop }
      let poll = mh_poll_create()
      guard poll >= 0 else { throw SocketError(trying: "create an epoll instance", errno: -poll) }
      let started = ReadinessLoop(poll: poll)
      try started.start()
      loop = started
      return started
    }
  }

  private init(poll: Int32) { self.poll = poll }

  private func start() throws(SocketError) {
    // The thread owns the loop for the process's life.
    let context = Unmanaged.passRetained(self)
    let result = mh_socket_thread_start(
      "mh-sockets",
      { context in
        if let context { Unmanaged<ReadinessLoop>.fromOpaque(context).takeUnretainedValue().run() }
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      _ = mh_packet_close(poll)
      throw SocketError(trying: "start the thread that waits for sockets", errno: -result)
    }
  }

  /// Watches a descriptor for reading from now on; the handler is kept until ``remove(_:descriptor:)``.
  func add(_ descriptor: Int32, handler: some ReadinessHandler) throws(SocketError) -> UInt64 {
    let token = handlers.withLock { handlers in
      defer { handlers.nextToken += 1 }
      handlers.byToken[handlers.nextToken] = handler
      return handlers.nextToken
    }
    let result = mh_poll_add(poll, descriptor, token, UInt32(MH_POLL_READABLE))
    guard result == 0 else {
      handlers.withLock { _ = $0.byToken.removeValue(forKey: token) }
      throw SocketError(trying: "watch a socket", errno: -result)
    }
    return token
  }

  /// Whether to report that the descriptor can be written, too.
  func watchWriting(_ watch: Bool, token: UInt64, descriptor: Int32) {
    _ = mh_poll_change(poll, descriptor, token, UInt32(MH_POLL_READABLE | (watch ? MH_POLL_WRITABLE : 0)))
  }

  func remove(_ token: UInt64, descriptor: Int32) {
    _ = mh_poll_remove(poll, descriptor)
    handlers.withLock { _ = $0.byToken.removeValue(forKey: token) }
  }

  private func run() {
    var tokens = [UInt64](repeating: 0, count: 64)
    var ready = [UInt32](repeating: 0, count: 64)
    while true {
      let count = mh_poll_wait(poll, &tokens, &ready, 64)
      // epoll_wait on a valid instance fails by EINTR only, which is retried.
      guard count >= 0 else { return }
      for index in 0..<Int(count) {
        guard let handler = handlers.withLock({ $0.byToken[tokens[index]] }) else { continue }
        handler.becameReady(
          readable: ready[index] & UInt32(MH_POLL_READABLE) != 0,
          writable: ready[index] & UInt32(MH_POLL_WRITABLE) != 0)
      }
    }
  }
}
