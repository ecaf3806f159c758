/// The header fields that keep a browser from doing more than it should with the view.
enum SecurityHeaders {
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
}
