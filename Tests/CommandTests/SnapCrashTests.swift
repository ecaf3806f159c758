import Foundation
import TestSupport
import Testing

/// `snap read` is killed at calls by which it changes the disk: a reading that was said to be kept is there, with its picture,
/// and nothing is there twice.
@Suite("A display's reading on a machine that stops", .timeLimit(.minutes(60))) struct SnapCrashTests {
  private static let command = [
    "snap", "read", "--peripheral", "10101", "--demo", "121\\n79\\n64", "--yes", "--trust-clock", "--json",
  ]
  /// The calls that write a file of the queue, that make it last and that take it away, and in which steps they are gone
  /// through.
  private static let calls = [
    (name: "fdatasync", file: "state.sqlite-wal", step: 1), (name: "pwrite64", file: "state.sqlite-wal", step: 9),
    (name: "pwrite64", file: "state.sqlite", step: 6), (name: "fdatasync", file: "state.sqlite", step: 1),
    (name: "unlink", file: "state.sqlite-wal", step: 1),
  ]
  /// More than one reading makes.
  private static let mostCalls = 500

  /// What the queue holds.
  private struct Kept: Equatable {
    var readings: Set<String>
    var pictures: Set<String>
  }

  @Test func nothingAcknowledgedIsLostAndNothingIsThereTwice() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      #expect(started.status == 0, "\(started.err)")
      _ = try await Program.run(["queue", "pause", "--json"], in: sandbox)
      #expect(try await killEverywhere(sandbox) > 0)
      try await killBehindItsWord(sandbox)
      let resumed = try await Program.run(["queue", "resume", "--json"], in: sandbox)
      let flushed = try await Program.run(["queue", "flush", "--json"], in: sandbox)
      #expect(resumed.status == 0 && flushed.status == 0, "\(flushed.err)")
      #expect(try await kept(sandbox) == Kept(readings: [], pictures: []))
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  /// As soon as the program has said that the reading is submitted.
  private func killBehindItsWord(_ sandbox: Sandbox) async throws {
    let before = try await kept(sandbox)
    let program = try Program(Self.command, in: sandbox)
    try await program.line(with: #""event":"submitted""#)
    program.kill()
    _ = await program.outcome()
    let after = try await kept(sandbox)
    #expect(after.readings.subtracting(before.readings).count == 1 && after.pictures == after.readings)
  }

  /// Returns how many runs were killed. strace counts calls by threads: where a kill comes differs from run to run.
  private func killEverywhere(_ sandbox: Sandbox) async throws -> Int {
    var before = try await kept(sandbox), killed = 0
    for call in Self.calls {
      for number in stride(from: 1, to: Self.mostCalls, by: call.step) {
        let done = try await run(sandbox, killedAt: call.name, of: call.file, number)
        let wasKilled = done.status != 0
        let after = try await kept(sandbox)
        let place = "\(call.name) \(number) of \(call.file)"
        #expect(after.readings.isSuperset(of: before.readings) && after.pictures == after.readings, "\(place)")
        let new = after.readings.subtracting(before.readings)
        #expect(new.count <= 1, "\(place)")
        if done.out.contains(#""event":"submitted""#) { #expect(new.count == 1, "\(place): \(done.out.suffix(300))") }
        before = after
        guard wasKilled else { break }
        killed += 1
      }
    }
    return killed
  }

  private func run(
    _ sandbox: Sandbox, killedAt call: String, of file: String, _ number: Int
  ) async throws -> ChildProcess.Outcome {
    let program = try Installation.shared().program.path
    return try await onOwnThread {
      try ChildProcess.run(
        URL(filePath: "/usr/bin/strace"),
        [
          "-f", "--seccomp-bpf", "-qqq", "-o", sandbox.path("trace"), "-e", "trace=\(call)", "-P",
          "\(sandbox.path("state"))/\(file)", "-e", "inject=\(call):signal=SIGKILL:when=\(number)", "--", program,
        ] + Self.command,
        environment: try Program.environment(of: sandbox))
    }
  }

  private func kept(_ sandbox: Sandbox) async throws -> Kept {
    func names(_ list: String) async throws -> Set<String> {
      let done = try await Program.run(["queue", list, "--json"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let names = try done.objects().compactMap { $0["log_id"] as? String }
      #expect(Set(names).count == names.count, "\(list): \(names)")
      return Set(names)
    }
    return Kept(readings: try await names("list"), pictures: try await names("images"))
  }
}
