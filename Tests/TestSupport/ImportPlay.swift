public import Foundation
import Synchronization

/// An import driver of this repository in the hands of a host in C, `Tests/Fixtures/ImportPlay`, with address and undefined
/// behaviour sanitizers in both.
///
/// ```swift
/// let play = try ImportPlay("HealthJSON")
/// let said = try play.run(Data(#"[{"type":"steps"}]"#.utf8))
/// #expect(said.refused == 1)
/// ```
public struct ImportPlay: Sendable {
  /// A driver that could not be compiled, or a file that could not be written by its script.
  public struct Failure: Error {
    /// What was said.
    public let reason: String
  }

  /// What a driver put out.
  public struct Outcome: Sendable {
    /// One JSON object a line: samples, orders, refusals, counts, and how it ended.
    public let lines: [String]
    /// Whether the host found no broken rule.
    public let isClean: Bool

    /// Samples whose line contains all of some words.
    public func samples(_ words: String...) -> [String] {
      lines.filter { line in line.contains(#""q":"#) && words.allSatisfy(line.contains) }
    }
    /// Samples of all reasons that were refused.
    public var refused: Int {
      lines.filter { $0.hasPrefix(#"{"refused""#) }.count
    }
    /// How it ended: `done` or `fail`, samples, bytes pulled.
    public var end: String { lines.last ?? "" }
  }

  private let program: URL
  private let folder: TemporaryFolder

  /// Compiles the driver of a folder of Plugins, once a process.
  public init(_ plugin: String) throws {
    folder = try TemporaryFolder()
    program = try Self.programs.withLock { programs in
      if let known = programs[plugin] { return known }
      let made = try Self.compile(plugin, into: Self.compiled.get().url)
      programs[plugin] = made
      return made
    }
  }

  private static let programs = Mutex<[String: URL]>([:])
  private static let compiled = Result { try TemporaryFolder() }

  private static func compile(_ plugin: String, into folder: URL) throws -> URL {
    let root = CompiledBundle.root, program = folder.appending(path: plugin)
    let sources = try ["SDK/import", "Plugins/\(plugin)/Sources", "Tests/Fixtures/ImportPlay"].flatMap { path in
      let folder = root.appending(path: path)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".c") }.sorted()
        .map { folder.appending(path: $0).path }
    }
    let include = ["SDK/include", "SDK/import/include"].flatMap { ["-I", root.appending(path: $0).path] }
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    let flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra"] + sanitizers
    let done = try ChildProcess.run(
      URL(filePath: "/usr/bin/env"),
      ["clang", "-fuse-ld=lld"] + flags + include + sources + ["-lz", "-o", program.path])
    guard done.status == 0 else { throw Failure(reason: done.err) }
    return program
  }

  /// Files that a script of the fixture writes.
  public func written(by script: String, _ arguments: String...) throws -> URL {
    let path = CompiledBundle.root.appending(path: "Tests/Fixtures/ImportPlay/\(script)").path
    let done = try ChildProcess.run(URL(filePath: "/usr/bin/env"), ["python3", path, folder.path] + arguments)
    guard done.status == 0 else { throw Failure(reason: done.err) }
    return folder.url
  }

  /// Plays bytes.
  public func run(_ bytes: Data, _ arguments: String...) throws -> Outcome {
    let file = folder.url.appending(path: UUID().uuidString)
    try bytes.write(to: file)
    return try play(file, arguments)
  }

  /// Plays a file.
  public func run(_ file: URL, _ arguments: String...) throws -> Outcome { try play(file, arguments) }

  private func play(_ file: URL, _ arguments: [String]) throws -> Outcome {
    let done = try ChildProcess.run(program, [file.path] + arguments)
    return Outcome(lines: done.lines, isClean: done.status == 0)
  }
}
