import Foundation
import TestSupport
import Testing

/// The page on exports that come by themselves, typed as it stands: every `sh` block in its order, beside a service, with the answers that
/// the `text` block behind it promises. Only the port is another one: that of the page may be taken here.
@Suite("The examples of exports that come by themselves", .timeLimit(.minutes(60))) struct IngestGuideTests {
  private static let hasTools = ["curl", "gzip"].allSatisfy { tool in
    ["/usr/bin", "/usr/local/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }

  @Test("are true", .enabled(if: IngestGuideTests.hasTools, "the examples need curl and gzip, which are not both here"))
  func theExamplesAreTrue() async throws {
    let page = CompiledBundle.root.appending(path: "docs/reference/health-ingest.md")
    let port = try Self.freePort()
    let text = try String(contentsOf: page, encoding: .utf8).replacing("127.0.0.1:8099", with: "127.0.0.1:\(port)")
    let steps = GuideStep.all(in: text)
    try #require(steps.count >= 8 && steps[0].commands.contains("\(port)"))
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let programs = try Installation.shared().program.deletingLastPathComponent().path
      let environment = [
        "HOME": sandbox.root.path, "PATH": "\(programs):/usr/local/bin:/usr/bin:/bin", "TMPDIR": sandbox.root.path,
        "METERHOST_STATE": sandbox.path("state"), "METERHOST_LOG": "error",
      ]
      let root = sandbox.root
      for step in steps {
        let done = try await onOwnThread {
          try ChildProcess.run(
            URL(filePath: "/bin/sh"), ["-euc", step.commands], environment: environment, folder: root)
        }
        let said = done.out + done.err
        #expect(done.status == 0, "\(step.commands)\n\(said)")
        for answer in step.answers { #expect(said.contains(answer), "\(step.commands)\n\(said)") }
        guard done.status == 0 else { break }
      }
      service.interrupt()
      #expect(await service.outcome().status == 0)
    }
  }

  /// A port at which nobody listens at this moment.
  static func freePort() throws -> Int {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(socket >= 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        bind(socket, place, length) == 0 && getsockname(socket, place, &length) == 0
      }
    }
    try #require(result)
    return Int(in_port_t(bigEndian: address.sin_port))
  }
}
