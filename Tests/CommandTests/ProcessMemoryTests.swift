import Foundation
import TestSupport
import Testing

/// What lies in the host's memory stays there: tokens, keys, readings.
@Suite("The memory of the host", .timeLimit(.minutes(60))) struct ProcessMemoryTests {
  /// The program behind a shell that allows core files of any size.
  private func receiver(in sandbox: Sandbox) async throws -> Program {
    let accounts = try sandbox.file("accounts", "o:u:token-of-this-user-1\n")
    let program = try Installation.shared().program.path
    let words = [program, "receive", "--database", sandbox.path("r.sqlite"), "--port", "0", "--accounts", accounts]
    let receiver = try Program(
      ["-c", "ulimit -c unlimited; exec \"$@\"", "sh"] + words, in: sandbox, program: URL(filePath: "/bin/sh"))
    try await receiver.line(with: "listening", on: .err)
    return receiver
  }

  @Test func isInNoCoreFileAndNoBacktrace() async throws {
    try await Sandbox.with { sandbox in
      let receiver = try await receiver(in: sandbox)
      let pid = try #require(receiver.pid)
      let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
      let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
      #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
      #expect(Glibc.kill(pid, SIGABRT) == 0)
      let done = await receiver.outcome()
      #expect(done.isSignalled && done.status == SIGABRT)
      #expect(!done.err.contains("Registers"), "\(done.err)")
      let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path)
      #expect(!left.contains { $0.hasPrefix("core") }, "\(left)")
    }
  }

  /// proc(5): what belongs to a process that lets nobody look belongs to root.
  @Test(.enabled(if: getuid() != 0, "root may look anywhere"))
  func isNotForOtherProcessesOfItsUser() async throws {
    try await Sandbox.with { sandbox in
      let receiver = try await receiver(in: sandbox)
      let pid = try #require(receiver.pid)
      let owner = try FileManager.default.attributesOfItem(atPath: "/proc/\(pid)/mem")[.ownerAccountID] as? Int
      #expect(owner == 0)
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  /// A TLS library writes a connection's keys down as soon as the server has answered, whether it is believed or not.
  @Test func keysOfConnectionsAreWrittenNowhere() async throws {
    try await Sandbox.with { sandbox in
      let (certificate, key) = (sandbox.path("server.pem"), sandbox.path("server.key"))
      let made = try await onOwnThread {
        try ChildProcess.run(
          tool: "openssl",
          [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
          ])
      }
      try #require(made.status == 0, "\(made.err)")
      let server = try Program(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key], in: sandbox,
        input: nil, program: URL(filePath: "/usr/bin/env"))
      let said = try await server.line(with: "ACCEPT 127.0.0.1:")
      let port = try #require(said.split(separator: ":").last.flatMap { Int($0) })
      let keys = sandbox.path("keys")
      let done = try await Program.run(
        ["session", "start", "--user", "u", "--organization", "o", "--receiver", "https://127.0.0.1:\(port)"],
        in: sandbox, input: Array("token-of-this-user-1".utf8), environment: ["SSLKEYLOGFILE": keys])
      // The server was talked to: its certificate is nobody's.
      #expect(done.status == 0 && (done.out + done.err).contains("TLS was refused"), "\(done.err)")
      #expect(!FileManager.default.fileExists(atPath: keys))
      server.kill()
      _ = await server.outcome()
    }
  }
}
