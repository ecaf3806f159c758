import Foundation
import TestSupport
import Testing

/// `driver fuzz` on the model bundle in C, as it is and with faults put into it that its first inputs reach.
@Suite(.serialized, .timeLimit(.minutes(60))) struct FuzzDriverTests {
  static let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]

  private func bundle(in sandbox: Sandbox) async throws {
    let made = try await Program.run(["driver", "new", "--language", "c", "scale"], in: sandbox)
    #expect(made.status == 0, "\(made.err)")
  }

  private func fuzz(_ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
    try await Program.run(["driver", "fuzz"] + arguments + ["--json"], in: sandbox, environment: Self.path)
  }

  private func files(_ folder: String, in sandbox: Sandbox) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: sandbox.path(folder))) ?? []).sorted()
  }

  @Test func theModelBearsEverythingAndTheCorpusIsKept() async throws {
    try await Sandbox.with { sandbox in
      try await bundle(in: sandbox)
      let done = try await fuzz(["scale", "--seconds", "1"], in: sandbox)
      #expect(done.status == 0, "\(done.err)")
      let report = try #require(try done.objects().first)
      #expect(report["driver"] as? String == "org.example.scale" && report["form"] as? String == "c")
      #expect((report["runs"] as? Int ?? 0) > 0 && report["finding"] == nil)
      let kept = files("scale/Fuzz/corpus", in: sandbox)
      #expect(!kept.isEmpty && report["units"] as? Int == kept.count)
      #expect(files("scale/Fuzz", in: sandbox) == ["corpus"])
      #expect(try await fuzz(["scale", "--seconds", "1", "--no-keep"], in: sandbox).status == 0)
      #expect(files("scale/Fuzz/corpus", in: sandbox) == kept)
      let again = try await fuzz(["scale", "--input", "scale/Fuzz/corpus/\(kept[0])"], in: sandbox)
      #expect(again.status == 0 && again.out == "{\"finding\":null}\n", "\(again.out)\(again.err)")
    }
  }

  @Test func aCorpusThatWasBeingReplacedComesBack() async throws {
    try await Sandbox.with { sandbox in
      try await bundle(in: sandbox)
      #expect(try await fuzz(["scale", "--seconds", "1"], in: sandbox).status == 0)
      let kept = files("scale/Fuzz/corpus", in: sandbox)
      // As if the program had ended between the two renames.
      try FileManager.default.moveItem(
        atPath: sandbox.path("scale/Fuzz/corpus"), toPath: sandbox.path("scale/Fuzz/.corpus.old"))
      // A fragment by any other name is one.
      try FileManager.default.moveItem(
        atPath: sandbox.path("scale/fragment.json"), toPath: sandbox.path("scale/registry.json"))
      #expect(try await fuzz(["scale", "--seconds", "1", "--no-keep"], in: sandbox).status == 0)
      #expect(!kept.isEmpty && files("scale/Fuzz/corpus", in: sandbox) == kept)
      #expect(files("scale/Fuzz", in: sandbox) == ["corpus"])
    }
  }

  @Test func aFuzzerIsOfTheDriverThatIsNamed() async throws {
    try await Sandbox.with { sandbox in
      try await bundle(in: sandbox)
      let made = try await Program.run(["driver", "new", "--language", "c", "other"], in: sandbox)
      #expect(made.status == 0, "\(made.err)")
      for name in ["scale", "other"] {
        // Nothing of the second one is newer than the fuzzer that lies there.
        let done = try await fuzz([name, "--seconds", "1", "--no-keep", "--build", sandbox.path("built")], in: sandbox)
        #expect(done.status == 0, "\(done.err)")
        let note = try String(contentsOfFile: sandbox.path("built/fuzzer.inputs"), encoding: .utf8)
        #expect(note.hasPrefix("org.example.\(name)\nc\n") && note.contains("/\(name)/Sources/session.c\n"), "\(note)")
      }
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let file: String
    let line: String
    let fault: String
    let kind: String
    var rule: String?
    var testDescription: String { fault }
  }

  static let faults = [
    Fault(
      file: "measurement.c", line: "if (bytes.n < needed) return MH_E_PROTOCOL;", fault: "(void)needed;", kind: "memory"
    ),
    Fault(
      file: "measurement.c", line: ".raw = mantissa},", fault: ".raw = mantissa + 1},", kind: "broken_rule", rule: "R12"
    ),
    Fault(
      file: "measurement.c", line: "exponent += is_molar ? 3 : 5;", fault: "exponent += 1 << (33 - is_molar);",
      kind: "undefined_behaviour"),
    Fault(
      file: "session.c", line: "session->peer = opening->peer;",
      fault: "static uint64_t sessions;\n  session->peer = opening->peer;\n  session->received = sessions++;",
      kind: "broken_rule", rule: "R8"),
    Fault(
      file: "session.c", line: "void session_close(mh_session *session) { free(session); }",
      fault: "void session_close(mh_session *session) { (void)session; }", kind: "leak"),
  ]

  @Test(arguments: faults)
  func aFaultIsFoundNamedAndShownAgain(_ fault: Fault) async throws {
    try await Sandbox.with { sandbox in
      try await bundle(in: sandbox)
      let file = sandbox.root.appending(path: "scale/Sources/\(fault.file)")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains(fault.line))
      try text.replacing(fault.line, with: fault.fault).write(to: file, atomically: true, encoding: .utf8)
      let done = try await fuzz(["scale", "--seconds", "120"], in: sandbox)
      #expect(done.status == 1, "\(done.out)\(done.err)")
      let report = try #require(try done.objects().first)
      let finding = try #require(report["finding"] as? [String: Any])
      #expect(finding["kind"] as? String == fault.kind && finding["rule"] as? String == fault.rule, "\(finding)")
      #expect((finding["message"] as? String)?.isEmpty == false)
      let input = try #require(finding["input"] as? String)
      #expect(input.hasPrefix(sandbox.path("scale/Fuzz/findings/")))
      #expect((report["reproducer"] as? String)?.hasSuffix("driver fuzz scale --input \(input)") == true)
      let again = try await fuzz(["scale", "--input", input], in: sandbox)
      #expect(again.status == 1 && again.out.contains(fault.kind), "\(again.out)\(again.err)")
      // Mended, the same input passes.
      try text.write(to: file, atomically: true, encoding: .utf8)
      #expect(try await fuzz(["scale", "--input", input], in: sandbox).status == 0)
    }
  }

  static let faultsOfExports = [
    Fault(file: "line.c", line: "if (n == FIELDS) return 0;", fault: "", kind: "memory"),
    Fault(
      file: "output.c", line: "name.index = index;", fault: "name.index = index + 1;", kind: "broken_rule", rule: "R18"),
    Fault(
      file: "reader.c", line: "if (end == NULL) return 0;",
      fault: "if (end == NULL) return *size = talk->length - talk->position, *text = (mh_str){from, *size}, *size > 0;",
      kind: "broken_rule", rule: "R8"),
    Fault(
      file: "reader.c", line: "void reader_close(mh_talk *talk) { free(talk); }",
      fault: "void reader_close(mh_talk *talk) { (void)talk; }", kind: "leak"),
  ]

  @Test(arguments: faultsOfExports)
  func aFaultInADriverOfExportsIsFound(_ fault: Fault) async throws {
    try await Sandbox.with { sandbox in
      let made = try await Program.run(
        ["driver", "new", "--language", "c", "--kind", "import", "tracker"], in: sandbox)
      #expect(made.status == 0, "\(made.err)")
      let file = sandbox.root.appending(path: "tracker/Sources/\(fault.file)")
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains(fault.line))
      try text.replacing(fault.line, with: fault.fault).write(to: file, atomically: true, encoding: .utf8)
      let done = try await fuzz(["tracker", "--seconds", "120"], in: sandbox)
      #expect(done.status == 1, "\(done.out)\(done.err)")
      let finding = try #require(try done.objects().first?["finding"] as? [String: Any])
      #expect(finding["kind"] as? String == fault.kind && finding["rule"] as? String == fault.rule, "\(finding)")
      let input = try #require(finding["input"] as? String)
      // Mended, the same file passes, and so does the model.
      try text.write(to: file, atomically: true, encoding: .utf8)
      #expect(try await fuzz(["tracker", "--input", input], in: sandbox).status == 0)
    }
  }

  @Test func theModelOfExportsBearsEverything() async throws {
    try await Sandbox.with { sandbox in
      let made = try await Program.run(
        ["driver", "new", "--language", "c", "--kind", "import", "tracker"], in: sandbox)
      #expect(made.status == 0, "\(made.err)")
      let done = try await fuzz(["tracker", "--seconds", "1"], in: sandbox)
      #expect(done.status == 0, "\(done.out)\(done.err)")
      // The sample is among what is kept: it reaches what no other input does.
      let kept = try files("tracker/Fuzz/corpus", in: sandbox).map { name in
        try Data(contentsOf: sandbox.root.appending(path: "tracker/Fuzz/corpus/\(name)"))
      }
      #expect(kept.contains { $0.dropFirst().starts(with: "start,end,type,value,unit,device".utf8) })
    }
  }

  @Test func aBundleIsFuzzedWithItsOwnCopyOfTheSDK() async throws {
    try await Sandbox.with { sandbox in
      try await bundle(in: sandbox)
      let harness = sandbox.root.appending(path: "scale/SDK/fuzz/harness.c")
      let text = try String(contentsOf: harness, encoding: .utf8)
      try "#error \"the bundle's own\"\n\(text)".write(to: harness, atomically: true, encoding: .utf8)
      let own = try await fuzz(["scale", "--seconds", "1", "--no-keep"], in: sandbox)
      let words = try own.jsonError()["message"] as? String
      #expect(own.status == 1 && words?.contains("the bundle's own") == true)
      // What is named is taken all the same.
      let kit = CompiledBundle.root.appending(path: "SDK").path
      let named = try await fuzz(["scale", "--seconds", "1", "--no-keep", "--sdk", kit], in: sandbox)
      #expect(named.status == 0, "\(named.err)")
    }
  }

  @Test func theModelInSwiftLeaksNothingOfTheLibrarys() async throws {
    try await Sandbox.with { sandbox in
      let made = try await Program.run(["driver", "new", "--language", "swift", "scale"], in: sandbox)
      #expect(made.status == 0, "\(made.err)")
      let done = try await fuzz(["scale", "--seconds", "2", "--no-keep"], in: sandbox)
      #expect(done.status == 0, "\(done.out)\(done.err)")
    }
  }

  @Test func whatCannotBeFuzzedIsNamed() async throws {
    try await Sandbox.with { sandbox in
      try FileManager.default.createDirectory(
        at: sandbox.root.appending(path: "empty"), withIntermediateDirectories: true)
      try await bundle(in: sandbox)
      let cases: [(arguments: [String], status: Int32, code: String)] = [
        (["empty"], 64, "no_fragment"), (["org.example.nobody"], 64, "unknown_driver"),
        (["scale", "--language", "swift"], 64, "no_sources"), (["scale", "--input", "nowhere"], 64, "no_input"),
        (["scale", "--seconds", "0"], 64, "usage"), (["scale", "--sdk", "nowhere"], 69, "sdk_missing"),
      ]
      for (arguments, status, code) in cases {
        let done = try await fuzz(arguments, in: sandbox)
        #expect(done.status == status, "\(arguments): \(done.err)")
        #expect(try done.jsonError()["code"] as? String == code, "\(arguments)")
      }
      let missing = try await Program.run(
        ["driver", "fuzz", "scale", "--json", "--build", "other"], in: sandbox, environment: ["PATH": "/nonexistent"])
      #expect(missing.status == 69)
      #expect(try missing.jsonError()["code"] as? String == "fuzzer_missing")
      // What does not compile is told in the compiler's words.
      let file = sandbox.root.appending(path: "scale/Sources/entry.c")
      try "no C at all".write(to: file, atomically: true, encoding: .utf8)
      let broken = try await fuzz(["scale"], in: sandbox)
      #expect(broken.status == 1)
      let error = try broken.jsonError()
      #expect(error["code"] as? String == "fuzzer_build" && (error["message"] as? String)?.contains("entry.c") == true)
    }
  }
}
