import HostPrimitives

extension String {
  /// Somebody else's text as one line of a page: what is beyond 300 bytes goes, and says so.
  var clipped: String { clipped(to: 300) }

  /// The same with another limit.
  func clipped(to limit: Int) -> String {
    let line = oneLine(atMost: limit)
    return line.utf8.count < utf8.count ? line + "…" : line
  }
}
