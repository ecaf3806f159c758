import Foundation
import TestSupport
import Testing

/// The page on the control interface, typed as it stands: every `sh` block in its order, beside a service, with the answers that
/// the `text` block behind it promises.
@Suite("The examples of the control interface", .timeLimit(.minutes(60))) struct ControlGuideTests {
  private static let hasCurl = ["/usr/bin/curl", "/usr/local/bin/curl", "/bin/curl"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test("are true", .enabled(if: ControlGuideTests.hasCurl, "the examples need curl, which is not installed here"))
  func theExamplesAreTrue() async throws {
    let page = CompiledBundle.root.appending(path: "docs/reference/control-interface.md")
    let steps = GuideStep.all(in: try String(contentsOf: page, encoding: .utf8))
    try #require(steps.count >= 6 && steps.allSatisfy { $0.commands.contains("SOCKET") })
    try await KeyedMeterFixture.with { fixture in
      let sandbox = fixture.sandbox
      try await Program.startSession(in: sandbox)
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      let environment = ["METERHOST_STATE": sandbox.path("state"), "PATH": "/usr/local/bin:/usr/bin:/bin"]
      let root = sandbox.root
      for step in steps {
        // The first block says where the socket is, for all that follow.
        let commands = "\(steps[0].commands)\n\(step.commands)"
        let done = try await onOwnThread {
          try ChildProcess.run(URL(filePath: "/bin/sh"), ["-euc", commands], environment: environment, folder: root)
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
}
