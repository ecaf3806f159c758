import Foundation
import Glibc
import TestSupport
import Testing

/// More connections than the process may have descriptors.
@Suite(.timeLimit(.minutes(60))) struct DescriptorFloodTests {
  private static let descriptors = 96

  /// Connections to a Unix socket that say nothing.
  private final class Crowd: Sendable {
    private let sockets: [Int32]

    init(_ count: Int, at path: String) throws {
      var sockets: [Int32] = []
      for _ in 0..<count {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw RawHTTP.Failure(reason: "socket: \(errno)") }
        sockets.append(socket)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // Waits while as many others wait to be accepted.
        let result = withUnsafePointer(to: address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        guard result == 0 else { throw RawHTTP.Failure(reason: "connect: \(errno)") }
      }
      self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
  }

  private static func limited(_ arguments: [String], in sandbox: Sandbox) throws -> Program {
    let program = try Installation.shared().program.path
    return try Program(
      ["--nofile=\(descriptors):\(descriptors)", program] + arguments, in: sandbox,
      program: URL(filePath: "/usr/bin/prlimit"))
  }

  @Test("the host lives, serves its owner meanwhile and keeps what it is given")
  func host() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let service = try Self.limited(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let crowd = try await onOwnThread { try Crowd(4 * Self.descriptors, at: sandbox.path("state/control.sock")) }
      let value = #"{"metric": "body_weight", "value": 70.5, "unit": "kg"}"#
      let file = try sandbox.file(
        "record.json", #"{"type": "weight", "time": "2026-03-01T08:00:00Z", "values": [\#(value)]}"#)
      let submitted = try await Program.run(["submit", "record", file, "--json"], in: sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
      #expect(try submitted.objects().map { $0["outcome"] as? String } == ["new"])
      withExtendedLifetime(crowd) {}
      let listed = try await Program.run(["queue", "list", "--json"], in: sandbox)
      #expect(listed.status == 0 && listed.lines.count == 1, "\(listed.err)")
      service.interrupt()
      let ended = await service.outcome()
      #expect(ended.status == 0 && !ended.isSignalled, "\(ended.err)")
    }
  }

  @Test("the receiver lives and answers others meanwhile")
  func receiver() async throws {
    try await Sandbox.with { sandbox in
      let path = sandbox.path("http.sock")
      let receiver = try Self.limited(
        ["receive", "--database", sandbox.path("receiver.sqlite"), "--socket", path, "--json"], in: sandbox)
      let line = try await receiver.line(with: "listening")
      #expect(try Outcome.object(line)["url"] as? String == "http+unix://" + path.replacing("/", with: "%2F"))
      let crowd = try await onOwnThread { try Crowd(4 * Self.descriptors, at: path) }
      let said = try await onOwnThread {
        try ChildProcess.run(
          tool: "curl", ["-s", "--retry", "5", "--retry-all-errors", "--unix-socket", path, "http://localhost/healthz"]
        )
        .out
      }
      #expect(said == #"{"status":"ok"}"#)
      withExtendedLifetime(crowd) {}
      receiver.interrupt()
      let ended = await receiver.outcome()
      #expect(ended.status == 0 && !ended.isSignalled, "\(ended.err)")
    }
  }
}
