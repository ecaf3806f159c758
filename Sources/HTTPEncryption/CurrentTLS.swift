package import HTTPServing
package import HostPrimitives
import NIOSSL
import Synchronization

/// The certificate of a server that runs. Connections that are open keep the one with which they began.
package final class CurrentTLS: Sendable {
  /// Where it is read from.
  package let files: TLSFiles
  private struct State: Sendable {
    var loaded: TLSFiles.Loaded
    /// The files as they were when they were last read, whatever came of it.
    var stamp: [FileStatus?]
  }

  private let state: Mutex<State>

  /// - Throws: ``TLSFileError``.
  package init(_ files: TLSFiles) throws(TLSFileError) {
    self.files = files
    // Before they are read: a change in between is seen by the next look.
    let stamp = Self.stamp(files)
    state = Mutex(State(loaded: try files.load(), stamp: stamp))
  }

  /// Reads the files anew; with ones that cannot be used the certificate of before goes on.
  ///
  /// - Throws: ``TLSFileError``.
  package func reload() throws(TLSFileError) {
    let stamp = Self.stamp(files)
    state.withLock { $0.stamp = stamp }
    let loaded = try files.load()
    state.withLock { $0.loaded = loaded }
  }

  /// Reads the files anew if one of them is another one than when they were last read.
  ///
  /// - Returns: Whether there is another certificate.
  /// - Throws: ``TLSFileError``, once for the same files.
  package func reloadIfChanged() throws(TLSFileError) -> Bool {
    guard Self.stamp(files) != state.withLock(\.stamp) else { return false }
    try reload()
    return true
  }

  private static func stamp(_ files: TLSFiles) -> [FileStatus?] {
    [FileStatus(following: files.certificate), FileStatus(following: files.key)]
  }

  /// Until when the certificate holds: RFC 3339, UTC.
  package var end: String { CivilMoment.utcSeconds(microseconds: seconds * 1_000_000) }

  /// The names and addresses that the certificate is for.
  package var names: CertificateNames { state.withLock(\.loaded.names) }

  /// Whether clients refuse the certificate by now.
  package func isOver(at clock: any HostClock = SystemClock()) -> Bool {
    seconds * 1_000_000 < clock.unixMicroseconds
  }

  private var seconds: Int64 { state.withLock(\.loaded.end) }

  /// For a server's connections.
  package var encryption: ConnectionEncryption {
    ConnectionEncryption { [self] in NIOSSLServerHandler(context: state.withLock(\.loaded.context)) }
  }
}
