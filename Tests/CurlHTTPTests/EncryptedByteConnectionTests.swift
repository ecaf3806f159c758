import TestSupport
import Testing

@testable import CurlHTTP

/// Connections of bytes over TLS, to openssl(1).
@Suite("Encrypted connections of bytes", .timeLimit(.minutes(60)))
struct EncryptedByteConnectionTests {
  private func connect(
    _ port: Int, _ change: (inout CurlTransport.Settings) -> Void
  ) async throws -> any ByteConnection {
    var settings = CurlTransport.Settings()
    change(&settings)
    return try await CurlDialer(settings: settings).connect(
      ByteConnectionAddress(host: "localhost", port: port, isEncrypted: true))
  }

  private func line(_ text: String, over connection: any ByteConnection) async throws -> String {
    try await connection.send(Array((text + "\n").utf8))
    var answer: [UInt8] = []
    while answer.last != UInt8(ascii: "\n") {
      let next = try await connection.receive()
      if next.isEmpty { break }
      answer += next
    }
    return String(decoding: answer.dropLast(), as: UTF8.self)
  }

  @Test("bytes travel both ways, line by line")
  func lines() async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      let server = try await TLSServer(files, asksForCertificate: false, service: .reversedLines)
      let connection = try await connect(server.port) { $0.authorityFile = files.path("authority.pem") }
      for text in ["abc", "x", String(repeating: "0123456789", count: 100)] {
        #expect(try await line(text, over: connection) == String(text.reversed()))
      }
    }
  }

  @Test("a certificate of another authority is refused, and nothing is sent")
  func untrusted() async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      let server = try await TLSServer(files, asksForCertificate: false, service: .reversedLines)
      for file in ["other.pem", "missing.pem"] {
        let error = await #expect(throws: ByteConnectionError.self) {
          _ = try await connect(server.port) { $0.authorityFile = files.path(file) }
        }
        #expect(error?.code == .certificate)
      }
    }
  }

  @Test("a server that wants a certificate gets it, and its refusal is told as one", arguments: [true, false])
  func clientCertificate(isGiven: Bool) async throws {
    try await Sandbox.with { sandbox in
      let files = try await CertificateFolder(sandbox)
      let server = try await TLSServer(files, asksForCertificate: true, service: .reversedLines)
      let open = {
        try await connect(server.port) {
          $0.authorityFile = files.path("authority.pem")
          guard isGiven else { return }
          $0.clientCertificateFile = files.path("client.pem")
          $0.clientKeyFile = files.path("client.key")
        }
      }
      if isGiven {
        #expect(try await line("abc", over: try await open()) == "cba")
      } else {
        // The server says so only after its part of the handshake, when this side may send already.
        let error = await #expect(throws: ByteConnectionError.self) { _ = try await (try await open()).receive() }
        #expect(error?.code == .certificate)
      }
    }
  }

  @Test("TLS with a server that speaks none is told")
  func plain() async throws {
    let server = try EchoServer()
    let error = await #expect(throws: ByteConnectionError.self) { _ = try await connect(server.port) { _ in } }
    #expect(error?.code == .tls)
  }
}
