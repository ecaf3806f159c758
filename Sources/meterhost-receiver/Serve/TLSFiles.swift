import Foundation
import HostErrors
import HostPrimitives
import HTTPServing
import NIOCore
import NIOSSL
import Synchronization

/// The certificate with which a receiver proves who it is, and its key, in files.
struct TLSFiles: Sendable {
  /// The certificate, and behind it those of whoever has signed it, in PEM.
  let certificate: String
  /// The private key in PEM, without a passphrase.
  let key: String

  /// What connections are opened with, and until when the certificate holds.
  struct Loaded: Sendable {
    let context: NIOSSLContext
    /// In seconds since 1970.
    let end: Int64
  }

  /// - Throws: ``ProgramError`` `tls_certificate`, `tls_key` or `tls` (they do not belong together).
  func load() throws(ProgramError) -> Loaded {
    let chain: [NIOSSLCertificate]
    do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
      throw ProgramError(
        .usage, code: "tls_certificate", "the certificate \(certificate) cannot be read, or is not in PEM (\(error))")
    }
    guard let own = chain.first else {
      throw ProgramError(.usage, code: "tls_certificate", "there is no certificate in \(certificate)")
    }
    let secret: NIOSSLPrivateKey
    do { secret = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
      throw ProgramError(
        .usage, code: "tls_key", "the key \(key) cannot be read, or is not in PEM without a passphrase (\(error))")
    }
    PrivateFile.warn(key)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    // A connection that is closed to make room is to be gone soon, whatever its client says.
    configuration.shutdownTimeout = .seconds(1)
    do {
      return Loaded(context: try NIOSSLContext(configuration: configuration), end: Int64(own.notValidAfter))
    } catch {
      throw ProgramError(
        .usage, code: "tls", "the key \(key) is not that of the certificate \(certificate) (\(error))",
        hint: "the first certificate in the file must be the receiver's own")
    }
  }
}

/// The certificate of a receiver that runs. Connections that are open keep the one with which they began.
final class CurrentTLS: Sendable {
  private let files: TLSFiles
  private let current: Mutex<TLSFiles.Loaded>

  /// - Throws: ``ProgramError`` as ``TLSFiles/load()`` does.
  init(_ files: TLSFiles) throws(ProgramError) {
    self.files = files
    current = Mutex(try files.load())
  }

  /// Reads the files anew; with ones that cannot be used the certificate of before goes on.
  ///
  /// - Throws: ``ProgramError`` as ``TLSFiles/load()`` does.
  func reload() throws(ProgramError) {
    let loaded = try files.load()
    current.withLock { $0 = loaded }
  }

  /// Until when the certificate holds: RFC 3339, UTC.
  var end: String { CivilMoment.utcSeconds(microseconds: seconds * 1_000_000) }

  /// Whether clients refuse the certificate by now.
  func isOver(at clock: any HostClock = SystemClock()) -> Bool { seconds * 1_000_000 < clock.unixMicroseconds }

  private var seconds: Int64 { current.withLock(\.end) }

  /// For a receiver's connections.
  var encryption: ConnectionEncryption {
    ConnectionEncryption { [self] in NIOSSLServerHandler(context: current.withLock(\.context)) }
  }
}
