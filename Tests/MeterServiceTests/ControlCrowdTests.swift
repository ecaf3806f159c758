import Foundation
import Glibc
import MeterCore
import GatewayAPI
import TestSupport
import Testing

@testable import MeterService

/// A program that opens one connection after the other must not lock its user's commands out for good.
@Suite("A crowd at the control socket", .timeLimit(.minutes(10)))
struct ControlCrowdTests {
  /// A connection that a test holds in its hand.
  private final class Held: Sendable {
    private let descriptor: Int32

    init(_ socket: ControlSocket) throws {
      descriptor = ControlSocket.openStream()
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.path.utf8) }
      let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
          connect(descriptor, name, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// Asks for the events, as one who listens to them and never goes.
    ///
    /// - Returns: The beginning of the answer.
    func listen() async throws -> String {
      let request = Array("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
      try #require(send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
      return try await onOwnThread { [descriptor] in
        var (answer, buffer) = ("", [UInt8](repeating: 0, count: 4096))
        while !answer.contains(": listening") {
          let count = recv(descriptor, &buffer, buffer.count, 0)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { break }
          answer += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return answer
      }
    }

    /// Whether the service has ended it, as far as that is known by now.
    var isCut: Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, 0) > 0
    }
  }

  private static func isTurnedAway(_ error: any Error) -> Bool {
    guard let error = error as? GatewayError else { return false }
    return error.code == "too_many_connections" && error.kind == .temporary && error.message.contains("connections")
  }

  @Test("hears that there is no place, ends nothing that is being answered, and the service serves on when one goes")
  func turnedAway() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox, connections: 8) { store, client in
        let socket = try ControlSocket(stateFolder: store.folder)
        // All are one user's, who has three quarters of the places.
        var listeners: [Held] = []
        for _ in 0..<6 {
          let listener = try Held(socket)
          let answer = try await listener.listen()
          #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(": listening"), "\(answer)")
          listeners.append(listener)
        }
        for _ in 0..<3 {
          await #expect {
            try await client.perform(ServiceShowRequest())
          } throws: {
            Self.isTurnedAway($0)
          }
          let partner = ControlPartner<EventDescription>(patience: Patience()) { _ in }
          await #expect {
            try await client.converse(EventsRequest(after: nil, follows: true), with: partner)
          } throws: {
            Self.isTurnedAway($0)
          }
        }
        #expect(listeners.allSatisfy { !$0.isCut })
        listeners.removeLast()
        // The service hears of it in its own time.
        var service: ServiceShowRequest.Answer?
        while service == nil {
          do { service = try await client.perform(ServiceShowRequest()) } catch  where Self.isTurnedAway(error) {
            await Task.yield()
          }
        }
        #expect(service?.pid == getpid())
        #expect(listeners.allSatisfy { !$0.isCut })
      }
    }
  }

  @Test("gives way where it asks for nothing, so that commands are answered at once")
  func idle() async throws {
    try await Sandbox.with { sandbox in
      try await ServiceFixture.with(sandbox, connections: 8) { store, client in
        let socket = try ControlSocket(stateFolder: store.folder)
        let idle = try (0..<20).map { _ in try Held(socket) }
        for _ in 0..<3 {
          let service = try await client.perform(ServiceShowRequest())
          #expect(service?.pid == getpid())
        }
        withExtendedLifetime(idle) {}
      }
    }
  }
}
