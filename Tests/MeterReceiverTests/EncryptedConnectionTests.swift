import HTTPServing
import NIOCore
import TestSupport
import Testing

@testable import MeterReceiver

/// The guards of connections behind a handler that changes every byte, as TLS does.
@Suite(.timeLimit(.minutes(10))) struct EncryptedConnectionTests {
  /// A cipher that leaves ASCII ASCII.
  private final class Scrambler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      context.fireChannelRead(wrapInboundOut(changed(unwrapInboundIn(data))))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      context.write(wrapOutboundOut(changed(unwrapOutboundIn(data))), promise: promise)
    }

    private func changed(_ buffer: ByteBuffer) -> ByteBuffer {
      ByteBuffer(bytes: buffer.readableBytesView.map { $0 ^ 1 })
    }
  }

  private func scrambled(_ text: String) -> String { String(decoding: text.utf8.map { $0 ^ 1 }, as: UTF8.self) }

  private static let encryption = ConnectionEncryption { Scrambler() }

  @Test("requests are understood and refused in what the client speaks, and nothing goes out as it is")
  func answers() async throws {
    try await withReceiver(configure: { $0.encryption = Self.encryption }) { server async throws in
      for (request, status) in [
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200), ("GARBAGE\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\n\r\n", 400), ("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
      ] {
        let client = try RawConnection(port: server.port)
        client.send(scrambled(request))
        let answer = try await client.read()
        #expect(scrambled(answer).hasPrefix("HTTP/1.1 \(status) "), "\(scrambled(answer))")
      }
    }
  }

  @Test("who finds no place hears so in what they speak, too")
  func turnedAway() async throws {
    let faults = ReceiverFaults()
    faults.inject(.delay(.seconds(3600)), times: 3, at: .user)
    let clock = StoppedClock()
    try await withReceiver(
      faults: faults,
      configure: {
        $0.clock = clock
        $0.limits = ConnectionLimits(connections: 4)
        $0.encryption = Self.encryption
      }
    ) { server async throws in
      let held = try (0..<3).map { _ in try RawConnection(port: server.port) }
      for connection in held {
        connection.send(
          scrambled(
            "GET /connect/provider/user HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(RunningReceiver.token)\r\n"
              + "Connection: close\r\n\r\n"))
      }
      // Three are being answered, and one looks after the time of all.
      while clock.sleepers < 4 || faults.remaining > 0 { await Task.yield() }
      let late = try RawConnection(port: server.port)
      let answer = scrambled(try await late.read(until: scrambled("Retry-After")))
      #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
      clock.advance(by: .seconds(3600))
      for connection in held { #expect(scrambled(try await connection.read()).hasPrefix("HTTP/1.1 200 ")) }
    }
  }
}
