import Foundation
import Glibc
import HTTPServing
import TestSupport
import Testing

@testable import HTTPEncryption

/// The certificate of a server that runs, and another one in its files.
@Suite("A certificate in files", .timeLimit(.minutes(60))) struct CurrentTLSTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.url.appending(path: name).path }

  /// Makes a certificate that has signed itself.
  private func certificate(_ name: String, names: String) async throws -> TLSFiles {
    let files = TLSFiles(certificate: path("\(name).pem"), key: path("\(name).key"))
    let made = try await onOwnThread {
      try ChildProcess.run(
        tool: "openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
          "/CN=\(name)", "-addext", "subjectAltName=\(names)", "-keyout", files.key, "-out", files.certificate,
        ])
    }
    try #require(made.status == 0, "\(made.err)")
    return files
  }

  private func replace(_ file: String, with other: String) throws {
    let draft = file + ".new"
    try FileManager.default.copyItem(atPath: other, toPath: draft)
    try #require(rename(draft, file) == 0)
  }

  @Test func theNamesOfACertificateAreThoseThatBrowsersLookAt() async throws {
    let files = try await certificate(
      "a", names: "DNS:Gateway.home,DNS:*.home,IP:192.168.1.5,IP:fd00::1,email:a@b.example")
    let tls = try CurrentTLS(files)
    #expect(tls.names.all == ["gateway.home", "*.home", "192.168.1.5", "[fd00::1]"])
    #expect(!tls.isOver())
  }

  @Test func aCertificateThatIsWrittenAnewIsReadOnce() async throws {
    let files = try await certificate("a", names: "DNS:a.home")
    let other = try await certificate("b", names: "DNS:b.home")
    let tls = try CurrentTLS(files)
    #expect(try !tls.reloadIfChanged())
    // Half of a renewal is of no use, is told of once, and the certificate of before goes on.
    try replace(files.certificate, with: other.certificate)
    #expect(throws: TLSFileError.self) { try tls.reloadIfChanged() }
    #expect(try !tls.reloadIfChanged() && tls.names.all == ["a.home"])
    try replace(files.key, with: other.key)
    #expect(try tls.reloadIfChanged() && tls.names.all == ["b.home"])
    #expect(try !tls.reloadIfChanged())
  }

  @Test func whatIsNoCertificateIsNamed() async throws {
    let files = try await certificate("a", names: "DNS:a.home")
    let other = try await certificate("b", names: "DNS:b.home")
    let refused: [(TLSFiles, String)] = [
      (TLSFiles(certificate: "/nowhere", key: files.key), "tls_certificate"),
      (TLSFiles(certificate: files.certificate, key: "/nowhere"), "tls_key"),
      (TLSFiles(certificate: files.certificate, key: other.key), "tls"),
    ]
    for (files, code) in refused {
      let error = #expect(throws: TLSFileError.self) { try CurrentTLS(files) }
      #expect(error?.code == code && error?.message.isEmpty == false)
    }
  }
}
