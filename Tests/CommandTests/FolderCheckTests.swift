import Foundation
import TestSupport
import Testing

private let hasPython = (try? ChildProcess.run(tool: "python3", ["--version"]))?.status == 0

/// scripts/check-folders finds what leads upward in a package, and nothing else.
@Suite(.enabled(if: hasPython), .timeLimit(.minutes(60))) struct FolderCheckTests {
  /// A package of two modules, lowest first, and of a target in C.
  private static let manifest = """
    // swift-tools-version:6.2
    import PackageDescription

    let package = Package(
      name: "Layers",
      targets: [
        .target(name: "Lower"),
        .target(name: "Upper", dependencies: ["Lower"]),
        .target(name: "CParts"),
      ])
    """

  private func check(_ files: [String: String], manifest: String = Self.manifest) throws -> (
    status: Int32, said: String
  ) {
    let folder = try TemporaryFolder()
    let start = ["Package.swift": manifest, "Sources/Lower/Lower.swift": "", "Sources/CParts/include/parts.h": ""]
    for (path, text) in start.merging(files, uniquingKeysWith: { _, new in new }) {
      let file = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let script = CompiledBundle.root.appending(path: "scripts/check-folders").path
    let done = try ChildProcess.run(tool: "python3", [script, folder.path])
    return (done.status, done.out + done.err)
  }

  @Test func whatLeadsDownwardIsFine() throws {
    let done = try check([
      "Sources/Upper/Reading/Reader.swift": """
      import Lower
      // Writer is only spoken of here.
      struct Reader {
        enum State { case began }
        let state = State.began
        let text = "Writer"
      }
      """,
      "Sources/Upper/Writing/Writer.swift": """
      struct Writer {
        enum State { case began, reading }
        let reader: Reader
        let state = State.reading
      }
      extension Reader {
        var written: String { text }
      }
      """,
      "Sources/CParts/low.c": "int low_count(void) { return 1; }\n",
      "Sources/CParts/high.c": "int high_count(void) { return low_count(); }\n",
    ])
    #expect(done.status == 0 && done.said.contains("nothing leads upward"), "\(done.said)")
  }

  @Test func anImportUpwardIsNamed() throws {
    let done = try check([
      "Sources/Lower/Lower.swift": "\nimport Upper\n", "Sources/Upper/Upper.swift": "import Crypto\n",
    ])
    #expect(done.status == 1)
    #expect(done.said.contains("Sources/Lower/Lower.swift:2: Lower imports Upper, which lies above it"), "\(done.said)")
    #expect(done.said.contains("Sources/Upper/Upper.swift:1: Upper imports Crypto, which is no dependency of it"))
  }

  @Test func whatIsKeptToSomeFilesIsImportedByNoOther() throws {
    let manifest = Self.manifest.replacing(
      #".target(name: "CParts"),"#,
      with: """
        .target(name: "CParts"), .target(name: "GatewayEngine"),
        .executableTarget(name: "meterhost", dependencies: ["GatewayEngine"]),
        """)
    let done = try check(
      [
        "Sources/Upper/Upper.swift": "import Lower\n", "Sources/GatewayEngine/Gateway.swift": "",
        "Sources/meterhost/Owner/LocalOwner.swift": "import GatewayEngine\n",
        "Sources/meterhost/Commands/ReadCommand.swift": "import Foundation\npackage import GatewayEngine\n",
      ], manifest: manifest)
    #expect(done.status == 1)
    let problems = done.said.split(separator: "\n").filter { $0.contains("imports") }
    #expect(problems.count == 1, "\(done.said)")
    #expect(
      problems.first?.hasPrefix(
        "Sources/meterhost/Commands/ReadCommand.swift:2: meterhost imports GatewayEngine, which is kept to Sources/meterhost/Owner/"
      ) == true, "\(done.said)")
  }

  @Test func aDependencyOnWhatIsDeclaredBehindIsNamed() throws {
    let manifest = Self.manifest.replacing(
      #".target(name: "Lower")"#, with: #".target(name: "Lower", dependencies: ["CParts"])"#)
    let done = try check(["Sources/Upper/Upper.swift": ""], manifest: manifest)
    #expect(done.status == 1)
    #expect(done.said.contains("Package.swift:7: Lower depends on CParts, which is declared behind it"), "\(done.said)")
  }

  @Test func foldersThatNeedEachOtherAreNamedWithWhatTheyUse() throws {
    let done = try check([
      "Sources/Upper/Reading/Reader.swift": "struct Reader {\n  let writer: Writer\n}\n",
      "Sources/Upper/Writing/Writer.swift":
        "struct Writer {}\n\nfunc write(_ readers: [Reader], by reader: Reader.Type) {}\n",
    ])
    #expect(done.status == 1)
    #expect(done.said.contains("Sources/Upper: 2 folders need each other"), "\(done.said)")
    #expect(
      done.said.contains(
        "Sources/Upper/Reading/Reader.swift:2: Writer of Sources/Upper/Writing/Writer.swift:1")
        || done.said.contains(
          "Sources/Upper/Writing/Writer.swift:3: Reader of Sources/Upper/Reading/Reader.swift:1"),
      "\(done.said)")
  }

  @Test func aFunctionOfAnExtensionIsWhereItIsDeclared() throws {
    let done = try check([
      "Sources/Upper/Reading/Reader.swift": "struct Reader {\n  func read() { conclude() }\n}\n",
      "Sources/Upper/Writing/Reader+Writing.swift": "extension Reader {\n  func conclude() {}\n}\n",
    ])
    #expect(done.status == 1 && done.said.contains("Sources/Upper: 2 folders need each other"), "\(done.said)")
  }

  @Test func filesBesideTheFoldersOfAModuleCount() throws {
    let done = try check([
      "Sources/Upper/Upper.swift": "struct Upper { let reader: Reader }\nstruct Failure {}\n",
      "Sources/Upper/Reading/Reader.swift": "struct Reader { let failure: Failure }\n",
    ])
    #expect(done.status == 1 && done.said.contains("2 folders need each other"), "\(done.said)")
  }

  @Test func foldersOfAFolderAreComparedToo() throws {
    let done = try check([
      "Sources/Upper/Reading/Air/Air.swift": "struct Air { let cable: Cable }\n",
      "Sources/Upper/Reading/Wire/Cable.swift": "struct Cable { var air: [Air] }\n",
    ])
    #expect(done.status == 1 && done.said.contains("Sources/Upper/Reading: 2 folders need each other"), "\(done.said)")
  }

  @Test func filesInCThatNeedEachOtherAreNamed() throws {
    let done = try check([
      "Sources/Upper/Upper.swift": "",
      "Sources/CParts/low.c": "int low_count(void) { return high_count(); }\n",
      "Sources/CParts/high.c": "int high_count(void) { return low_count(); }\n",
    ])
    #expect(done.status == 1 && done.said.contains("Sources/CParts: 2 files need each other"), "\(done.said)")
  }
}
