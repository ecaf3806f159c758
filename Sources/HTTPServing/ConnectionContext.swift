public import Hummingbird
public import NIOCore

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
}

extension RequestBody {
  /// Collects the body. The rest of a body over the limit is read and dropped, because a client reads no answer while it
  /// is still sending; but not without end: behind `dropping` more bytes the connection is closed.
  ///
  /// - Returns: nil for a body over the limit.
  public func collect(limit: Int, dropping: Int, context: ConnectionContext) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    var count = 0
    for try await chunk in self {
      count += chunk.readableBytes
      if count <= limit {
        bytes.append(contentsOf: chunk.readableBytesView)
      } else {
        bytes = []
        if count > limit + dropping { await context.hangUp() }
      }
    }
    return count <= limit ? bytes : nil
  }
}
