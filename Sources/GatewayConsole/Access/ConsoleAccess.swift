import HostPrimitives

/// Who may use the console: who has a link, once, or the password; and then the browser that has shown one of them.
final class ConsoleAccess: Sendable {
  let links: LinkBook
  let sessions: SessionBook
  let tries: PasswordTries
  /// How the cookie is called. With the port, so that two consoles on one machine do not overwrite each other's.
  private let cookieName: String
  private let isSecure: Bool

  init(port: Int?, isSecure: Bool, clock: any HostClock) {
    links = LinkBook(clock: clock)
    sessions = SessionBook(clock: clock)
    tries = PasswordTries(clock: clock)
    self.isSecure = isSecure
    cookieName = (isSecure ? "__Host-" : "") + "meterhost-console" + (port.map { "-\($0)" } ?? "")
  }

  /// The session of a request, by the values of its `Cookie` headers.
  func session(cookies: [String]) -> ConsoleSession? {
    let prefix = cookieName + "="
    let pairs: [Substring] = cookies.flatMap { (header: String) -> [Substring] in header.split(separator: ";") }
    let values: [Substring] = pairs.compactMap { pair in
      let text: Substring = pair.drop { $0 == " " }
      return text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }
    return sessions.session(presenting: values)
  }

  /// The value of the `Set-Cookie` header that gives a browser its session.
  func setCookie(_ session: ConsoleSession) -> String {
    "\(cookieName)=\(session.cookie); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// The one that takes it away.
  var clearCookie: String {
    "\(cookieName)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" + (isSecure ? "; Secure" : "")
  }
}
