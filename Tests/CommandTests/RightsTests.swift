import Foundation
import TestSupport
import Testing

/// A right that a service manager hands over is the host's own.
@Suite("The rights of the host", .timeLimit(.minutes(60))) struct RightsTests {
  static let tool = "/usr/bin/setpriv"

  /// What the kernel says of a set of capabilities of a process.
  private func capabilities(_ name: String, of process: String) throws -> Substring? {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status.split(separator: "\n").first { $0.hasPrefix("\(name):") }?.split(separator: "\t").last
  }

  @Test(
    .enabled(
      if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: RightsTests.tool),
      "only root can hand a right over"))
  func areNotPassedOn() async throws {
    try await Sandbox.with { sandbox in
      let installation = try Installation.shared()
      let meter = installation.meters.appending(path: "contour-next-one.json").path
      let handingOver = ["--inh-caps=+kill", "--ambient-caps=+kill"]
      let program = try Program(
        handingOver + [installation.program.path, "meter", "run", meter, "--air", sandbox.path("air")], in: sandbox,
        program: URL(filePath: Self.tool))
      try await program.line(with: "Ctrl-C", on: .err)
      let pid = try #require(program.pid)
      #expect(try capabilities("CapAmb", of: "\(pid)") == "0000000000000000")
      // It keeps what it has.
      #expect(try capabilities("CapEff", of: "\(pid)") != "0000000000000000")
      program.interrupt()
      _ = await program.outcome()
    }
  }
}
