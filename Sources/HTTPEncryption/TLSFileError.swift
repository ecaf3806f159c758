package import HostErrors

/// Why a certificate or its key cannot be used.
package struct TLSFileError: HostError {
  package let kind = HostErrorKind.usage
  /// `tls_certificate`, `tls_key` or `tls`.
  package let code: String
  package let message: String
  package let hint: String?

  init(code: String, _ message: String, hint: String? = nil) {
    (self.code, self.message, self.hint) = (code, message, hint)
  }
}
