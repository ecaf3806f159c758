import Foundation
import TestSupport

/// Tests/Fixtures/ImportHost, a program that plays the host of an import bundle and says what came out.
enum AppleHost {
  /// What an import came to.
  struct Outcome: Decodable {
    /// `done`, `failed`, or `fault`: the driver has broken the contract.
    let end: String
    /// Why it failed, or what the fault is.
    let text: String
    let partial: Bool
    /// When the export was written, microseconds since 1970.
    let exported: Int64
    let samples: Int
    let digest: String
    let refused: [String: Int]
    let counts: [String: Int]

    /// Counts by the end of the type's name.
    func count(_ type: String) -> Int { counts.first { $0.key.hasSuffix("Identifier" + type) }?.value ?? 0 }
  }

  struct Attribute: Decodable {
    let key: String
    let value: String?
    let unit: String?
    let text: String?
  }

  struct Sample: Decodable {
    let start: Int64
    let end: Int64
    let flags: Int
    let type: String
    let source: String
    /// `MANTISSAeEXPONENT`.
    let value: String?
    let unit: String?
    let word: Int?
    let text: String
    let id: String
    let attributes: [Attribute]

    /// The number of an attribute, or its text.
    subscript(key: String) -> String? {
      attributes.first { $0.key == key }.flatMap { $0.value ?? $0.text }
    }
  }

  struct Name: Decodable {
    let name: String
    let index: Int
    let quantity: Int
    let flags: Int
    let text: String
    let key: String
    let detail: String
  }

  /// A line about many runs: of `--chunks`, `--cuts` and `--mutate`.
  struct Sweep: Decodable {
    let different: Int?
    let wrong: Int?
    let failed: Int?
    let partial: Int?
    let counted: Int?
    let mutants: Int?
  }

  /// All that was put out.
  struct Reading {
    var names: [Name] = []
    var samples: [Sample] = []
    var outcome: Outcome?

    func sources() -> [Name] { names.filter { $0.name == "source" } }
  }

  /// The text of a run, by lines.
  static func lines(_ file: [UInt8], _ options: [String] = []) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "export")
    try Data(file).write(to: path)
    return try lines(of: path, options)
  }

  static func lines(of path: URL, _ options: [String] = []) throws -> [String] {
    let program = try CompiledBundle.compile(
      CompiledBundle.root.appending(path: "Tests/Fixtures/ImportHost/host.c"),
      include: CompiledBundle.root.appending(path: "SDK/include"), isBundle: false)
    let bundle = BuildProducts.folder.appending(path: "libmh-apple-health.so").path
    let done = try ChildProcess.run(
      program, ["--bundle", bundle, "--format", "apple-health"] + options + [path.path])
    guard !done.end.isSignalled, done.status <= 1, !done.lines.isEmpty else {
      throw CompiledBundle.Failure(message: "the host of the tests ended with \(done.status): \(done.err)")
    }
    return done.lines
  }

  static func outcome(_ file: [UInt8], _ options: [String] = []) throws -> Outcome {
    try decode(Outcome.self, lines(file, options).last ?? "")
  }

  static func outcome(of path: URL, _ options: [String] = []) throws -> Outcome {
    try decode(Outcome.self, lines(of: path, options).last ?? "")
  }

  static func sweep(_ file: [UInt8], _ options: [String]) throws -> Sweep {
    try decode(Sweep.self, lines(file, options).last ?? "")
  }

  static func read(_ file: [UInt8], _ options: [String] = []) throws -> Reading {
    var reading = Reading()
    for line in try lines(file, ["--samples"] + options) {
      if line.hasPrefix("{\"name\"") {
        reading.names.append(try decode(Name.self, line))
      } else if line.hasPrefix("{\"start\"") {
        reading.samples.append(try decode(Sample.self, line))
      } else {
        reading.outcome = try decode(Outcome.self, line)
      }
    }
    return reading
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ line: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(line.utf8))
  }
}
