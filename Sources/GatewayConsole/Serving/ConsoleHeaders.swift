/// The header fields of every answer, which keep a browser from doing more than it should.
enum ConsoleHeaders {
  /// Everything comes from the console itself, nothing stands in the pages themselves, and nobody shows them inside another page.
  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    + "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types meterhost"

  /// A picture has a policy of its own beside it, and a browser keeps to both.
  static let policyName = "Content-Security-Policy"

  static let fields: [(name: String, value: String)] = [
    (policyName, policy),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    // To the console itself, whose forms are told by their origin, and to nobody else.
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
  ]
}
