package import HTTPServing

/// How a console speaks TLS itself.
package struct ConsoleEncryption: Sendable {
  /// What stands in front of its connections.
  let connections: ConnectionEncryption
  /// Under which names it answers.
  let names: CertificateNames

  /// - Parameter names: Those that the certificate is for.
  package init(_ connections: ConnectionEncryption, names: CertificateNames) {
    (self.connections, self.names) = (connections, names)
  }
}
