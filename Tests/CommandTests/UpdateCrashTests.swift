import Foundation
import TestSupport
import Testing

/// Updates that are looked for and installed, and indexes that are made, killed at the system calls by which they change the disk: by
/// night at each, by day at the first two of a kind and every fifteenth behind them.
@Suite(
  "Updates that are killed", .serialized,
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")), .timeLimit(.minutes(60)))
struct UpdateCrashTests {
  /// What changes files, or makes changes last, in the drop-in folder and in the store. strace counts each for itself.
  private static let calls = [
    "mkdir", "mkdirat", "write", "pwrite64", "ftruncate", "fchmod", "fchmodat", "fsync", "fdatasync", "rename",
    "renameat",
    "link", "unlink", "unlinkat",
  ]
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  /// More than an update makes of any of them.
  private static let mostCalls = 1_000

  private struct EndlessUpdate: Error {
    let place: String
  }

  /// A gateway with 1.0.0 that has seen index 1 of a publisher, who has 1.1.0 in index 2.
  private struct Bench {
    let folder: PackageFolder
    let served: String
    private let before: String
    private var indexes: [Int: [String: Data]] = [:]

    private static let files = ["index.json", "index.json.sig"]

    init(_ folder: PackageFolder) async throws {
      self.folder = folder
      (served, before) = (folder.sandbox.path("public"), folder.sandbox.path("before"))
      let files = FileManager.default
      for path in [served, before] { try files.createDirectory(atPath: path, withIntermediateDirectories: true) }
      try await folder.trust()
      for (number, version) in [(1, "1.0.0"), (2, "1.1.0")] {
        let package = try await folder.package(version)
        if number == 1 { try await succeed(["install", package]) }
        try files.moveItem(atPath: package, toPath: "\(served)/org.example.scale-\(version).mhdriver")
        try await succeed(["index", served, "--key", folder.key])
        indexes[number] = try Dictionary(
          uniqueKeysWithValues: Self.files.map { ($0, try Data(contentsOf: URL(filePath: "\(served)/\($0)"))) })
        guard number == 1 else { continue }
        try await succeed(["source", "add", served])
        try await succeed(["update", "--check"])
        for name in ["state", "etc"] {
          try files.copyItem(atPath: folder.sandbox.path(name), toPath: "\(before)/\(name)")
        }
      }
    }

    func succeed(_ arguments: [String]) async throws {
      let done = try await folder.run(arguments)
      guard done.status == 0 else { throw Program.Gone(wanted: arguments.joined(separator: " "), outcome: done) }
    }

    /// Puts everything back to what it was, with the second index at the publisher's.
    func reset() throws {
      for name in ["state", "etc"] {
        try FileManager.default.removeItem(atPath: folder.sandbox.path(name))
        try FileManager.default.copyItem(atPath: "\(before)/\(name)", toPath: folder.sandbox.path(name))
      }
      try serve(2)
    }

    func serve(_ number: Int) throws {
      for (name, data) in indexes[number] ?? [:] { try data.write(to: URL(filePath: "\(served)/\(name)")) }
    }

    /// The number of the newest index that the gateway knows.
    func number() async throws -> Int {
      let listed = try await folder.run(["source", "list", "--json"])
      return try #require(try listed.objects().first?["number"] as? Int, "\(listed.err)")
    }

    /// Runs `driver` and kills it at a call; nil: the call did not come.
    func runKilled(_ arguments: [String], at call: String, _ number: Int) async throws -> Outcome? {
      let trace = folder.sandbox.path("trace")
      let program = try Installation.shared().program.path
      let done = try await Program(
        ["-f", "-qqq", "-o", trace, "-e", "trace=\(call)", "-e", "inject=\(call):signal=SIGKILL:when=\(number)", "--"]
          + [program, "driver"] + arguments, in: folder.sandbox, environment: folder.environment,
        program: URL(filePath: "/usr/bin/strace")
      ).outcome()
      waitUntilFree(stateFolder: URL(filePath: folder.sandbox.path("state")))
      // A worker ends by the host's SIGKILL every time: only the host's own end tells that it was the fault.
      return done.isSignalled || done.status != 0 ? done : nil
    }
  }

  /// Calls `meets` for places of each kind of call until one did not come.
  private static func everywhere(_ meets: (_ call: String, _ number: Int) async throws -> Bool) async throws -> Int {
    var met = 0
    for call in calls {
      var number = 1
      while try await meets(call, number) {
        met += 1
        number += isNightly || number < 2 ? 1 : 15
        // What fails without any fault would be met for ever.
        guard number <= mostCalls else { throw EndlessUpdate(place: "\(call) \(number)") }
      }
    }
    return met
  }

  @Test("the old version or the new one is in use, whole, and an index that was seen is never gone back from")
  func update() async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let bench = try await Bench(folder)
      var seen: Set<String> = []
      let met = try await Self.everywhere { call, number in
        try bench.reset()
        guard try await bench.runKilled(["update"], at: call, number) != nil else { return false }
        let place = "\(call) \(number)"
        let version = try folder.version() ?? "none"
        #expect(["1.0.0", "1.1.0"].contains(version), "\(place): \(version)")
        seen.insert(version)
        // Somebody brings the old index back.
        let known = try await bench.number()
        #expect(known == 2 || known == 1 && version == "1.0.0", "\(place): index \(known) and \(version)")
        try bench.serve(1)
        let checked = try await folder.run(["update", "--check", "--json"])
        #expect((checked.status == 0) == (known == 1), "\(place): \(checked.out)\(checked.err)")
        #expect(try await bench.number() >= known, "\(place)")
        #expect(try folder.version() == version, "\(place)")
        try bench.serve(2)
        try await bench.succeed(["update"])
        #expect(try folder.version() == "1.1.0", "\(place)")
        #expect(try await bench.number() == 2, "\(place)")
        // The next change tidies up, whatever it is.
        try await bench.succeed(["disable", ScaleFolder.id])
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.fragments).filter { path in
          path.hasSuffix(".part") || path.contains(".staging")
        }
        #expect(left.isEmpty, "\(place): \(left)")
        return true
      }
      #expect(met >= Self.calls.count && seen == ["1.0.0", "1.1.0"], "\(met) \(seen)")
    }
  }

  @Test("an index that was being made counts or does not, and the next one has a higher number") func index()
    async throws
  {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      let bench = try await Bench(folder)
      let making = ["index", bench.served, "--key", folder.key]
      let met = try await Self.everywhere { call, number in
        try bench.reset()
        guard try await bench.runKilled(making, at: call, number) != nil else { return false }
        let place = "\(call) \(number)"
        // Half of the two files is refused, and changes nothing.
        let between = try await folder.run(["update", "--check", "--json"])
        let known = try await bench.number()
        #expect((between.status == 0) == (known >= 2), "\(place): index \(known), \(between.err)")
        #expect(try folder.version() == "1.0.0", "\(place)")
        try await bench.succeed(making)
        try await bench.succeed(["update", "--check"])
        #expect(try await bench.number() > max(known, 2), "\(place)")
        return true
      }
      #expect(met >= 4, "\(met)")
    }
  }
}
