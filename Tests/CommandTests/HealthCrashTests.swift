import Foundation
import TestSupport
import Testing

/// `meterhost health import`, killed at system calls all over its work: what it reads, queues and delivers. The receiver compares.
@Suite(
  "An import that is killed", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")),
  .timeLimit(.minutes(60)))
struct HealthCrashTests {
  /// Calls that write the queue or make it durable.
  private static let calls = "pwrite64,fdatasync"

  /// How many places an import is killed at.
  static let places = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1" ? 200 : 16

  private static let zone = ["--zone", "Europe/Berlin"]

  private static func command(_ file: String) -> [String] {
    ["health", "import", file, "--all", "--sets", "routine,sleep,weight", "--json"]
  }

  @Test("has lost nothing and doubled nothing when it is done again") func killed() async throws {
    let text = HealthImportTests.export(days: 28)
    let strace = URL(filePath: "/usr/bin/strace")
    let whole = try await Sandbox.with { sandbox in
      let receiver = try await Program.startReceiver(in: sandbox, options: Self.zone).receiver
      let file = try sandbox.file("export.xml", text)
      let traced = try await Program(
        ["-f", "-c", "-o", sandbox.path("count"), "-e", "trace=\(Self.calls)", Installation.shared().program.path]
          + Self.command(file), in: sandbox, program: strace
      ).outcome()
      try #require(traced.status == 0, "\(traced.err)")
      let count = try Self.count(String(contentsOfFile: sandbox.path("count"), encoding: .utf8))
      receiver.interrupt()
      _ = await receiver.outcome()
      return (rows: try ReceiverRows.stored(in: sandbox), calls: count)
    }
    #expect(whole.rows.count == 84 && whole.calls > Self.places, "\(whole.calls)")
    var killed = 0
    for place in 0..<Self.places {
      let number = 1 + place * whole.calls / Self.places
      try await Sandbox.with { sandbox in
        let receiver = try await Program.startReceiver(in: sandbox, options: Self.zone).receiver
        let file = try sandbox.file("export.xml", text)
        let cut = try await Program(
          [
            "-f", "-qqq", "-o", sandbox.path("trace"), "-e", "trace=\(Self.calls)", "-e",
            "inject=\(Self.calls):signal=SIGKILL:when=\(number)", try Installation.shared().program.path,
          ] + Self.command(file), in: sandbox, program: strace
        ).outcome()
        if cut.isSignalled || cut.status == 128 + SIGKILL { killed += 1 }
        waitUntilFree(stateFolder: URL(filePath: sandbox.path("state")))
        let again = try await Program.run(Self.command(file), in: sandbox)
        #expect(again.status == 0, "killed at \(number): \(again.err)")
        receiver.interrupt()
        _ = await receiver.outcome()
        #expect(try ReceiverRows.stored(in: sandbox) == whole.rows, "killed at \(number)")
      }
    }
    // Each thread counts its calls for itself, so that late places may lie behind its end.
    #expect(killed > Self.places / 4, "\(killed) of \(Self.places) were killed")
  }

  /// The calls of a table of strace.
  private static func count(_ table: String) -> Int {
    table.split(separator: "\n").reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard words.count >= 5, calls.contains(words[words.count - 1]) else { return sum }
      return sum + (Int(words[3]) ?? 0)
    }
  }
}
