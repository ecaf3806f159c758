import HostPrimitives

/// The Retry-After field (RFC 9110 section 10.2.3): seconds, or a date.
package enum RetryAfter {
  /// The wait in seconds, nil when there is none or it cannot be read.
  ///
  /// A date is compared with the answer's own Date field: this machine's wall clock may be wrong.
  package static func seconds(_ response: HTTPResponse) -> Int? {
    guard let text = response.header("Retry-After") else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return Int(text) ?? .max }
    guard let until = HTTPDate.seconds(text), let sent = response.header("Date").flatMap(HTTPDate.seconds) else {
      return nil
    }
    return max(0, until - sent)
  }
}
