import Foundation
import TestSupport
import Testing

/// A thousand registered drivers cost nothing: only the chosen one is opened. The kernel says what is opened.
@Suite("a thousand drivers", .timeLimit(.minutes(60))) struct ManyDriversTests {
  struct Watched {
    let status: Int32
    let out: String
    let opened: [String]
  }

  /// Runs meterhost over many drivers and notes which files of the libraries' folder are opened.
  private func watch(
    _ arguments: [String], _ many: ManyDrivers, in sandbox: Sandbox, input: String = ""
  ) async throws -> Watched {
    let source = CompiledBundle.root.appending(path: "Tests/Fixtures/OpenWatch/watch.c")
    let watcher = try CompiledBundle.compile(source, include: source.deletingLastPathComponent(), isBundle: false)
    let installation = try Installation.shared()
    let report = sandbox.path("opened-\(UUID().uuidString)")
    let all =
      [many.libraries.path, report, installation.program.path] + arguments
      + ["--registry", many.registry.path, "--fragments", many.fragments.path]
    let environment = [
      "HOME": sandbox.root.path, "PATH": "/usr/bin:/bin", "METERHOST_STATE": sandbox.path("state"),
      "METERHOST_AIR": sandbox.path("air"),
    ]
    let done = try await onOwnThread { try ChildProcess.run(watcher, all, environment: environment, input: input) }
    return Watched(
      status: done.status, out: done.out,
      opened: try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map(String.init))
  }

  private func many(_ form: ManyDrivers.Form, in sandbox: Sandbox) throws -> ManyDrivers {
    try ManyDrivers(1_000, form, in: sandbox.root.appending(path: "many"), of: Installation.shared())
  }

  @Test(arguments: ManyDrivers.Form.allCases) func listingOpensNone(form: ManyDrivers.Form) async throws {
    try await Sandbox.with { sandbox in
      let many = try many(form, in: sandbox)
      for command in [["peripherals", "list"], ["peripherals", "show", "4000"], ["driver", "list"]] {
        let listed = try await watch(command, many, in: sandbox)
        #expect(listed.status == 0 && listed.opened.isEmpty, "\(command): \(listed.opened.prefix(3))")
        if command.last == "list" { #expect(listed.out.split(separator: "\n").count == 1_001) }
      }
    }
  }

  @Test(arguments: ManyDrivers.Form.allCases) func decodingOpensTheChosenOne(form: ManyDrivers.Form) async throws {
    try await Sandbox.with { sandbox in
      let many = try many(form, in: sandbox)
      let line = #"{"id":"1","peripheral":4000,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}"#
      let decoded = try await watch(["driver", "decode"], many, in: sandbox, input: "\(line)\n\(line)\n")
      #expect(decoded.status == 0 && decoded.out.contains("\"value\":36"), "\(decoded.out)")
      #expect(decoded.opened == [ManyDrivers.chosenLibrary])
      let why = try await watch(["driver", "why", "4000"], many, in: sandbox)
      #expect(why.status == 0 && why.opened == [ManyDrivers.chosenLibrary], "\(why.out)")
    }
  }

  @Test(arguments: ManyDrivers.Form.allCases) func readingOpensTheChosenOne(form: ManyDrivers.Form) async throws {
    try await Sandbox.with { sandbox in
      let many = try many(form, in: sandbox)
      let file = try Installation.shared().meters.appending(path: "thermometer-with-clock.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await watch(["read", "4000", "--no-upload", "--json"], many, in: sandbox)
      meter.interrupt()
      _ = await meter.outcome()
      #expect(read.status == 0 && read.out.contains("\"completed\""), "\(read.out)")
      #expect(read.opened == [ManyDrivers.chosenLibrary])
    }
  }

  /// The watcher sees what is opened: a pipe that takes the chosen one's place is noticed.
  @Test func aPipeInstalledAsALibraryIsRefusedWithoutWaiting() async throws {
    try await Sandbox.with { sandbox in
      let many = try many(.fragments, in: sandbox)
      let line = #"{"id":"1","peripheral":910007,"characteristic":"2A1C","hex":"06680100ffe207030a15340002"}"#
      let decoded = try await watch(["driver", "decode"], many, in: sandbox, input: line + "\n")
      #expect(decoded.status == 0 && decoded.out.contains("driver_unavailable"), "\(decoded.out)")
      #expect(decoded.opened == ["lib7.so"])
    }
  }
}
