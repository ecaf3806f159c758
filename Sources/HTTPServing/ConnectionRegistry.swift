package import HostPrimitives
import NIOCore
import Synchronization

/// The connections of a server, and who has to go when there are too many.
///
/// Whoever comes last is let in as long as somebody else can go: the oldest connection without a request of the client that has the
/// most, then the one whose request takes the longest. A request that is being answered is never cut off.
package final class ConnectionRegistry: Sendable {
  private struct Entry {
    let connection: GuardedConnection
    let peer: Peer
  }

  private struct Book {
    var entries: [ObjectIdentifier: Entry] = [:]
    var counts: [Peer: Int] = [:]
    /// Those that found no place and are told so, the oldest first.
    var away: [GuardedConnection] = []
  }

  let limits: ConnectionLimits
  let clock: any HostClock
  private let book = Mutex(Book())
  private let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation

  /// No connections yet.
  package init(limits: ConnectionLimits, clock: any HostClock = .system) {
    self.limits = limits.fitting(descriptors: DescriptorLimit.left)
    self.clock = clock
    (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How many there are.
  package var count: Int { book.withLock { $0.entries.count } }

  /// - Returns: Whether there is a place for it, if need be that of another one.
  func admit(_ connection: GuardedConnection, of peer: Peer) -> Bool {
    let (isAdmitted, victim) = book.withLock { book -> (Bool, GuardedConnection?) in
      var victim: GuardedConnection?
      if book.counts[peer, default: 0] >= limits.connectionsOfPeer {
        victim = Self.leastNeeded(of: [peer], &book)
        if victim == nil { return (false, nil) }
      } else if book.entries.count >= limits.connections {
        victim = Self.leastNeeded(of: Self.byCount(book), &book)
        if victim == nil { return (false, nil) }
      }
      book.entries[ObjectIdentifier(connection)] = Entry(connection: connection, peer: peer)
      book.counts[peer, default: 0] += 1
      return (true, victim)
    }
    victim?.cut()
    if isAdmitted {
      connection.channel.closeFuture.whenComplete { [weak self] _ in self?.remove(connection) }
      arrival.yield()
    }
    return isAdmitted
  }

  /// Looks after a connection that found no place until it has heard so. There are few of them at a time: whoever floods a server is
  /// not to cost it more than that.
  func turnAway(_ connection: GuardedConnection) {
    let now = clock.now
    connection.state.withLock { $0.turnedAway(at: now) }
    let oldest = book.withLock { book -> GuardedConnection? in
      book.away.append(connection)
      return book.away.count > limits.turnedAway ? book.away.removeFirst() : nil
    }
    oldest?.cut()
    connection.channel.closeFuture.whenComplete { [weak self] _ in
      self?.book.withLock { book in book.away.removeAll { $0 === connection } }
    }
    arrival.yield()
  }

  /// Closes the connection that is needed least.
  func makeRoom() {
    book.withLock { Self.leastNeeded(of: Self.byCount($0), &$0) }?.cut()
  }

  /// Looks after the time of all connections until the task is cancelled; without a connection it sleeps.
  func watch() async {
    for await _ in arrivals {
      while !Task.isCancelled, !everyConnection.isEmpty {
        guard await clock.elapsed(limits.lookInterval) else { return }
        let now = clock.now
        for connection in everyConnection { connection.look(at: now) }
      }
    }
  }

  private var everyConnection: [GuardedConnection] { book.withLock { $0.entries.values.map(\.connection) + $0.away } }

  private func remove(_ connection: GuardedConnection) {
    book.withLock { Self.remove(ObjectIdentifier(connection), &$0) }
  }

  private static func remove(_ id: ObjectIdentifier, _ book: inout Book) {
    guard let entry = book.entries.removeValue(forKey: id) else { return }
    let left = book.counts[entry.peer, default: 1] - 1
    book.counts[entry.peer] = left > 0 ? left : nil
  }

  /// Who has the most comes first.
  private static func byCount(_ book: Book) -> [Peer] { book.counts.sorted { $0.value > $1.value }.map(\.key) }

  /// Takes the least needed connection of the first of the peers that has one to spare.
  private static func leastNeeded(of peers: [Peer], _ book: inout Book) -> GuardedConnection? {
    for peer in peers {
      let spare = book.entries.compactMap { id, entry in
        entry.peer == peer ? entry.connection.state.withLock(\.need).map { (id: id, need: $0) } : nil
      }
      guard let id = spare.min(by: { $0.need < $1.need })?.id else { continue }
      let connection = book.entries[id]?.connection
      remove(id, &book)
      return connection
    }
    return nil
  }
}
