import Foundation
import Glibc
import MeterCore
import GatewayAPI
import TestSupport
import Testing

@testable import MeterService

/// The control socket takes tokens and readings: whose it is decides who gets them.
@Suite("The control socket's user", .timeLimit(.minutes(10)))
struct ControlSocketTests {
  /// The permissions of a socket; nil where there is none.
  private func mode(_ path: String) -> Int? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      attributes[.type] as? FileAttributeType == .typeSocket
    else { return nil }
    return attributes[.posixPermissions] as? Int
  }

  @Test("alone may connect, from the first moment, and nothing is left when the service has ended")
  func closed() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("state/control.sock")
      try await ServiceFixture.with(sandbox) { _, client in
        #expect(mode(path) == 0o600)
        let service = try await client.perform(ServiceShowRequest())
        #expect(service != nil)
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("state"))
      #expect(!left.contains { $0.hasPrefix("control.sock") }, "\(left)")
    }
  }

  @Test("a socket that a killed service has left is replaced; what is no socket is not")
  func left() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("state/control.sock")
      try await ServiceFixture.with(sandbox, prepare: { _ in try #require(mknod(path, S_IFSOCK | 0o755, 0) == 0) }) {
        _, client in
        #expect(mode(path) == 0o600)
        let service = try await client.perform(ServiceShowRequest())
        #expect(service != nil)
      }
      await #expect {
        try await ServiceFixture.with(sandbox, prepare: { _ in try #require(symlink("/dev/null", path) == 0) }) {
          _, _ in
        }
      } throws: {
        ($0 as? GatewayError)?.code == "control_socket"
      }
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
    }
  }

  @Test(
    "another user's program at the socket is told nothing",
    .enabled(if: ForeignListener.isPossible, "only root can start a program of another user"))
  func foreign() async throws {
    try await Sandbox.with { sandbox in
      let folder = sandbox.path("state")
      try #require(mkdir(folder, 0o700) == 0 && chmod(folder, 0o777) == 0)
      let listener = try await onOwnThread { try ForeignListener(socketPath: folder + "/control.sock") }
      let client = try ControlClient(stateFolder: URL(filePath: folder))
      await #expect {
        try await client.perform(ServiceFixture.submission())
      } throws: {
        ($0 as? GatewayError)?.code == "foreign_service"
      }
      let partner = ControlPartner<EventDescription>(patience: Patience()) { _ in }
      await #expect {
        try await client.converse(EventsRequest(after: 0, follows: false), with: partner)
      } throws: {
        ($0 as? GatewayError)?.code == "foreign_service"
      }
      let (connections, bytes) = try await onOwnThread { try listener.end() }
      #expect(connections == 2 && bytes == 0)
    }
  }
}
