import CurlHTTP
import Foundation
import HostPrimitives
import MeterCore
import SinkHTTP

/// The requests that a database is asked with.
struct InfluxCalls: Sendable {
  private let setting: InfluxSinkSetting
  private let base: String

  init(_ setting: InfluxSinkSetting) {
    self.setting = setting
    var base = setting.address
    while base.hasSuffix("/") { base.removeLast() }
    self.base = base
  }

  /// Asks whether it is there; neither version wants to know who asks.
  var ping: HTTPRequest { HTTPRequest(method: "GET", url: "\(base)/ping") }

  /// Writes lines.
  func write(_ lines: [UInt8], _ token: AccessToken?) -> HTTPRequest {
    var fields = [("Content-Type", "text/plain; charset=utf-8"), ("Accept", "application/json")]
    if let authorization = authorization(token) { fields.append(("Authorization", authorization)) }
    return HTTPRequest(method: "POST", url: "\(base)\(path)", headers: fields, body: lines)
  }

  private var path: String {
    switch setting.version {
    case .two:
      "/api/v2/write?" + Self.query([("org", setting.organization), ("bucket", setting.bucket), ("precision", "ns")])
    case .one:
      "/write?" + Self.query([("db", setting.database), ("rp", setting.retentionPolicy), ("precision", "ns")])
    }
  }

  private func authorization(_ token: AccessToken?) -> String? {
    guard let token else { return nil }
    switch setting.version {
    case .two: return "Token \(token.secret)"
    case .one:
      guard let user = setting.user else { return nil }
      return "Basic " + Data("\(user):\(token.secret)".utf8).base64EncodedString()
    }
  }

  private static func query(_ parts: [(String, String?)]) -> String {
    parts.compactMap { name, value in value.map { "\(name)=\(escaped($0))" } }.joined(separator: "&")
  }

  /// Everything but unreserved characters escaped (RFC 3986 section 2.3).
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        String(Unicode.Scalar(byte))
      default: "%" + byte.hexadecimal(digits: 2, uppercase: true)
      }
    }.joined()
  }
}
