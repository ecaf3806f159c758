import DeliverySupport
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CurlHTTP

/// Connections of bytes over libcurl, to servers on real sockets.
@Suite("Connections of bytes", .timeLimit(.minutes(60)))
struct ByteConnectionTests {
  private func settings(_ change: (inout CurlTransport.Settings) -> Void = { _ in }) -> CurlTransport.Settings {
    var settings = CurlTransport.Settings()
    change(&settings)
    return settings
  }

  private func address(_ port: Int, host: String = "127.0.0.1", isEncrypted: Bool = false) -> ByteConnectionAddress {
    ByteConnectionAddress(host: host, port: port, isEncrypted: isEncrypted)
  }

  /// Reads until so many bytes are there, or the other end has closed.
  private func bytes(_ count: Int, from connection: any ByteConnection) async throws -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count {
      let next = try await connection.receive()
      if next.isEmpty { break }
      all += next
    }
    return all
  }

  @Test("what is sent comes back, whole and in order, while both go on")
  func echo() async throws {
    let server = try EchoServer()
    let connection = try await CurlDialer(settings: settings()).connect(address(server.port))
    var generator = SeededGenerator(seed: 7)
    let data = (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let sending = Task { try await connection.send(data) }
    #expect(try await bytes(data.count, from: connection) == data)
    try await sending.value
    for byte in UInt8(0)..<50 {
      try await connection.send([byte])
      #expect(try await connection.receive() == [byte])
    }
  }

  @Test("one dialer serves many connections at once, and each hears its own")
  func many() async throws {
    let server = try EchoServer()
    let dialer = CurlDialer(settings: settings())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in UInt8(0)..<40 {
        group.addTask {
          let connection = try await dialer.connect(address(server.port))
          for _ in 0..<20 {
            let data = [UInt8](repeating: number, count: 700)
            try await connection.send(data)
            #expect(try await bytes(700, from: connection) == data)
          }
          connection.close()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("the other end's farewell is read before its end, which stays")
  func farewell() async throws {
    let server = try EchoServer(.farewell([1, 2, 3]))
    let connection = try await CurlDialer(settings: settings()).connect(address(server.port))
    #expect(try await bytes(3, from: connection) == [1, 2, 3])
    #expect(try await connection.receive().isEmpty)
    #expect(try await connection.receive().isEmpty)
  }

  @Test("a cancelled receiver goes, and the connection stays")
  func cancelledReceive() async throws {
    let server = try EchoServer()
    let connection = try await CurlDialer(settings: settings()).connect(address(server.port))
    let waiting = Task { try await connection.receive() }
    waiting.cancel()
    let error = await #expect(throws: ByteConnectionError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    try await connection.send([9])
    #expect(try await connection.receive() == [9])
  }

  @Test("a sender that is cancelled in the middle ends the connection: the rest would be missing")
  func cancelledSend() async throws {
    let server = try EchoServer()
    let connection = try await CurlDialer(settings: settings()).connect(address(server.port))
    let sending = Task { try await connection.send([UInt8](repeating: 1, count: 80_000_000)) }
    // What comes back was sent; the rest waits for somebody who reads more of it.
    #expect(try await !connection.receive().isEmpty)
    sending.cancel()
    let error = await #expect(throws: ByteConnectionError.self) { try await sending.value }
    #expect(error?.code == .cancelled)
    let later = await #expect(throws: ByteConnectionError.self) { try await connection.send([1]) }
    #expect(later?.code == .closed)
  }

  @Test("closing lets everybody go who waits, and what follows is refused")
  func closed() async throws {
    let server = try EchoServer(.deaf)
    let connection = try await CurlDialer(settings: settings()).connect(address(server.port))
    let receiving = Task { try await connection.receive() }
    let sending = Task { try await connection.send([UInt8](repeating: 1, count: 40_000_000)) }
    connection.close()
    connection.close()
    for result in [await receiving.result.map { _ in () }, await sending.result] {
      let error = #expect(throws: ByteConnectionError.self) { try result.get() }
      #expect(error?.code == .closed)
    }
    let error = await #expect(throws: ByteConnectionError.self) { try await connection.send([1]) }
    #expect(error?.code == .closed)
  }

  @Test("a connection that nobody holds any more is closed")
  func dropped() async throws {
    let server = try EchoServer()
    let dialer = CurlDialer(settings: settings())
    do { _ = try await dialer.connect(address(server.port)) }
    for await _ in server.ends { break }
  }

  @Test("a server that takes nothing ends a sender after the time limit")
  func deaf() async throws {
    let server = try EchoServer(.deaf)
    let dialer = CurlDialer(settings: settings { $0.timeout = .milliseconds(300) })
    let connection = try await dialer.connect(address(server.port))
    let error = await #expect(throws: ByteConnectionError.self) {
      try await connection.send([UInt8](repeating: 1, count: 40_000_000))
    }
    #expect(error?.code == .timedOut)
  }

  @Test("nobody listens, and no such name")
  func unreachable() async throws {
    let place = try listenAtLoopback(backlog: nil)
    defer { close(place.descriptor) }
    let port = Int(place.port)
    for host in ["127.0.0.1", "no-such-host.invalid"] {
      let error = await #expect(throws: ByteConnectionError.self) {
        _ = try await CurlDialer(settings: settings()).connect(address(port, host: host))
      }
      #expect(error?.code == .unreachable)
    }
  }

  @Test(
    "an address that is none is refused before anything is asked",
    arguments: [("", 1), ("a b", 1), ("a/b", 1), ("a@b", 1), ("a\r\nb", 1), ("a", 0), ("a", 65_536), ("a#", 9)])
  func invalid(host: String, port: Int) async throws {
    let error = await #expect(throws: ByteConnectionError.self) {
      _ = try await CurlDialer(settings: settings()).connect(address(port, host: host))
    }
    #expect(error?.code == .invalidAddress)
  }

  @Test(
    "a server of another user of this machine gets nothing, unless it is allowed",
    arguments: [(.own, false), (.also(geteuid()), true), (.anybody, true)] as [(ReceiverUser, Bool)])
  func foreignUser(user: ReceiverUser, isServed: Bool) async throws {
    let server = try EchoServer()
    let dialer = CurlDialer(
      settings: settings {
        $0.receiverUser = user
        // What this process would be if the server belonged to somebody else.
        $0.trustedUsers = [geteuid() &+ 1]
      })
    do {
      let connection = try await dialer.connect(address(server.port, host: "localhost"))
      #expect(isServed)
      try await connection.send([1])
      #expect(try await connection.receive() == [1])
    } catch {
      #expect(!isServed && error.code == .foreignUser, "\(error)")
      #expect(error.text.contains("--receiver-user"))
    }
  }
}
