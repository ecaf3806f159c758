import Foundation
import TestSupport
import Testing

/// What whoever runs a receiver is told, typed as it stands; and what systemd is told about it.
@Suite("The guide of a receiver", .timeLimit(.minutes(60))) struct ReceiverGuideTests {
  private static func hasTool(_ name: String) -> Bool { access("/usr/bin/\(name)", X_OK) == 0 }

  @Test(
    "is true from the first user to the backup",
    .enabled(if: hasTool("sqlite3") && hasTool("curl"), "Debian's packages sqlite3 and curl are not installed"))
  func guide() async throws {
    let steps = try await run("docs/run-a-receiver.md")
    #expect(steps.count == 5 && steps.allSatisfy { $0.commands.contains("\n") })
  }

  @Test("of a fleet is true up to the message server's configuration") func fleet() async throws {
    #expect(try await run("docs/run-a-fleet.md").count == 2)
  }

  /// Types what a guide says, one step after the other.
  private func run(_ guide: String) async throws -> [GuideStep] {
    let page = try String(contentsOf: CompiledBundle.root.appending(path: guide), encoding: .utf8)
    let steps = GuideStep.all(in: page)
    try await Sandbox.with { sandbox in
      let programs = try Installation.shared().receiver.deletingLastPathComponent().path
      let environment = ["HOME": sandbox.root.path, "PATH": "\(programs):/usr/bin:/bin", "TMPDIR": sandbox.root.path]
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
    }
    return steps
  }

  @Test(
    "has a unit that systemd finds confined",
    .enabled(if: hasTool("systemd-analyze"), "systemd-analyze is not installed"))
  func unit() async throws {
    let unit = CompiledBundle.root.appending(path: "packaging/systemd/meterhost-receiver.service")
    let told = try await onOwnThread {
      try ChildProcess.run(tool: "systemd-analyze", ["security", "--offline=true", "--no-pager", unit.path])
    }
    let line = try #require(told.lines.last { $0.contains("Overall exposure level") }, "\(told.err)")
    let level = try #require(line.split(separator: ": ").last?.split(separator: " ").first.flatMap { Double($0) })
    #expect(level <= 2.5, "\(line)")
  }

  @Test("names in its unit what the program reads") func names() async throws {
    let unit = try String(
      contentsOf: CompiledBundle.root.appending(path: "packaging/systemd/meterhost-receiver.service"), encoding: .utf8)
    for line in [
      "Type=notify", "ExecStart=/usr/bin/meterhost-receiver serve", "User=meterhost-receiver",
      "StateDirectory=meterhost-receiver", "LoadCredentialEncrypted=meterhost-receiver.database",
    ] {
      #expect(unit.split(separator: "\n").contains(Substring(line)), "\(line)")
    }
    let users = try String(
      contentsOf: CompiledBundle.root.appending(path: "packaging/sysusers.d/meterhost-receiver.conf"), encoding: .utf8)
    #expect(users.contains("u     meterhost-receiver "))
  }
}
