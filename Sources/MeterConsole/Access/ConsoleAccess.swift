import HostPrimitives
import Synchronization

/// Who may use the view: whoever has the link, once, and then the browser that opened it.
final class ConsoleAccess: Sendable {
  /// Proves that a request that changes something comes from the page; a page of another origin cannot read it.
  let pageToken = RandomSecret.make()

  private let link: Mutex<String?>
  private let cookie = RandomSecret.make()

  init() {
    link = Mutex(RandomSecret.make())
  }

  /// The token in the link; nil when it is used up.
  var linkToken: String? { link.withLock { $0 } }

  /// Takes the token of the link in exchange for the cookie, once.
  ///
  /// - Returns: The value of the `Set-Cookie` header; nil for any other token.
  func exchange(_ token: some StringProtocol, port: Int) -> String? {
    let isGood = link.withLock { link in
      guard let wanted = link, RandomSecret.equal(wanted, token) else { return false }
      link = nil
      return true
    }
    return isGood ? "\(Self.cookieName(port))=\(cookie); Path=/; HttpOnly; SameSite=Strict" : nil
  }

  /// Whether the values of the `Cookie` headers hold the cookie.
  ///
  /// Cookies do not tell ports apart: another server of this machine may have set one of the same name, so each is looked at.
  func admits(cookies: [String], port: Int) -> Bool {
    let prefix = Self.cookieName(port) + "="
    return cookies.flatMap { $0.split(separator: ";") }.contains { pair in
      let pair = pair.drop { $0 == " " }
      return pair.hasPrefix(prefix) && RandomSecret.equal(cookie, pair.dropFirst(prefix.count))
    }
  }

  /// Whether a header holds the page's token.
  func isPage(_ token: String?) -> Bool {
    token.map { RandomSecret.equal(pageToken, $0) } ?? false
  }

  /// With the port, so that two views on one machine do not overwrite each other's.
  static func cookieName(_ port: Int) -> String { "meterhost-view-\(port)" }
}
