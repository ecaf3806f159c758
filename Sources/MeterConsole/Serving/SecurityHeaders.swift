import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Puts the headers that keep a browser from doing more than it should on every answer, also on those that the server
/// gives by itself to what is no HTTP.
final class SecurityHeaders: ChannelOutboundHandler, RemovableChannelHandler {
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// Everything comes from the view itself, and nobody shows it inside another page.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  static let fields: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    // The camera is the host's, not the browser's.
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
  ]

  private static let parsed = fields.compactMap { field in
    HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
      return context.write(data, promise: promise)
    }
    for field in Self.parsed { head.headerFields[field.name] = field.value }
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}
