import HTTPEncryption
import HostPrimitives
import Logging

/// Another certificate while the receiver runs, and what the log says about it.
struct TLSReload: Sendable {
  private let tls: CurrentTLS
  private let logger: Logger

  init(_ tls: CurrentTLS, logger: Logger) { (self.tls, self.logger) = (tls, logger) }

  /// Says until when the certificate holds; clients refuse one that is over.
  func tell() {
    if tls.isOver() {
      logger.error("the certificate is over, and clients refuse it", metadata: ["until": "\(tls.end)"])
    } else {
      logger.notice("the certificate holds", metadata: ["until": "\(tls.end)"])
    }
  }

  /// Reads the files anew.
  func reload() {
    do throws(TLSFileError) {
      try tls.reload()
      PrivateFile.warn(tls.files.key)
      tell()
    } catch {
      logger.error("\(error.message); the certificate of before goes on", metadata: ["code": "\(error.code)"])
    }
  }
}
