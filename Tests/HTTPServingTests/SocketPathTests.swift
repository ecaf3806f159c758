import Foundation
import TestSupport
import Testing

@testable import HTTPServing

@Suite struct SocketPathTests {
  /// Listens as a server does.
  private final class Listener {
    let descriptor: Int32

    init(at path: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let bound = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(bound == 0 && listen(descriptor, 1) == 0)
    }

    deinit { close(descriptor) }
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("the socket has its mode before anybody can reach it", arguments: [SocketPath.Access.user, .group])
  func published(_ access: SocketPath.Access) async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("receiver.sock")
      let place = try SocketPath(path, access: access)
      let listener = try Listener(at: place.bindPath)
      #expect(!FileManager.default.fileExists(atPath: path))
      try place.publish()
      #expect(try mode(path) == (access == .user ? 0o600 : 0o660))
      // Whoever comes second finds it taken.
      #expect(throws: SocketPath.Failure.self) { try SocketPath(path, access: .user) }
      place.remove()
      #expect(!FileManager.default.fileExists(atPath: path))
      withExtendedLifetime(listener) {}
    }
  }

  @Test("what was left behind is replaced, and nothing else is")
  func stale() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("receiver.sock")
      do { _ = try Listener(at: path) }
      #expect(FileManager.default.fileExists(atPath: path))
      let place = try SocketPath(path, access: .user)
      let listener = try Listener(at: place.bindPath)
      try place.publish()
      withExtendedLifetime(listener) {}
      let file = sandbox.path("file")
      try Data("kept".utf8).write(to: URL(filePath: file))
      #expect(throws: SocketPath.Failure.self) { try SocketPath(file, access: .user) }
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    }
  }

  @Test("another server's socket stays")
  func others() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("receiver.sock")
      let place = try SocketPath(path, access: .user)
      let listener = try Listener(at: place.bindPath)
      try place.publish()
      unlink(path)
      let other = try Listener(at: path)
      place.remove()
      #expect(FileManager.default.fileExists(atPath: path))
      withExtendedLifetime((listener, other)) {}
    }
  }

  @Test("nothing is left beside the path", arguments: ["", "no/such/folder/s", String(repeating: "x", count: 200)])
  func refused(_ name: String) async throws {
    try await Sandbox.with { sandbox in
      let path = name.isEmpty ? name : sandbox.path(name)
      #expect(throws: SocketPath.Failure.self) { try SocketPath(path, access: .user) }
      do { _ = try SocketPath(sandbox.path("s"), access: .user) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("")).isEmpty)
    }
  }
}
