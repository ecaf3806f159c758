package import CurlHTTP
import HostPrimitives
package import MeterCore
package import StrictJSON

extension HTTPResponse {
  /// The JSON object in the body; nil for anything else.
  package var object: JSONElement? {
    // Some libraries write a byte order mark.
    let bytes = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    guard let root = try? JSONDocument(bytes, rules: JSONRules(depth: 64)).root, root.kind == .object else {
      return nil
    }
    return root
  }

  /// Whether it is a page for people, as of a login, a proxy or a web site that answers whatever it is asked.
  package var isPage: Bool {
    if let type = header("Content-Type")?.lowercased(), type.hasPrefix("text/html") || type.contains("xhtml") {
      return true
    }
    let first = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    return first == UInt8(ascii: "<")
  }

  /// How far the receiver's clock is ahead of this machine's, in seconds; nil when the answer has no date.
  ///
  /// - Parameter now: This machine's date in microseconds since 1970-01-01T00:00Z.
  package func clockSkew(_ now: Int64) -> Int? {
    header("Date").flatMap(HTTPDate.seconds).map { $0 - Int(now / 1_000_000) }
  }

  /// How long the receiver asks to be left alone; nil where it does not say.
  package var asksFor: Duration? { RetryAfter.seconds(self).map { .seconds($0) } }
}

extension SinkReply {
  /// There was no answer.
  package init(_ error: TransportError) {
    self.init(.retry(), text: "\(error)", isAboutItem: error.code == .responseTooLarge)
  }
}
