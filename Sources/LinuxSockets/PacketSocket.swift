internal import CLinux

/// One end of a connected `SOCK_SEQPACKET` Unix socket: ordered, reliable packets with kept boundaries (unix(7)).
///
/// Safe to use from any task. The connection is closed by ``close()`` or when the last reference goes.
public final class PacketSocket: Sendable {
  /// The longest packet, in bytes.
  public static let maximumPacketLength = 65_535

  private let queue: DescriptorQueue<[UInt8]>

  /// Takes over a connected, non-blocking descriptor.
  ///
  /// - Parameter closesAtEnd: Whether it is closed as soon as the connection is over and all that has arrived is taken, before
  ///   the task that waits for more has run.
  package init(descriptor: Int32, closesAtEnd: Bool = false) throws(SocketError) {
    queue = try DescriptorQueue(descriptor: descriptor, closesAtEnd: closesAtEnd, attempt: Self.receive)
  }

  deinit { queue.close() }

  /// Connects to the listener at a path.
  ///
  /// - Throws: ``SocketError`` with code `not_found` if nobody listens there, `path_too_long`, or `system`.
  public static func connect(to path: String) throws(SocketError) -> PacketSocket {
    let descriptor = mh_packet_connect(path)
    guard descriptor >= 0 else { throw SocketError.connecting(to: path, errno: -descriptor) }
    return try PacketSocket(descriptor: descriptor)
  }

  /// Two connected ends.
  ///
  /// - Throws: ``SocketError`` with code `system`.
  public static func pair() throws(SocketError) -> (PacketSocket, PacketSocket) {
    var ends: [Int32] = [-1, -1]
    let result = mh_packet_pair(&ends)
    guard result == 0 else { throw SocketError(trying: "create a pair of sockets", errno: -result) }
    let first: PacketSocket
    do {
      first = try PacketSocket(descriptor: ends[0])
    } catch {
      _ = mh_packet_close(ends[1])
      throw error
    }
    return (first, try PacketSocket(descriptor: ends[1]))
  }

  /// Runs with the open descriptor; nil if it is closed.
  package func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value? { queue.withDescriptor(body) }

  /// Returns when the descriptor may take more bytes; see ``DescriptorQueue``.
  package func waitUntilWritable(
    unless retry: @Sendable (Int32) -> Bool, closingIf isOver: (@Sendable (Int32) -> Bool)? = nil
  ) async throws {
    try await queue.waitUntilWritable(unless: retry, closingIf: isOver)
  }

  /// The next packet; nil when the connection is over, whichever end closed it. Packets that the peer had sent before
  /// it closed come first.
  ///
  /// - Throws: ``SocketError`` (`packet_length` for a longer packet, `system`), `CancellationError` when the task
  ///   is cancelled.
  public func receive() async throws -> [UInt8]? { try await queue.next() }

  /// A packet that has arrived already, without waiting.
  ///
  /// - Throws: as ``receive()``, but for cancellation.
  public func tryReceive() throws(SocketError) -> Arrival {
    switch queue.withDescriptor({ Self.receive($0) }) ?? .end {
    case .element(let packet): .packet(packet)
    case .nothingYet: .nothingYet
    case .end: .closed
    case .failed(let error): throw error
    }
  }

  /// What ``tryReceive()`` found.
  public enum Arrival: Sendable, Equatable {
    /// The bytes that were sent together, whole.
    case packet([UInt8])
    /// No packet yet.
    case nothingYet
    /// The connection is over.
    case closed
  }

  /// The packets until the connection is over.
  public var packets: PacketSequence { PacketSequence(socket: self) }

  /// Sends one packet, and waits while the peer's buffer is full.
  ///
  /// - Throws: ``SocketError`` with code `closed`, `packet_length` (1 to 65,535 bytes are possible) or `system`;
  ///   `CancellationError` when the task is cancelled while it waits.
  public func send(_ packet: [UInt8]) async throws {
    while try !trySend(packet) {
      try await queue.waitUntilWritable { descriptor in Self.canWrite(descriptor) }
    }
  }

  /// Sends one packet unless the peer's buffer is full; says whether it was sent.
  ///
  /// - Throws: as ``send(_:)``, but never waits.
  public func trySend(_ packet: [UInt8]) throws(SocketError) -> Bool {
    guard 1...Self.maximumPacketLength ~= packet.count else {
      throw SocketError(
        .packetLength,
        message: "a packet of \(packet.count) bytes cannot be sent; 1 to \(Self.maximumPacketLength) are possible")
    }
    guard let sent = queue.withDescriptor({ mh_packet_send($0, packet, packet.count) }) else {
      throw SocketError.closedHere
    }
    switch Int32(truncatingIfNeeded: -min(sent, 0)) {
    case 0: return true
    case SystemError.wouldBlock: return false
    case SystemError.brokenPipe, SystemError.connectionReset, SystemError.notConnected:
      throw SocketError(.closed, message: "the peer has closed the connection")
    case let error: throw SocketError(trying: "send a packet of \(packet.count) bytes", errno: error)
    }
  }

  /// Closes the connection and wakes everybody who waits; repeated calls do nothing.
  public func close() { queue.close() }

  private static func canWrite(_ descriptor: Int32) -> Bool { mh_packet_can_send(descriptor) != 0 }

  @Sendable private static func receive(_ descriptor: Int32) -> DescriptorQueue<[UInt8]>.Attempt {
    withUnsafeTemporaryAllocation(byteCount: maximumPacketLength, alignment: 1) { buffer in
      // A peer that closed with our packets unread leaves ECONNRESET in front of what it had sent; it is reported once.
      var count = mh_packet_receive(descriptor, buffer.baseAddress, buffer.count)
      if count == -Int64(SystemError.connectionReset) {
        count = mh_packet_receive(descriptor, buffer.baseAddress, buffer.count)
      }
      switch count {
      case 0, -Int64(SystemError.connectionReset): return .end
      case -Int64(SystemError.wouldBlock): return .nothingYet
      case ..<0: return .failed(SocketError(trying: "receive a packet", errno: Int32(truncatingIfNeeded: -count)))
      case ...Int64(buffer.count): return .element(Array(buffer.prefix(Int(count))))
      default:
        return .failed(
          SocketError(
            .packetLength, message: "the peer sent a packet of \(count) bytes; at most \(buffer.count) are allowed"))
      }
    }
  }
}

/// The packets of a ``PacketSocket`` until the connection is over.
public struct PacketSequence: AsyncSequence, Sendable {
  let socket: PacketSocket

  /// Takes packets from the socket.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let socket: PacketSocket

    /// The next packet, as ``PacketSocket/receive()``.
    public func next() async throws -> [UInt8]? { try await socket.receive() }
  }

  /// An iterator; several share the packets among them.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(socket: socket) }
}
