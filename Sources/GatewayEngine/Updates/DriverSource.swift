package import GatewayAPI
import HostPrimitives

/// A folder that somebody serves, in which updates of drivers are looked for.
package struct DriverSource: Sendable, Hashable {
  /// How it is reached.
  package enum Place: Sendable, Hashable {
    /// Over HTTP: https, or plain http on this machine.
    case web
    /// A folder of this machine.
    case folder
  }

  /// How it is reached.
  package let place: Place
  /// Its address without a slash at the end, or the folder's absolute path.
  package let text: String

  /// A source as a person writes it: `https://drivers.example/meters`, `file:///srv/drivers`, `/srv/drivers`.
  ///
  /// - Throws: ``GatewayError`` with code `driver_source`.
  package init(_ text: String) throws(GatewayError) {
    if text.hasPrefix("/") || text.hasPrefix("file:///") {
      let path = text.hasPrefix("/") ? text : String(text.dropFirst("file://".count))
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      let isPlain = !path.utf8.contains { $0 < 0x20 || $0 == 0x7f } && path.utf8.count <= 4_096
      guard isPlain, !parts.contains(where: { $0 == "." || $0 == ".." }), !path.contains("%") || text.hasPrefix("/")
      else { throw Self.refusal(text, "is no path of a folder", "write an absolute path without . and .. in it") }
      (place, self.text) = (.folder, Self.withoutSlash(path))
      return
    }
    let address: WebAddress
    do throws(WebAddress.Refusal) { address = try WebAddress(text) } catch {
      throw Self.refusal(text, error.problem, error.cure)
    }
    // What is fetched is signed, but which drivers a gateway has is nobody's business.
    guard address.scheme == "https" || address.scheme == "http" && Self.own.contains(address.host) else {
      throw Self.refusal(text, "is not https", "name an address with https, or the absolute path of a folder")
    }
    (place, self.text) = (.web, Self.withoutSlash(text))
  }

  /// Where a file of it is.
  package func address(of file: String) -> String { "\(text)/\(file)" }

  private static let own = ["127.0.0.1", "[::1]", "localhost"]

  private static func withoutSlash(_ text: String) -> String {
    var text = text
    while text.hasSuffix("/"), text.utf8.count > 1 { text.removeLast() }
    return text
  }

  private static func refusal(_ text: String, _ problem: String, _ cure: String) -> GatewayError {
    GatewayError(
      .usage, code: "driver_source", "the source \(text.oneLine(atMost: 200)) \(problem)", hint: cure)
  }
}
