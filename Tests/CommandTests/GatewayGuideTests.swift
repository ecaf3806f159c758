import Foundation
import TestSupport
import Testing

/// The guide of a gateway, typed as it stands where nothing else is: no air and no folder is set for its commands. What it starts "in
/// another terminal" runs beside them. And every command line that any page shows is one.
@Suite("The guide of a gateway", .timeLimit(.minutes(60))) struct GatewayGuideTests {
  private static let marker = "     # in another terminal"

  /// A page as it is typed in a sandbox: at a port that is free, and with a folder of the sandbox in the place of one of the machine.
  private static func page(_ name: String, _ sandbox: Sandbox, port: Int) throws -> String {
    try String(contentsOf: CompiledBundle.root.appending(path: "docs/\(name).md"), encoding: .utf8)
      .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)").replacing("--port 8080", with: "--port \(port)")
      .replacing("/srv/readings", with: sandbox.path("readings"))
  }

  private static func environment(_ sandbox: Sandbox) throws -> [String: String] {
    let programs = try Installation.shared().program.deletingLastPathComponent().path
    return [
      "HOME": sandbox.root.path, "PATH": "\(programs):/usr/bin:/bin", "TMPDIR": sandbox.root.path,
      "METERHOST_STATE": sandbox.path("state"), "METERHOST_LOG": "error",
    ]
  }

  /// Runs the steps of a page until one fails.
  private static func follow(_ steps: [GuideStep], _ sandbox: Sandbox) async throws {
    let environment = try environment(sandbox)
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

  @Test("is true from the receiver to the second read") func guide() async throws {
    try await Sandbox.with { sandbox in
      let page = try Self.page("run-a-gateway", sandbox, port: IngestGuideTests.freePort())
      let steps = GuideStep.all(in: page)
      try #require(steps.count == 8 && steps[0].commands.contains("> accounts"))
      try await Self.follow([steps[0]], sandbox)
      try FileManager.default.createSymbolicLink(
        at: sandbox.root.appending(path: "share"),
        withDestinationURL: try Installation.shared().root.appending(path: "share"))
      // The receiver and the meter.
      let beside = page.split(separator: "\n").filter { $0.hasPrefix("    meterhost") && $0.hasSuffix(Self.marker) }
      try #require(beside.count == 2)
      var programs: [Program] = []
      // The receiver serves others and tells a person; the meter's lines are its result.
      let signs: [(text: String, stream: Program.Stream)] = [("listening", .err), ("advertising", .out)]
      for (line, ready) in zip(beside, signs) {
        let command = line.dropLast(Self.marker.count).trimmingCharacters(in: .whitespaces)
        let program = try Program(
          ["-c", "exec \(command)"], in: sandbox, environment: try Self.environment(sandbox),
          program: URL(filePath: "/bin/sh"))
        try await program.line(with: ready.text, on: ready.stream)
        programs.append(program)
      }
      try await Self.follow(Array(steps[1...]), sandbox)
      for program in programs {
        program.interrupt()
        _ = await program.outcome()
      }
    }
  }

  @Test("the page on metrics is true beside a running host") func metrics() async throws {
    try await Sandbox.with { sandbox in
      let steps = GuideStep.all(in: try Self.page("metrics", sandbox, port: 0))
      try #require(steps.map(\.commands) == ["meterhost metrics"])
      try await Program.startSession(in: sandbox)
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      try await Self.follow(steps, sandbox)
      service.interrupt()
      #expect(await service.outcome().status == 0)
    }
  }

  /// The command lines that stand by themselves on a page, without what is said of them behind it. What goes through a pipe or into a
  /// file is left to the tests of the pages.
  private static func commands(in page: String) -> [String] {
    page.replacing(/[ ]\\\n[ ]+/, with: " ").split(separator: "\n").compactMap { line in
      guard line.hasPrefix("    meterhost ") || line.hasPrefix("    meterhost-receiver ") else { return nil }
      var command = line.dropFirst(4)
      for end in ["  ", " #", " &"] {
        command = command[..<(command.firstRange(of: end)?.lowerBound ?? command.endIndex)]
      }
      return command.contains(where: { "|;<>".contains($0) }) ? nil : String(command)
    }
  }

  @Test("every command line of every page is understood: its commands and options are there") func understood()
    async throws
  {
    let docs = CompiledBundle.root.appending(path: "docs")
    let pages = try FileManager.default.subpathsOfDirectory(atPath: docs.path)
      .filter { $0.hasSuffix(".md") && !$0.hasPrefix("decisions/") }
    var count = 0
    for page in pages {
      let text = try String(contentsOf: docs.appending(path: page), encoding: .utf8)
      for command in Self.commands(in: text) {
        count += 1
        // Words that a reader replaces, where only some are taken.
        let typed = command.replacing(" KEY ", with: " \(String(repeating: "0", count: 64)) ")
          .replacing("--receiver-user receiver", with: "--receiver-user root")
        let said = try await Self.said(typed)
        #expect(!said.contains(" --help`") && !said.contains("there is no command"), "\(page): \(command)\n\(said)")
      }
    }
    #expect(count > 40)
  }

  /// What a command says where it cannot come far: there is no registry, and nobody reads its output.
  private static func said(_ command: String) async throws -> String {
    try await Sandbox.with { sandbox in
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let environment = try environment(sandbox).merging(["METERHOST_REGISTRY": sandbox.path("nothing")]) { $1 }
      let done = try await Program(
        ["-c", "exec \(command)"], in: sandbox, environment: environment, output: pipe.fileHandleForWriting,
        program: URL(filePath: "/bin/sh")
      ).outcome()
      return done.err
    }
  }
}
