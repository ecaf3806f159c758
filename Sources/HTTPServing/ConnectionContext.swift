import HTTPTypes
public import Hummingbird
import NIOCore

/// A request's context that knows the connection: it can hang up on the client, and tell which port it came to.
public struct ConnectionContext: RequestContext {
  /// What every context holds.
  public var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  /// The context of a request that came over a connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The port that the client has connected to; nil of a socket without ports.
  public var localPort: Int? { channel.localAddress?.port }

  /// Closes the connection and returns when it is closed. What is answered afterwards reaches nobody.
  public func hangUp() async {
    // It throws when the client was faster, which is just as good.
    try? await channel.close().get()
  }

  /// Tells a client that waits for it that the body is wanted (RFC 9110 section 10.1.1).
  fileprivate func askForBody() { channel.triggerUserOutboundEvent(RequestGuard.BodyIsWanted(), promise: nil) }
}

extension Request {
  /// Collects the body. One that is too long is not read to its end, or not at all when its head says so; its answer is the
  /// connection's last one then.
  ///
  /// The request keeps the body: the server's watch over a client that may go away ends the process when it does not find the end of
  /// a body that somebody else has read.
  ///
  /// - Returns: nil for a body over the limit.
  package mutating func collect(limit: Int, context: ConnectionContext) async throws -> [UInt8]? {
    if let length = headers[.contentLength] {
      guard let count = Int(length), count <= limit else { return nil }
    }
    if headers[.expect] != nil { context.askForBody() }
    var bytes = ByteBuffer()
    for try await chunk in body {
      guard bytes.readableBytes + chunk.readableBytes <= limit else { return nil }
      bytes.writeImmutableBuffer(chunk)
    }
    body = RequestBody(buffer: bytes)
    return Array(bytes.readableBytesView)
  }

  /// Hands the body on piece by piece as it comes. One that is too long is not read to its end, or not at all when its head says so; its
  /// answer is the connection's last one then.
  ///
  /// - Parameter take: Gets a piece; false ends it, and the answer is the connection's last one.
  /// - Returns: Whether all of it was within the limit; true also when `take` has ended it.
  package func stream(
    limit: Int, context: ConnectionContext, _ take: (ByteBuffer) throws -> Bool
  ) async throws -> Bool {
    if let length = headers[.contentLength] {
      guard let count = Int(length), count <= limit else { return false }
    }
    if headers[.expect] != nil { context.askForBody() }
    var read = 0
    for try await piece in body {
      read += piece.readableBytes
      guard read <= limit else { return false }
      guard try take(piece) else { return true }
    }
    return true
  }
}
