/// Where a request says that it comes from.
///
/// A name of somebody else's may point to this machine (DNS rebinding): the browser then sends that name, and with it no
/// cookie of ours, but also asks for nothing that needs one. So only names of the machine itself are answered.
struct OriginCheck {
  let port: Int

  /// The names by which the view is reached, as the `Host` header says them.
  private var hosts: [String] {
    ["127.0.0.1", "localhost", "[::1]"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
  }

  /// Whether the `Host` header is this view's.
  func admits(host: String?) -> Bool {
    host.map { hosts.contains($0.lowercased()) } ?? false
  }

  /// Whether the `Origin` header of a request that changes something is the page's.
  func admits(origin: String?, host: String?) -> Bool {
    guard let origin, let host, admits(host: host) else { return false }
    return origin.lowercased() == "http://\(host.lowercased())"
  }

  /// Whether the `Sec-Fetch-Site` header, which old browsers do not send, lets the request be the page's or the person's.
  ///
  /// To a browser all ports of a machine are one site, and cookies go to all of them: only this header keeps a page of
  /// another local server from showing our pictures as its own.
  func admits(fetchSite: String?) -> Bool {
    fetchSite.map { ["same-origin", "none"].contains($0.lowercased()) } ?? true
  }
}
