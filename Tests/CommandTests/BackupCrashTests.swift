import Foundation
import TestSupport
import Testing

/// `backup` and `restore`, killed at system calls all over their work.
@Suite(
  "Backups and restores that are killed", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")),
  .timeLimit(.minutes(60)))
struct BackupCrashTests {
  /// Calls that write a file, make it last, or give it its name.
  private static let calls = "write,pwrite64,fsync,fdatasync,rename,unlink,link,mkdir"
  /// How many places each is killed at.
  private static let places = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1" ? 100 : 16

  /// Runs a command under strace, which kills it at a call; nil lets it run, and counts.
  private static func run(_ arguments: [String], killedAt number: Int?, _ sandbox: Sandbox) async throws -> Outcome {
    let program = try Installation.shared().program.path
    let inject = number.map { ["-e", "inject=\(calls):signal=SIGKILL:when=\($0)"] } ?? ["-c"]
    return try await Program(
      ["-f", "-qqq", "-o", sandbox.path("trace"), "-e", "trace=\(calls)"] + inject + [program] + arguments, in: sandbox,
      input: Array(BackupCommandTests.passphrase.utf8), program: URL(filePath: "/usr/bin/strace")
    ).outcome()
  }

  /// How many calls a command makes, by the table of strace.
  private static func count(_ arguments: [String], _ sandbox: Sandbox) async throws -> Int {
    let done = try await run(arguments, killedAt: nil, sandbox)
    try #require(done.status == 0, "\(done.err)")
    let names = calls.split(separator: ",")
    return try String(contentsOfFile: sandbox.path("trace"), encoding: .utf8).split(separator: "\n").reduce(0) {
      sum, line in
      let words = line.split(separator: " ")
      guard words.count >= 5, let name = words.last, names.contains(name) else { return sum }
      return sum + (Int(words[3]) ?? 0)
    }
  }

  private static func isKilled(_ outcome: Outcome) -> Bool { outcome.isSignalled || outcome.status == 128 + SIGKILL }

  @Test("a backup that is killed leaves the earlier one or a whole new one, and the gateway as it was")
  func backup() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await BackupCommandTests.submit(2, in: sandbox)
      let command = ["backup", sandbox.path("g.mhbackup"), "--json"]
      let calls = try await Self.count(command, sandbox)
      let waiting = try await BackupCommandTests.waiting(sandbox)
      var killed = 0
      for place in 0..<Self.places {
        let number = 1 + place * calls / Self.places
        if Self.isKilled(try await Self.run(command, killedAt: number, sandbox)) { killed += 1 }
        waitUntilFree(stateFolder: URL(filePath: sandbox.path("state")))
        let verified = try await BackupCommandTests.verify(sandbox)
        #expect(verified.status == 0, "killed at \(number): \(verified.err)")
        #expect(try await BackupCommandTests.waiting(sandbox) == waiting, "killed at \(number)")
        #expect(!FileManager.default.fileExists(atPath: sandbox.path("state/snapshot")), "killed at \(number)")
      }
      #expect(killed > Self.places / 4, "\(killed) of \(Self.places) were killed")
    }
  }

  @Test("a restore that is killed leaves no state folder or a whole one, and can be done again")
  func restore() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      try await BackupCommandTests.submit(2, in: sandbox)
      try #require(try await BackupCommandTests.backup(sandbox, ["--with-key"]).status == 0)
      let waiting = try await BackupCommandTests.waiting(sandbox)
      let command = { (state: String) in
        ["restore", sandbox.path("g.mhbackup"), "--state", sandbox.path(state), "--json"]
      }
      let calls = try await Self.count(command("whole"), sandbox)
      var killed = 0
      for place in 0..<Self.places {
        let (number, state) = (1 + place * calls / Self.places, "new-\(place)")
        if Self.isKilled(try await Self.run(command(state), killedAt: number, sandbox)) { killed += 1 }
        let folder = URL(filePath: sandbox.path(state))
        if FileManager.default.fileExists(atPath: folder.path) { waitUntilFree(stateFolder: folder) }
        if FileManager.default.fileExists(atPath: folder.appending(path: "restoring").path) {
          let refused = try await Program.run(["queue", "list", "--json", "--state", folder.path], in: sandbox)
          #expect(try refused.jsonError()["code"] as? String == "missing_database", "killed at \(number)")
        }
        if !FileManager.default.fileExists(atPath: folder.appending(path: "commits").path)
          || FileManager.default.fileExists(atPath: folder.appending(path: "restoring").path)
        {
          let again = try await BackupCommandTests.restore(sandbox, to: state)
          #expect(again.status == 0, "killed at \(number): \(again.err)")
        }
        #expect(try await BackupCommandTests.waiting(sandbox, state) == waiting, "killed at \(number)")
      }
      #expect(killed > Self.places / 4, "\(killed) of \(Self.places) were killed")
    }
  }
}
