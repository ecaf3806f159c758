import Foundation
import TestSupport
import Testing

/// The way of a new author: a folder from `driver new`, and the commands that it prints, as they stand.
@Suite(.timeLimit(.minutes(60))) struct NewDriverTests {
  /// Runs a line of an author's in a shell of theirs.
  private func shell(_ line: String, in sandbox: Sandbox) async throws -> ChildProcess.Outcome {
    let inherited = ProcessInfo.processInfo.environment
    let environment = [
      "HOME": inherited["HOME"] ?? "/root", "PATH": inherited["PATH"] ?? "/usr/bin:/bin",
      "TMPDIR": sandbox.root.path, "METERHOST_STATE": sandbox.path("state"), "METERHOST_LOG": "error",
    ]
    let root = sandbox.root
    return try await onOwnThread {
      try ChildProcess.run(URL(filePath: "/bin/sh"), ["-c", line], environment: environment, folder: root)
    }
  }

  private func make(_ language: String, _ options: [String] = [], in sandbox: Sandbox) async throws -> [String: Any] {
    let done = try await Program.run(
      ["driver", "new", "--language", language, "kitchen-scale", "--json"] + options, in: sandbox)
    #expect(done.status == 0, "\(done.err)")
    return try #require(try done.objects().first)
  }

  @Test(arguments: RustTools.areHere ? ["c", "swift", "rust"] : ["c", "swift"])
  func thePrintedCommandsWork(_ language: String) async throws {
    try await Sandbox.with { sandbox in
      let made = try await make(language, ["--output", "bundles of mine/scale"], in: sandbox)
      let commands = try #require(made["commands"] as? [String: String])
      let built = try await shell(try #require(commands["build"]), in: sandbox)
      #expect(built.status == 0, "\(built.out)\(built.err)")
      let read = try await shell(try #require(commands["read"]), in: sandbox)
      #expect(read.status == 0 && read.out.contains("blood_glucose 118 mg/dL"), "\(read.out)\(read.err)")
      #expect(read.err.contains("3 new, 0 changed, 0 already known"))
      // The cursor has moved.
      let again = try await shell(try #require(commands["read"]), in: sandbox)
      #expect(again.err.contains("0 new"), "\(again.err)")
      let tested = try await shell(try #require(commands["test"]), in: sandbox)
      #expect(tested.status == 0, "\(tested.out)\(tested.err)")
      let library = sandbox.path("bundles of mine/scale/build/drivers/libmh-kitchen-scale.so")
      let verified = try await Program.run(["driver", "verify", library], in: sandbox)
      #expect(verified.status == 0, "\(verified.err)")
      try await decodesItsVectors(sandbox.root.appending(path: "bundles of mine/scale"), made, in: sandbox)
    }
  }

  @Test func thePrintedCommandsOfADriverOfExportsWork() async throws {
    try await Sandbox.with { sandbox in
      let made = try await make("c", ["--kind", "import"], in: sandbox)
      #expect(made["kind"] as? String == "import" && made["peripheral"] == nil)
      let commands = try #require(made["commands"] as? [String: String])
      let built = try await shell(try #require(commands["build"]), in: sandbox)
      #expect(built.status == 0, "\(built.out)\(built.err)")
      let read = try await shell(try #require(commands["read"]), in: sandbox)
      #expect(read.status == 0 && read.out.contains("kitchen-scale, read by org.example.kitchen-scale"), "\(read.err)")
      #expect(read.out.contains("2025-03-01  852") && read.out.contains("2025-03-02  960"), "\(read.out)")
      let tested = try await shell(try #require(commands["test"]), in: sandbox)
      #expect(tested.status == 0, "\(tested.out)\(tested.err)")
      let packed = try await shell(
        "make -C kitchen-scale pack METERHOST=\(try Installation.shared().program.path)", in: sandbox)
      #expect(packed.status == 0, "\(packed.out)\(packed.err)")
    }
  }

  /// The same driver with and without Rust's own library: what judges libraries asks what they need, not what they are.
  @Test(.enabled(if: RustTools.areHere, "there is no cargo on the PATH"))
  func aBuildWithRustsLibraryIsRefusedByBothThatJudge() async throws {
    try await Sandbox.with { sandbox in
      _ = try await make("rust", in: sandbox)
      let source = URL(filePath: sandbox.path("kitchen-scale/Sources/lib.rs"))
      let plain = try String(contentsOf: source, encoding: .utf8)
      let std = plain.replacing("#![cfg_attr(not(test), no_std)]", with: "")
        .replacing("#[cfg(not(test))]\nmeterhost_driver::runtime!();", with: "")
      #expect(std.count < plain.count - 60)
      for (text, isTaken) in [(plain, true), (std, false)] {
        try Data(text.utf8).write(to: source)
        let built = try await shell("make -C kitchen-scale", in: sandbox)
        #expect(built.status == 0, "\(built.out)\(built.err)")
        let library = sandbox.path("kitchen-scale/build/drivers/libmh-kitchen-scale.so")
        let verified = try await Program.run(["driver", "verify", library, "--json"], in: sandbox)
        #expect(try verified.objects().first?["code"] as? String == (isTaken ? nil : "forbidden_import"))
        let judged = try await Program.run(["driver", "test", "kitchen-scale", "--rule", "R7", "--json"], in: sandbox)
        let results = try judged.objects().filter { $0["check"] as? String == "imports" }
        #expect(
          results.map { $0["status"] as? String } == [isTaken ? "passed" : "failed"], "\(judged.out)\(judged.err)")
        #expect((judged.status == 0) == isTaken && (verified.status == 0) == isTaken)
      }
    }
  }

  @Test(arguments: ["swift", "rust"])
  func aKindThatALanguageHasNoTemplateOfIsNamed(_ language: String) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(
        ["driver", "new", "--language", language, "--kind", "import", "tracker", "--json"], in: sandbox)
      #expect(done.status == 64)
      #expect(try done.jsonError()["code"] as? String == "no_template")
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).isEmpty)
    }
  }

  /// Every vector of the template, through the program.
  private func decodesItsVectors(_ folder: URL, _ made: [String: Any], in sandbox: Sandbox) async throws {
    let vectors = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "vectors.json")))
    let list = try #require(vectors as? [[String: Any]])
    let peripheral = try #require(made["peripheral"] as? Int)
    let lines = list.map { vector in
      #"{"id":"\#(vector["id"] ?? "")","peripheral":\#(peripheral),"characteristic":"2A18","hex":"\#(vector["hex"] ?? "")"}"#
    }
    let done = try await Program.run(
      ["driver", "decode"], in: sandbox, input: Array(lines.joined(separator: "\n").utf8),
      environment: ["METERHOST_REGISTRY_FRAGMENTS": folder.appending(path: "build").path])
    let answers = try done.objects()
    #expect(answers.count == list.count && list.count >= 10)
    for (vector, answer) in zip(list, answers) {
      let codes = ["no_value": "no_value", "protocol": "malformed_value"]
      let wanted = (vector["error"] as? String).flatMap { codes[$0] }
      #expect((answer["error"] as? [String: Any])?["code"] as? String == wanted, "\(vector)")
      let found = (answer["records"] as? [[String: Any]])?.first
      let record = (vector["records"] as? [[String: Any]])?.first
      #expect((found == nil) == (record == nil))
      #expect(found?["timestamp"] as? String == record?["timestamp"] as? String, "\(vector)")
      #expect(found?["sequence"] as? Int == record?["sequence"] as? Int)
      let values = { (record: [String: Any]?) in
        (record?["values"] as? [[String: Any]] ?? []).map { value in
          "\(value["metric"] ?? "") \(value["value"] as? Double ?? .nan) \(value["unit"] ?? "")"
        }
      }
      #expect(values(found) == values(record), "\(vector)")
    }
  }

  @Test(arguments: RustTools.areHere ? ["c", "swift", "rust"] : ["c", "swift"])
  func aBundleBuildsWhereverItIsMoved(_ language: String) async throws {
    try await Sandbox.with { sandbox in
      _ = try await make(language, in: sandbox)
      let moved = try await shell(
        "mkdir -p else/where && mv kitchen-scale else/where/ && make -C else/where/kitchen-scale", in: sandbox)
      #expect(moved.status == 0, "\(moved.out)\(moved.err)")
      let fragment = try String(
        contentsOfFile: sandbox.path("else/where/kitchen-scale/build/kitchen-scale.json"), encoding: .utf8)
      #expect(fragment.contains("sha256"))
    }
  }

  /// Without Swift and without make, and as a Swift package.
  @Test(arguments: ["meter", "import"])
  func aBundleInCBuildsWithCMakeAndWithSwiftPM(_ kind: String) async throws {
    try await Sandbox.with { sandbox in
      let made = try await make("c", ["--kind", kind], in: sandbox)
      let line = "cd kitchen-scale && cmake -B cmake-build && cmake --build cmake-build && ctest --test-dir cmake-build"
      let built = try await shell(line, in: sandbox)
      #expect(built.status == 0, "\(built.out)\(built.err)")
      let named = try #require(made["peripheral"] ?? made["id"])
      let why = try await Program.run(
        ["driver", "why", "\(named)", "--fragments", "kitchen-scale/build"], in: sandbox)
      #expect(why.status == 0, "\(why.out)")
      let package = try await shell(
        "cd kitchen-scale && swift build -c release --product mh-kitchen-scale", in: sandbox)
      #expect(package.status == 0, "\(package.out)\(package.err)")
      let library = sandbox.path("kitchen-scale/.build/release/libmh-kitchen-scale.so")
      #expect(try await Program.run(["driver", "verify", library], in: sandbox).status == 0)
    }
  }

  static let badNames = [
    "../evil", "a/b", "", ".", "..", "Scale", "a--b", "-a", "a-", "1scale", "a b", "a\nb", "a$(id)", "é",
    "aaaaaaaaaaaaaaaaaaaaa", "a.b", "scale\u{202e}", "sdk",
  ]

  @Test(arguments: badNames)
  func aNameThatIsNoneMakesNothing(_ name: String) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["driver", "new", "--language", "c", "--json", "--", name], in: sandbox)
      #expect(done.status == 64)
      #expect(try done.jsonError()["code"] as? String == "bad_name")
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).isEmpty)
    }
  }

  @Test(arguments: [
    "scale", "org.Example.scale", "org..scale", ".org.scale", "org.scale.", "org.ex_ample", "org.-a", "1org.a",
  ])
  func anIDThatIsNoneMakesNothing(_ id: String) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(
        ["driver", "new", "--language", "c", "scale", "--id=\(id)", "--json"], in: sandbox)
      #expect(done.status == 64)
      #expect(try done.jsonError()["code"] as? String == "bad_id")
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).isEmpty)
    }
  }

  @Test func whatExistsIsNotTouched() async throws {
    try await Sandbox.with { sandbox in
      let files = FileManager.default
      try files.createDirectory(at: sandbox.root.appending(path: "folder"), withIntermediateDirectories: true)
      _ = try sandbox.file("file", "mine")
      try files.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: "nowhere")
      for name in ["folder", "file", "link"] {
        let done = try await Program.run(
          ["driver", "new", "--language", "c", "scale", "--output", name, "--json"], in: sandbox)
        #expect(done.status == 64)
        #expect(try done.jsonError()["code"] as? String == "folder_exists", "\(name)")
      }
      #expect(try files.contentsOfDirectory(atPath: sandbox.root.path).sorted() == ["file", "folder", "link"])
      #expect(try files.contentsOfDirectory(atPath: sandbox.path("folder")).isEmpty)
      #expect(try String(contentsOfFile: sandbox.path("file"), encoding: .utf8) == "mine")
    }
  }

  @Test func aFolderThatCannotBeWrittenIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("file", "")
      let done = try await Program.run(
        ["driver", "new", "--language", "c", "scale", "--output", file + "/scale", "--json"], in: sandbox)
      #expect(done.status == 1)
      let error = try done.jsonError()
      #expect(error["code"] as? String == "cannot_write" && (error["message"] as? String)?.contains(file) == true)
    }
  }

  @Test func aMissingSDKNamesWhereItWasLookedFor() async throws {
    try await Sandbox.with { sandbox in
      for (options, environment) in [
        (["--sdk", "nowhere"], [:]), ([], ["METERHOST_SDK": "nowhere"]),
      ] as [([String], [String: String])] {
        let done = try await Program.run(
          ["driver", "new", "--language", "c", "scale", "--json"] + options, in: sandbox, environment: environment)
        #expect(done.status == 69)
        let error = try done.jsonError()
        #expect(error["code"] as? String == "sdk_missing")
        #expect((error["message"] as? String)?.contains("nowhere") == true)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.root.path).isEmpty)
    }
  }

  @Test func everyFileBearsTheBundlesOwnNames() async throws {
    try await Sandbox.with { sandbox in
      for (language, kind) in [("c", "meter"), ("swift", "meter"), ("c", "import")] {
        let made = try await make(
          language, ["--kind", kind, "--id", "com.acme-health.template-meter2", "--output", language + kind],
          in: sandbox)
        let folder = sandbox.root.appending(path: language + kind)
        let all = FileManager.default.enumerator(atPath: folder.path)
        var text = ""
        while let path = all?.nextObject() as? String {
          guard !path.hasPrefix("SDK"), path.contains(".") || path == "Makefile",
            let content = try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
          else { continue }
          text += content
        }
        #expect(text.contains("com.acme-health.template-meter2") && text.contains("Acme Health"))
        if kind == "meter" { #expect(text.contains("\(try #require(made["peripheral"]))")) }
        #expect(!text.contains("910000") && !text.contains("template-export") && !text.contains("TemplateExport"))
        #expect(!text.replacing("template-meter2", with: "").contains("template-meter"))
        #expect(!text.contains("TemplateMeter") && !text.contains("Template Vendor"))
      }
    }
  }
}
