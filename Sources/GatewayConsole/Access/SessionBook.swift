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

  private let clock: any HostClock
  private let entries = Mutex<[Entry]>([])

  init(clock: any HostClock) { self.clock = clock }

  /// Lets a browser in.
  func begin() -> ConsoleSession {
    let session = ConsoleSession(cookie: RandomSecret.make(), formToken: RandomSecret.make())
    let now = clock.now
    entries.withLock { entries in
      entries.removeAll { Self.isOver($0, now) }
      if entries.count >= Self.most, let oldest = entries.indices.min(by: { entries[$0].used < entries[$1].used }) {
        entries.remove(at: oldest)
      }
      entries.append(Entry(session: session, begun: now, used: now))
    }
    return session
  }

  /// The session that one of these texts names; each is looked at, because cookies do not tell ports apart.
  func session(presenting cookies: some Sequence<Substring>) -> ConsoleSession? {
    let now = clock.now
    return entries.withLock { entries in
      for cookie in cookies {
        guard let place = entries.firstIndex(where: { RandomSecret.equal($0.session.cookie, cookie) }),
          !Self.isOver(entries[place], now)
        else { continue }
        entries[place].used = now
        return entries[place].session
      }
      return nil
    }
  }

  /// Ends a session.
  func end(_ session: ConsoleSession) { entries.withLock { $0.removeAll { $0.session == session } } }

  private static func isOver(_ entry: Entry, _ now: HostInstant) -> Bool {
    now - entry.used >= idle || now - entry.begun >= life
  }
}
