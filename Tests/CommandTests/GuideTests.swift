import Foundation
import TestSupport
import Testing

/// Whether this machine can compile Rust: nothing else of the project needs it.
enum RustTools {
  static let areHere = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .contains { FileManager.default.isExecutableFile(atPath: "\($0)/cargo") }
}

/// The guides, typed as they stand: every `sh` block in its order, each with the answers that the `text` block behind it
/// promises.
@Suite(.timeLimit(.minutes(60))) struct GuideTests {
  @Test(arguments: [
    ("ship-a-meter", "driver new --language swift"), ("read-an-export", "driver new --kind import --language c"),
    ("health-exports", "health import export.xml --dry-run"),
    ("my-reading-did-not-arrive", "driver why 10500"),
  ])
  func theGuideIsTrue(_ page: String, _ command: String) async throws {
    try await run(page, command, atLeast: 8)
  }

  @Test(.enabled(if: RustTools.areHere, "there is no cargo on the PATH"))
  func theGuideInRustIsTrue() async throws {
    try await run("drivers-in-rust", "driver new --language rust", atLeast: 4)
  }

  private func run(_ page: String, _ command: String, atLeast count: Int) async throws {
    let guide = try String(contentsOf: CompiledBundle.root.appending(path: "docs/\(page).md"), encoding: .utf8)
    let steps = GuideStep.all(in: guide)
    #expect(steps.count >= count && steps.contains { $0.commands.contains(command) })
    try await Sandbox.with { sandbox in
      // The guide is read in a checkout: what it compiles by hand lies there.
      for folder in ["SDK", "docs"] {
        try FileManager.default.createSymbolicLink(
          at: sandbox.root.appending(path: folder), withDestinationURL: CompiledBundle.root.appending(path: folder))
      }
      let inherited = ProcessInfo.processInfo.environment
      let programs = try Installation.shared().program.deletingLastPathComponent().path
      let environment = [
        "HOME": inherited["HOME"] ?? "/root", "PATH": "\(programs):\(inherited["PATH"] ?? "/usr/bin:/bin")",
        "TMPDIR": sandbox.root.path, "METERHOST_STATE": sandbox.path("state"), "METERHOST_LOG": "error",
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
    }
  }
}
