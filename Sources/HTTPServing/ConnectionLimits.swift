/// How much of a server its clients may take, each of them and all together.
///
/// A client is an address, or on this machine a user: see ``Peer``.
package struct ConnectionLimits: Sendable, Hashable {
  /// All connections at once.
  package var connections: Int
  /// The connections of one client. Fewer than all, so that one client leaves room for the others; not far fewer, because a
  /// proxy in front of a server is one client.
  package var connectionsOfPeer: Int
  /// From the first byte of a request to the end of its head.
  package var headTime: Duration
  /// From the first byte of a request to its last.
  package var requestTime: Duration
  /// Without a byte inside a request, and without a byte taken inside an answer.
  package var stallTime: Duration
  /// Between requests, and before the first.
  package var idleTime: Duration
  /// How long a connection that is to be closed waits for the client to have read its answer. A socket that is closed with
  /// unread bytes in it takes the answer away from the client (RFC 9112 section 9.6).
  package var lingerTime: Duration
  /// How many bytes it drops meanwhile.
  package var lingerBytes: Int

  /// Limits for a server of so many connections.
  package init(
    connections: Int, headTime: Duration = .seconds(20), requestTime: Duration = .seconds(120),
    stallTime: Duration = .seconds(60), idleTime: Duration = .seconds(60), lingerTime: Duration = .seconds(10),
    lingerBytes: Int = 16 << 20
  ) {
    self.connections = max(connections, 1)
    connectionsOfPeer = max(connections * 3 / 4, 1)
    self.headTime = headTime
    self.requestTime = requestTime
    self.stallTime = stallTime
    self.idleTime = idleTime
    self.lingerTime = lingerTime
    self.lingerBytes = lingerBytes
  }

  /// How many connections that found no place may be told so at the same time, beside those that have one.
  var turnedAway: Int { max(connections / 8, 1) }

  /// How often connections are looked at: often enough for the shortest of their times, and no oftener than a clock needs.
  var lookInterval: Duration {
    max([headTime, requestTime, stallTime, idleTime, lingerTime].min().map { $0 / 2 } ?? .zero, .seconds(1))
  }

  /// These limits for a process that may open so many descriptors more.
  func fitting(descriptors: Int) -> ConnectionLimits {
    let room = max(descriptors / 2, 4)
    guard room < connections else { return self }
    var limits = self
    limits.connections = room
    limits.connectionsOfPeer = min(connectionsOfPeer, max(room * 3 / 4, 1))
    return limits
  }
}
