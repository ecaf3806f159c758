import HostPrimitives
import Synchronization

/// The links that open the console, each once and for a short while.
final class LinkBook: Sendable {
  /// So long a link opens.
  static let life = Duration.seconds(300)
  /// So many may be out at once; the oldest goes first.
  static let most = 8

  private struct Link {
    let token: String
    let made: HostInstant
  }

  private let clock: any HostClock
  private let links = Mutex<[Link]>([])

  init(clock: any HostClock) { self.clock = clock }

  /// The token of a new link.
  func make() -> String {
    let link = Link(token: RandomSecret.make(), made: clock.now)
    links.withLock { links in
      if links.count >= Self.most { links.removeFirst() }
      links.append(link)
    }
    return link.token
  }

  /// Uses a link up.
  ///
  /// - Returns: Whether it opens.
  func use(_ token: String) -> Bool {
    let now = clock.now
    return links.withLock { links in
      links.removeAll { now - $0.made >= Self.life }
      guard let place = links.firstIndex(where: { RandomSecret.equal($0.token, token) }) else { return false }
      links.remove(at: place)
      return true
    }
  }
}
