import HostPrimitives
import Synchronization

/// The browsers that have been let in, for as long as that holds.
final class SessionBook: Sendable {
  /// Without a request for so long a session ends.
  static let idle = Duration.seconds(2 * 3600)
  /// It ends after so long in any case.
  static let life = Duration.seconds(24 * 3600)
  /// So many there may be; the one that was used least recently makes room.
  static let most = 32

  private struct Entry {
    let session: ConsoleSession
    let begun: HostInstant
    var used: HostInstant
  }

  private struct Book {
    var entries: [Entry] = []
    var closings = 0
  }

  private let clock: any HostClock
  private let book = Mutex(Book())

  init(clock: any HostClock) { self.clock = clock }

  /// How often all sessions were ended at once.
  var closings: Int { book.withLock(\.closings) }

  /// Lets a browser in.
  func begin() -> ConsoleSession { book.withLock { begin(&$0) } }

  /// Lets a browser in, unless all sessions were ended since it was looked at whether it may.
  ///
  /// - Parameter closings: ``closings`` from before that look.
  func begin(since closings: Int) -> ConsoleSession? {
    book.withLock { $0.closings == closings ? begin(&$0) : nil }
  }

  private func begin(_ book: inout Book) -> ConsoleSession {
    let session = ConsoleSession(cookie: RandomSecret.make(), formToken: RandomSecret.make())
    let now = clock.now
    book.entries.removeAll { Self.isOver($0, now) }
    if book.entries.count >= Self.most,
      let oldest = book.entries.indices.min(by: { book.entries[$0].used < book.entries[$1].used })
    {
      book.entries.remove(at: oldest)
    }
    book.entries.append(Entry(session: session, begun: now, used: now))
    return session
  }

  /// The session that one of these texts names; each is looked at, because cookies do not tell ports apart.
  func session(presenting cookies: some Sequence<Substring>) -> ConsoleSession? {
    let now = clock.now
    return book.withLock { book in
      for cookie in cookies {
        guard let place = book.entries.firstIndex(where: { RandomSecret.equal($0.session.cookie, cookie) }),
          !Self.isOver(book.entries[place], now)
        else { continue }
        book.entries[place].used = now
        return book.entries[place].session
      }
      return nil
    }
  }

  /// Ends a session.
  func end(_ session: ConsoleSession) { book.withLock { $0.entries.removeAll { $0.session == session } } }

  /// Ends all of them.
  func endAll() {
    book.withLock { book in
      book.entries = []
      book.closings += 1
    }
  }

  private static func isOver(_ entry: Entry, _ now: HostInstant) -> Bool {
    now - entry.used >= idle || now - entry.begun >= life
  }
}
