import Foundation
import FoundationNetworking
import TestSupport
import Testing

/// The programs of docs/examples, run as they stand against meters and a receiver.
@Suite(.timeLimit(.minutes(60))) struct ExampleTests {
  private static let token = "token-of-this-user-1"

  /// Starts an example; its answers and errors are the test's to read.
  private func example(
    _ name: String, _ arguments: [String], in sandbox: Sandbox, _ environment: [String: String] = [:],
    input: [UInt8]? = []
  ) throws -> Program {
    // Line by line, also where the output is no terminal.
    try Program(
      ["-oL", BuildProducts.folder.appending(path: "example-\(name)").path] + arguments, in: sandbox, input: input,
      environment: environment, program: URL(filePath: "/usr/bin/stdbuf"))
  }

  private func meter(_ script: String, in sandbox: Sandbox) async throws -> Program {
    let file = try Installation.shared().meters.appending(path: script).path
    let meter = try Program(["meter", "run", file], in: sandbox)
    try await meter.line(with: "advertising")
    return meter
  }

  /// Runs a receiver that knows the examples' user, and gives its address.
  private func withReceiver(_ sandbox: Sandbox, _ body: (String) async throws -> Void) async throws {
    let accounts = try sandbox.file("accounts", "clinic:patient-1:\(Self.token)\n")
    let receiver = try Program(
      ["receive", "--database", sandbox.path("r.sqlite"), "--port", "0", "--accounts", accounts, "--json"], in: sandbox)
    let url = try Outcome.object(try await receiver.line(with: "listening"))["url"] as? String ?? ""
    do {
      try await body(url)
    } catch {
      receiver.kill()
      throw error
    }
    receiver.interrupt()
    _ = await receiver.outcome()
  }

  @Test func oneMeterIsReadAndDelivered() async throws {
    try await Sandbox.with { sandbox in
      let meter = try await meter("contour-next-one.json", in: sandbox)
      let address = try #require(
        try await Program.run(["scan", "--timeout", "3", "--json"], in: sandbox).objects().first?["address"] as? String)
      try await withReceiver(sandbox) { url in
        let root = try Installation.shared().root.path
        let arguments = [root, sandbox.path("state"), sandbox.path("air"), url, address]
        let done = await (try example("read-and-deliver", arguments, in: sandbox, ["RECEIVER_TOKEN": Self.token]))
          .outcome()
        #expect(done.status == 0, "\(done.err)")
        #expect(done.lines.contains("validated") && done.lines.contains("2 new"), "\(done.out)")
        #expect(done.lines.last == "0 readings wait", "\(done.out)")
      }
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func aPassiveGatewayReadsWhatAdvertises() async throws {
    try await Sandbox.with { sandbox in
      try await withReceiver(sandbox) { url in
        let root = try Installation.shared().root.path
        let gateway = try example(
          "passive-gateway", [root, sandbox.path("state"), url, "1000"], in: sandbox, ["RECEIVER_TOKEN": Self.token])
        let meter = try await meter("contour-next-one.json", in: sandbox)
        let line = try await gateway.line(with: " new, ")
        #expect(line.hasPrefix("1000 "), "\(line)")
        gateway.interrupt()
        let done = await gateway.outcome()
        #expect(done.status == 0 && !done.isSignalled, "\(done.err)")
        meter.interrupt()
        _ = await meter.outcome()
      }
    }
  }

  @Test func whatAStateFolderHoldsIsDeliveredAndTold() async throws {
    try await Sandbox.with { sandbox in
      try await withReceiver(sandbox) { url in
        let started = try await Program.run(
          ["session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver", url], in: sandbox,
          input: Array(Self.token.utf8))
        #expect(started.status == 0, "\(started.err)")
        let submitted = try await Program.run(
          ["submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--no-upload", "--json"], in: sandbox)
        let logID = try #require(try submitted.objects().first?["log_id"] as? String)
        let uploader = try example("upload-events", [sandbox.path("state"), url], in: sandbox)
        try await uploader.line(with: "\(logID) 1 ")
        // It delivers until its session ends: nobody asks it to.
        uploader.kill()
        _ = await uploader.outcome()
        #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).lines.isEmpty)
      }
    }
  }

  @Test func aDisplayIsReadWithAViewOfOnesOwn() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let root = try Installation.shared().root.path
      let view = try example(
        "custom-view", [root, sandbox.path("state"), "10101", "121/79/64"], in: sandbox, input: Array("\n".utf8))
      let done = await view.outcome()
      #expect(done.status == 0, "\(done.err)")
      // A machine without a time source cannot say when it was.
      let ends = [
        "Submitted: the reading is saved and will be delivered.",
        "The reading is kept until a person decides (host_clock_unsynchronized).",
      ]
      #expect(ends.contains(done.lines.last ?? ""), "\(done.out)")
      let queue = try await Program.run(["queue", "list"], in: sandbox)
      for value in ["systolic 121 mmHg", "diastolic 79 mmHg", "64 bpm"] {
        #expect(queue.out.contains(value), "\(queue.out)")
      }
    }
  }

  @Test func thePageOfADisplayIsServed() async throws {
    try await Sandbox.with { sandbox in
      let root = try Installation.shared().root.path
      let view = try example("prepackaged-view", [root, sandbox.path("state"), "121/79/64"], in: sandbox)
      let line = try await view.line(with: "open http://")
      let link = try #require(URL(string: String(line.dropFirst("open ".count))))
      let (page, answer) = try await URLSession.shared.data(from: link)
      #expect((answer as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: page, as: UTF8.self).lowercased().contains("<html"), "the page itself")
      view.kill()
      _ = await view.outcome()
    }
  }

  @Test func whatNoMeterHasBroughtIsHandedIn() async throws {
    try await Sandbox.with { sandbox in
      func submit(_ glucose: String, _ weight: String) async throws -> Outcome {
        await (try example("submit-reading", [sandbox.path("state"), glucose, weight], in: sandbox)).outcome()
      }
      let early = try await submit("112", "70.5")
      #expect(early.status == 0 && early.lines.count == 2, "\(early.out)\(early.err)")
      #expect(early.lines.allSatisfy { $0.hasSuffix(": held (no_session)") }, "\(early.out)")
      try await Program.startSession(in: sandbox)
      let kept = try await submit("112", "70.5")
      #expect(kept.status == 0 && kept.lines.count == 2, "\(kept.out)\(kept.err)")
      #expect(kept.lines.allSatisfy { $0.hasSuffix(": kept, and will be delivered") }, "\(kept.out)")
      let doubtful = try await submit("5", "900")
      #expect(doubtful.status == 64 && doubtful.lines.count == 2, "\(doubtful.out)\(doubtful.err)")
      #expect(doubtful.lines.first?.hasPrefix("glucose: refused (implausible): values[0]: ") == true, "\(doubtful.out)")
      #expect(doubtful.lines.last?.hasSuffix(": held (implausible_value)") == true, "\(doubtful.out)")
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).objects().count == 3)
    }
  }

  @Test func anExportOfAPhoneComesToTheSumsOfItsDays() async throws {
    try await Sandbox.with { sandbox in
      let root = try Installation.shared().root.path
      func read(_ text: String) async throws -> Outcome {
        let file = try sandbox.file("export.xml", text)
        return await (try example("import-health", [root, file, "Europe/Berlin"], in: sandbox)).outcome()
      }
      let whole = try await read(HealthImportTests.export())
      #expect(whole.status == 0, "\(whole.out)\(whole.err)")
      let sums = (1...3).map { "2025-03-0\($0) steps \(1_000 + $0) {count}" }
      #expect(Array(whole.lines.prefix(3)) == sums, "\(whole.out)")
      let cut = try await read(String(HealthImportTests.export().dropLast(30)))
      #expect(cut.status == 1 && cut.out.contains("missing or damaged"), "\(cut.out)\(cut.err)")
      let other = try await read("Dear diary")
      #expect(other.status == 64, "\(other.out)\(other.err)")
      #expect(other.out.hasPrefix("nothing was read (not_an_export): "), "\(other.out)")
    }
  }

  @Test func anExampleThatCannotWorkSaysWhy() async throws {
    try await Sandbox.with { sandbox in
      let done = await (try example("submit-reading", [sandbox.path("none/state"), "112", "70.5"], in: sandbox))
        .outcome()
      #expect(done.status != 0 && done.out.hasPrefix("nothing: refused ("), "\(done.out)\(done.err)")
    }
  }

  @Test(
    "each says how it is called",
    arguments: [
      "read-and-deliver", "passive-gateway", "upload-events", "submit-reading", "import-health", "custom-view",
      "prepackaged-view",
    ])
  func usage(name: String) async throws {
    try await Sandbox.with { sandbox in
      let done = await (try example(name, [], in: sandbox)).outcome()
      #expect(done.out.hasPrefix("usage: example-\(name) "), "\(done.out)\(done.err)")
    }
  }
}
