import DeliverySupport
import Foundation
import Glibc
import TestSupport

/// A mosquitto of one test: Debian's package, installed, or unpacked where `METERHOST_MOSQUITTO` says (scripts/mqtt-test).
final class Mosquitto: Sendable {
  private static let root = ProcessInfo.processInfo.environment["METERHOST_MOSQUITTO"] ?? "/usr"
  private static let program = URL(filePath: "\(root)/sbin/mosquitto")
  /// Whether there is one.
  static let isPossible = FileManager.default.isExecutableFile(atPath: program.path)

  struct Failure: Error {
    let said: String
  }

  let port: Int
  private let sandbox: Sandbox
  private let process: ChildProcess

  /// Starts one with lines of mosquitto.conf(5) beside its listener's.
  init(_ sandbox: Sandbox, port given: Int? = nil, _ lines: [String]) async throws {
    let port = try given ?? Self.freePort()
    (self.sandbox, self.port) = (sandbox, port)
    let user = String(cString: getpwuid(geteuid()).pointee.pw_name)
    let text = (["user \(user)", "listener \(port) 127.0.0.1"] + lines).joined(separator: "\n") + "\n"
    let file = try sandbox.file("mosquitto-\(port).conf", text)
    let process = try ChildProcess(Self.program, ["-c", file], output: .null, errors: .pipe)
    self.process = process
    let errors = try process.errors()
    try await onOwnThread {
      var said = ""
      // It says "mosquitto version 2.0.11 running" when it listens.
      while !said.contains(" running") {
        let next = try errors.nextBytes()
        guard !next.isEmpty else { throw Failure(said: said) }
        said += String(decoding: next, as: UTF8.self)
      }
      // What it says later must not fill the pipe.
      Thread { while let next = try? errors.nextBytes(), !next.isEmpty {} }.start()
    }
  }

  /// A file of passwords with one user.
  static func passwords(_ sandbox: Sandbox, user: String, password: String) async throws -> String {
    let file = sandbox.path("passwords")
    let done = try await onOwnThread {
      try ChildProcess.run(URL(filePath: "\(root)/bin/mosquitto_passwd"), ["-b", "-c", file, user, password])
    }
    guard done.status == 0 else { throw Failure(said: done.err) }
    return file
  }

  /// Ends it as a power cut would.
  func kill() async throws {
    process.signal(SIGKILL)
    _ = try await onOwnThread { [process] in process.waitForEnd() }
  }

  private static func freePort() throws -> Int {
    let (descriptor, port) = try listenAtLoopback(backlog: 1)
    close(descriptor)
    return Int(port)
  }
}
