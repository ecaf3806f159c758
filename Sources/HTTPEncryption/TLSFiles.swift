import HTTPServing
import NIOCore
import NIOSSL

/// The certificate with which a server proves who it is, and its key, in files.
package struct TLSFiles: Sendable, Hashable {
  /// The certificate, and behind it those of whoever has signed it, in PEM.
  package let certificate: String
  /// The private key in PEM, without a passphrase.
  package let key: String

  /// Files that are read when ``load()`` is called.
  package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

  /// What connections are opened with, and until when the certificate holds.
  struct Loaded: Sendable {
    let context: NIOSSLContext
    /// In seconds since 1970.
    let end: Int64
    /// The names and addresses that the certificate is for.
    let names: CertificateNames
  }

  /// - Throws: ``TLSFileError`` `tls_certificate`, `tls_key` or `tls` (they do not belong together).
  func load() throws(TLSFileError) -> Loaded {
    let chain: [NIOSSLCertificate]
    do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
      throw TLSFileError(
        code: "tls_certificate", "the certificate \(certificate) cannot be read, or is not in PEM (\(error))")
    }
    guard let own = chain.first else {
      throw TLSFileError(code: "tls_certificate", "there is no certificate in \(certificate)")
    }
    let secret: NIOSSLPrivateKey
    do { secret = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
      throw TLSFileError(
        code: "tls_key", "the key \(key) cannot be read, or is not in PEM without a passphrase (\(error))")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // A connection that is closed to make room is to be gone soon, whatever its client says.
    configuration.shutdownTimeout = .seconds(1)
    do {
      return Loaded(
        context: try NIOSSLContext(configuration: configuration), end: Int64(own.notValidAfter),
        names: CertificateNames(own))
    } catch {
      throw TLSFileError(
        code: "tls", "the key \(key) is not that of the certificate \(certificate) (\(error))",
        hint: "the first certificate in the file must be the server's own")
    }
  }
}

extension CertificateNames {
  /// The subject alternative names of a certificate (RFC 5280, 4.2.1.6); browsers look at nothing else.
  init(_ certificate: NIOSSLCertificate) {
    var names: [String] = []
    for name in certificate._subjectAlternativeNames() {
      let bytes = Array(name.contents)
      switch name.nameType {
      case .dnsName: names.append(String(decoding: bytes, as: UTF8.self))
      case .ipAddress: if let address = Self.text(ofAddress: bytes) { names.append(address) }
      default: break
      }
    }
    self.init(names)
  }
}
