import Foundation
import Glibc

/// Authorities, certificates and keys of one test, made by openssl(1).
public struct CertificateFolder: Sendable {
  /// What openssl(1) refuses.
  public struct Failure: Error {
    /// What it was asked.
    public let arguments: [String]
    /// What it said.
    public let said: String
  }

  private let sandbox: Sandbox

  /// Makes `authority`, `server` (for localhost) and `client` signed by it, `other` signed by itself, and `locked`, a key with a
  /// password; each as NAME.pem and NAME.key.
  public init(_ sandbox: Sandbox) async throws {
    self.sandbox = sandbox
    try await onOwnThread { try Self.makeAll(sandbox) }
  }

  private static func makeAll(_ sandbox: Sandbox) throws {
    try Self.make(sandbox, "authority", signedBy: nil)
    try Self.make(sandbox, "other", signedBy: nil)
    try Self.make(sandbox, "server", signedBy: "authority", ["subjectAltName=DNS:localhost,IP:127.0.0.1"])
    try Self.make(sandbox, "client", signedBy: "authority", ["extendedKeyUsage=clientAuth"])
    try Self.openssl(
      [
        "pkey", "-in", sandbox.path("client.key"), "-aes256", "-passout", "pass:secret", "-out",
        sandbox.path("locked.key"),
      ]
    )
  }

  /// Where a file of it is.
  public func path(_ name: String) -> String { sandbox.path(name) }

  private static func make(_ sandbox: Sandbox, _ name: String, signedBy issuer: String?, _ extensions: [String] = [])
    throws
  {
    var arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
      "/CN=\(name)", "-keyout", sandbox.path("\(name).key"), "-out", sandbox.path("\(name).pem"),
    ]
    for text in extensions { arguments += ["-addext", text] }
    if let issuer {
      arguments += ["-CA", sandbox.path("\(issuer).pem"), "-CAkey", sandbox.path("\(issuer).key")]
      arguments += ["-addext", "basicConstraints=critical,CA:FALSE"]
    }
    try openssl(arguments)
  }

  private static func openssl(_ arguments: [String]) throws {
    let done = try ChildProcess.run(tool: "openssl", arguments)
    guard done.status == 0 else { throw Failure(arguments: arguments, said: done.err) }
  }
}

/// A TLS server by openssl(1).
public final class TLSServer: Sendable {
  /// What it does for its clients, as openssl(1) calls it.
  public enum Service: String, Sendable {
    /// Answers every GET with 200.
    case pages = "-www"
    /// Sends every line back with its characters in reverse.
    case reversedLines = "-rev"
  }

  private let process: ChildProcess
  /// Where it listens on this machine.
  public let port: Int

  /// - Parameter asksForCertificate: Whether it wants a certificate of the same authority from its clients.
  public init(
    _ certificates: CertificateFolder, asksForCertificate: Bool, service: Service = .pages
  ) async throws {
    var arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:0", service.rawValue, "-cert", certificates.path("server.pem"),
      "-key",
      certificates.path("server.key"),
    ]
    if asksForCertificate {
      arguments += ["-Verify", "2", "-verify_return_error", "-CAfile", certificates.path("authority.pem")]
    }
    process = try ChildProcess(URL(filePath: "/usr/bin/env"), arguments, output: .pipe, errors: .null)
    // It says `ACCEPT 127.0.0.1:PORT` when it listens; reading waits, so on a thread of its own.
    let handle = try process.output()
    port = try await withCheckedThrowingContinuation { continuation in
      Thread {
        var said: [UInt8] = []
        while let byte = handle.nextByte() {
          said.append(byte)
          let text = String(decoding: said, as: UTF8.self)
          guard text.hasSuffix("\n"), let line = text.split(separator: "\n").last(where: { $0.hasPrefix("ACCEPT") }),
            let port = line.split(separator: ":").last.flatMap({ Int($0) })
          else { continue }
          return continuation.resume(returning: port)
        }
        continuation.resume(throwing: CertificateFolder.Failure(arguments: [], said: "\(said)"))
      }.start()
    }
  }
}

extension FileHandle {
  /// The next byte; nil at the end.
  fileprivate func nextByte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(fileDescriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      return count == 1 ? byte : nil
    }
  }
}
