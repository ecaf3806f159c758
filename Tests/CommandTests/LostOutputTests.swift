import Foundation
import TestSupport
import Testing

/// A command that has done something and cannot say so must not look as if it had failed: who repeats it has a reading twice.
@Suite("Standard output that cannot be written", .timeLimit(.minutes(60))) struct LostOutputTests {
  private static let value = #"{"metric": "body_weight", "value": 70.5, "unit": "kg"}"#
  private static let record = #"{"type": "weight", "time": "2026-03-01T08:00:00Z", "values": [\#(value)]}"#

  private static func fullDisk() throws -> FileHandle { try FileHandle(forWritingTo: URL(filePath: "/dev/full")) }

  /// The end to write into of a pipe that nobody reads.
  private static func deserted() throws -> FileHandle {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return pipe.fileHandleForWriting
  }

  private static func run(_ arguments: [String], in sandbox: Sandbox, to output: FileHandle) async throws -> Outcome {
    await (try Program(arguments, in: sandbox, output: output)).outcome()
  }

  /// Runs the program with streams that are closed, in a shell's words, or as a shell's words say.
  private static func run(_ arguments: [String], in sandbox: Sandbox, closing words: String) async throws -> Outcome {
    let program = try Installation.shared().program.path
    return try await Program(
      ["-c", "exec \"$@\" \(words)", "sh", program] + arguments, in: sandbox, program: URL(filePath: "/bin/sh")
    ).outcome()
  }

  private static func names(in sandbox: Sandbox) async throws -> [String] {
    try await Program.run(["queue", "list", "--json"], in: sandbox).objects().compactMap { $0["log_id"] as? String }
  }

  @Test("what was submitted is named on standard error, with a status of its own", arguments: [["--json"], []])
  func submitted(options: [String]) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let file = try sandbox.file("record.json", Self.record)
      let done = try await Self.run(
        ["submit", "record", file, "--no-upload"] + options, in: sandbox, to: Self.fullDisk())
      #expect(done.status == 74, "\(done.err)")
      let name = try #require(try await Self.names(in: sandbox).first)
      #expect(done.err.contains(name), "\(done.err)")
      #expect(done.err.contains("No space left on device") && done.err.contains("do not do it again"), "\(done.err)")
      if !options.isEmpty { #expect(try done.jsonError()["code"] as? String == "output_lost") }
    }
  }

  /// Each says on standard error what it would have said, and has done it once.
  @Test func everyCommandThatChangesSomethingSaysThatItIsDone() async throws {
    try await Sandbox.with { sandbox in
      let start = [
        "session", "start", "--user", "u", "--organization", "o", "--receiver", "http://127.0.0.1:9", "--token-file",
        try sandbox.file("token", "token-of-this-user-1"),
      ]
      let file = try sandbox.file("record.json", Self.record)
      func lost(_ arguments: [String], _ words: String, line: Int = #line) async throws {
        let done = try await Self.run(arguments, in: sandbox, to: Self.fullDisk())
        #expect(done.status == 74 && done.err.contains(words), "\(arguments) of line \(line): \(done.err)")
      }
      try await lost(start, "session of u (o) started")
      try await lost(["submit", "record", file, "--no-upload", "--confirm-first"], "is taken")
      let name = try #require(try await Self.names(in: sandbox).first)
      try await lost(["queue", "edit", name, "--value", "body_weight=62"], "is corrected")
      try await lost(["queue", "confirm", name], "is released")
      try await lost(["queue", "pause"], "deliveries are paused")
      try await lost(["session", "end", "--json"], "recovery_file")
      let folder = sandbox.path("state/recovery")
      let left = try #require(
        try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix("jsonl") })
      try await lost(start + ["--json"], #""validated":false"#)
      try await lost(["session", "recover", "\(folder)/\(left)", "--no-upload"], "readings and")
      #expect(try await Self.names(in: sandbox) == [name])
      try await lost(["queue", "discard", name, "--pending"], "is thrown away")
      #expect(try await Self.names(in: sandbox).isEmpty)
    }
  }

  @Test(
    "where it is known beforehand, nothing is done",
    arguments: [">&-", "<&- >&- 2>&-", "1</dev/null", "| true", "--json >&-"])
  func refused(words: String) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let file = try sandbox.file("record.json", Self.record)
      let arguments = ["submit", "record", file, "--no-upload"]
      let done =
        words == "| true"
        ? try await Self.run(arguments, in: sandbox, to: Self.deserted())
        : try await Self.run(arguments, in: sandbox, closing: words)
      #expect(done.status == 69, "\(words): \(done.err)")
      if words.hasPrefix("--json") { #expect(try done.jsonError()["code"] as? String == "output_closed") }
      #expect(words.contains("2>&-") || done.err.contains("nothing was done"), "\(done.err)")
      #expect(try await Self.names(in: sandbox).isEmpty)
    }
  }

  @Test func aReaderThatGoesWhileTheCommandWorksIsNoSecret() async throws {
    try await Sandbox.with { sandbox in
      let (terminal, pipe) = (try PseudoTerminal(), Pipe())
      let program = try Program(
        ["session", "start", "--user", "u", "--organization", "o", "--receiver", "http://127.0.0.1:9"], in: sandbox,
        standardInput: terminal.program, output: pipe.fileHandleForWriting)
      try await program.line(with: "token (", on: .err)
      while terminal.echoes { await Task.yield() }
      try pipe.fileHandleForReading.close()
      try terminal.person.write(contentsOf: Data("token-of-this-user-1\n".utf8))
      let done = await program.outcome()
      #expect(done.status == 74 && !done.isSignalled, "\(done.err)")
      #expect(done.err.contains("session of u (o) started") && done.err.contains("do not do it again"), "\(done.err)")
      let shown = try await Program.run(["session", "show", "--json"], in: sandbox).objects()
      #expect(shown.map { $0["user"] as? String } == ["u"])
    }
  }

  @Test func aCommandThatOnlyLooksIsQuietWhenItsReaderGoesAndElseSaysWhy() async throws {
    try await Sandbox.with { sandbox in
      let list = ["peripherals", "list", "--json"]
      let gone = try await Self.run(list, in: sandbox, to: Self.deserted())
      #expect(gone.status == 0 && gone.err.isEmpty, "\(gone.err)")
      let full = try await Self.run(list, in: sandbox, to: Self.fullDisk())
      #expect(try full.status == 1 && full.jsonError()["code"] as? String == "output", "\(full.err)")
      for asked in [["settings"], ["support-key"]] {
        let look = try await Self.run(
          ["driver", "recordings"] + asked + ["--json"], in: sandbox, to: Self.fullDisk())
        #expect(try look.status == 1 && look.jsonError()["code"] as? String == "output", "\(asked): \(look.err)")
      }
      let closed = try await Self.run(list, in: sandbox, closing: ">&-")
      #expect(try closed.status == 1 && closed.jsonError()["code"] as? String == "output", "\(closed.err)")
    }
  }

  @Test(arguments: [true, false])
  func aReadGoesOnAndKeepsWhatItHasRead(isDeserted: Bool) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let script = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", script], in: sandbox)
      try await meter.line(with: "advertising")
      let done = try await Self.run(
        ["read", "1000", "--history", "--no-upload", "--json"], in: sandbox,
        to: isDeserted ? Self.deserted() : Self.fullDisk())
      meter.interrupt()
      _ = await meter.outcome()
      #expect(done.status == (isDeserted ? 0 : 74), "\(done.err)")
      #expect(done.err.contains("the work goes on without it"), "\(done.err)")
      #expect(!done.err.contains("is above"), "standard error has nothing of it: \(done.err)")
      #expect(try await Self.names(in: sandbox).count == 2)
    }
  }

  /// What is opened next would be a standard stream, and what is printed would go into it.
  @Test(arguments: ["<&- >&- 2>&-", "2>&-", "<&-"])
  func closedStreamsAreGivenToNobody(words: String) async throws {
    try await Sandbox.with { sandbox in
      let (program, trace) = (try Installation.shared().program.path, sandbox.path("trace"))
      let calls = "openat,socket,socketpair,eventfd2,epoll_create1,timerfd_create,memfd_create,inotify_init1"
      let shell = ["/bin/sh", "-c", "exec \"$@\" \(words)", "sh", program, "read", "1000", "--timeout", "0.1"]
      _ = try await Program(
        ["-f", "-qqq", "-o", trace, "-e", "trace=\(calls)"] + shell, in: sandbox,
        program: URL(filePath: "/usr/bin/strace")
      ).outcome()
      let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      #expect(lines.contains { $0.contains(sandbox.path("state")) }, "the program has worked")
      let streams = lines.filter { line in [" = 0", " = 1", " = 2"].contains { line.hasSuffix($0) } }
      // The loader's files are open before the program begins, and closed again by then.
      let wrong = streams.filter {
        $0.contains(sandbox.root.path) || !$0.contains("openat(") && !$0.contains("socketpair(")
      }
      #expect(wrong.isEmpty, "\(wrong)")
      #expect(streams.contains { $0.contains("/dev/null") })
    }
  }

  @Test(
    "too few descriptors are an error of their own",
    arguments: [["read", "1000", "--timeout", "1"], ["queue", "list"]])
  func tooFewDescriptors(arguments: [String]) async throws {
    try await Sandbox.with { sandbox in
      let program = try Installation.shared().program.path
      let words = [program] + arguments + ["--json"]
      func outcome(_ limit: String) async throws -> Outcome {
        try await Program(["--nofile=\(limit)"] + words, in: sandbox, program: URL(filePath: "/usr/bin/prlimit"))
          .outcome()
      }
      let few = try await outcome("24:24")
      #expect(try few.status == 69 && few.jsonError()["code"] as? String == "descriptors", "\(few.err)")
      #expect(!FileManager.default.fileExists(atPath: sandbox.path("state")))
      // What the process may raise itself is no reason to refuse.
      let raised = try await outcome("24:1024")
      #expect(raised.status == (arguments[0] == "read" ? 75 : 0), "\(raised.err)")
    }
  }
}
