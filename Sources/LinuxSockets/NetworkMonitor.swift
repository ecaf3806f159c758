internal import CLinux
internal import Glibc

/// Tells when the network of this machine has changed so that a receiver may have come into reach (rtnetlink(7), groups
/// for links and addresses of both families). It needs no privilege.
public final class NetworkMonitor: Sendable {
  private let queue: DescriptorQueue<[UInt8]>

  /// Opens the socket; what happens from now on is told.
  ///
  /// - Throws: ``SocketError`` with code `system` where the kernel or a sandbox has no route netlink.
  public init() throws(SocketError) {
    let descriptor = mh_route_listen()
    guard descriptor >= 0 else {
      throw SocketError(trying: "watch the network (route netlink)", errno: -descriptor)
    }
    queue = try DescriptorQueue(descriptor: descriptor, attempt: Self.receive)
  }

  deinit { queue.close() }

  /// Returns when something has happened that may have brought a receiver into reach; false when the monitor was closed.
  ///
  /// - Throws: ``SocketError``, `CancellationError`.
  public func waitForChange(_ reach: inout NetworkReach) async throws -> Bool {
    while let packet = try await queue.next() {
      var isNews = packet.isEmpty
      for message in NetlinkMessage.parse(packet) where reach.take(message) { isNews = true }
      if isNews { return true }
    }
    return false
  }

  /// One element after each such change; several at once may give one. It ends with the task that reads it.
  public static func changes() throws(SocketError) -> AsyncStream<Void> {
    let monitor = try NetworkMonitor()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let task = Task {
      var reach = NetworkReach()
      while (try? await monitor.waitForChange(&reach)) == true { continuation.yield() }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Ends all waiting.
  public func close() { queue.close() }

  /// The longest packet that is read whole; of a longer one, which the kernel does not send, the rest is lost.
  private static let packetLength = 32 << 10

  @Sendable private static func receive(_ descriptor: Int32) -> DescriptorQueue<[UInt8]>.Attempt {
    withUnsafeTemporaryAllocation(byteCount: packetLength, alignment: 4) { buffer in
      let count = mh_packet_receive(descriptor, buffer.baseAddress, buffer.count)
      switch count {
      case -Int64(SystemError.wouldBlock): return .nothingYet
      // The kernel had more to say than the buffer holds: nobody knows what, so it counts as a change.
      case -Int64(ENOBUFS): return .element([])
      case ..<0: return .failed(SocketError(trying: "read about the network", errno: Int32(truncatingIfNeeded: -count)))
      default: return .element(Array(buffer.prefix(Int(min(count, Int64(buffer.count))))))
      }
    }
  }
}
