internal import CLinux
package import HostPrimitives

/// A listening `SOCK_SEQPACKET` Unix socket and its file.
public final class PacketListener: Sendable {
  /// The path that clients connect to.
  public let path: String

  private let queue: DescriptorQueue<PacketSocket>
  private let file: (device: UInt64, inode: UInt64)

  /// Listens at a path. A socket file that nobody listens on any more is replaced; anything else is left alone.
  ///
  /// - Parameter backlog: how many connections may wait to be accepted.
  /// - Throws: ``SocketError`` with code `address_in_use`, `path_too_long`, `not_found` (no such folder) or `system`.
  public init(path: String, backlog: Int32 = 16) throws(SocketError) {
    var (device, inode): (UInt64, UInt64) = (0, 0)
    let descriptor = mh_packet_listen(path, backlog, &device, &inode)
    guard descriptor >= 0 else { throw SocketError.listening(at: path, errno: -descriptor) }
    self.path = path
    file = (device, inode)
    do {
      queue = try DescriptorQueue(descriptor: descriptor, attempt: Self.accept)
    } catch {
      _ = mh_packet_unlink(path, device, inode)
      throw error
    }
  }

  deinit { close() }

  /// The next connection; nil when the listener is closed.
  ///
  /// - Throws: ``SocketError`` (`system`, for example when the process has too many open files; the connection keeps
  ///   waiting), `CancellationError` when the task is cancelled.
  public func accept() async throws -> PacketSocket? { try await queue.next() }

  /// The next connection, however long the process is short of descriptors or memory; nil when the listener is closed.
  ///
  /// - Throws: ``SocketError``, `CancellationError` when the task is cancelled.
  package func accept(patientlyBy clock: any HostClock) async throws -> PacketSocket? {
    while true {
      do { return try await accept() } catch let error as SocketError where error.isShortage {
        try await clock.sleep(for: .milliseconds(100))
      }
    }
  }

  /// Stops listening, removes the socket file if it is still this listener's, and wakes everybody who waits; repeated
  /// calls do nothing.
  public func close() {
    // Unlink first: a client never finds a file that nobody listens on.
    if queue.withDescriptor({ _ in true }) == true { _ = mh_packet_unlink(path, file.device, file.inode) }
    queue.close()
  }

  @Sendable private static func accept(_ descriptor: Int32) -> DescriptorQueue<PacketSocket>.Attempt {
    let accepted = mh_packet_accept(descriptor)
    switch -accepted {
    case ...0:
      do throws(SocketError) {
        return .element(try PacketSocket(descriptor: accepted))
      } catch {
        return .failed(error)
      }
    case SystemError.wouldBlock, SystemError.connectionAborted: return .nothingYet
    case let error: return .failed(SocketError(trying: "accept a connection", errno: error))
    }
  }
}
