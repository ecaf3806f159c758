import Foundation
import TestSupport
import Testing

/// A change of the installed packages is killed, or the disk is full, at the system calls by which it changes the disk: by night at each, by
/// day at the first three of a kind and every fourth behind them.
@Suite("Installing on a machine that fails", .serialized, .timeLimit(.minutes(60))) struct PackageCrashTests {
  /// What changes files, or makes changes last. strace counts each of them for itself, and for each thread.
  private static let calls = ["mkdirat", "fchmodat", "write", "fchmod", "fsync", "renameat", "unlinkat"]
  /// Files that are written when the bundle was started in a worker, so perhaps on another thread: counted by themselves.
  private static let lateFiles = [".org.example.scale.json.part", ".versions.json.part", ".record.json.part"]

  /// A change, and what the registry has before it and after it.
  enum Change: String, CaseIterable, Sendable {
    case install, update, rollback, enable, disable, remove

    var before: String { [.install, .enable].contains(self) ? "none" : self == .update ? "1.0.0" : "1.1.0" }
    var after: String {
      switch self {
      case .install, .update, .enable: "1.1.0"
      case .rollback: "1.0.0"
      case .disable, .remove: "none"
      }
    }

    /// The packages that are installed before.
    func installed(of packages: [String]) -> [String] {
      switch self {
      case .install: []
      case .update: [packages[0]]
      default: packages
      }
    }

    /// As the program is called for it.
    func arguments(_ packages: [String]) -> [String] {
      [.install, .update].contains(self) ? ["install", packages[1]] : [rawValue, ScaleFolder.id]
    }

    /// What somebody does next, and what the registry has then.
    func next(_ packages: [String], found: String) -> (arguments: [String], version: String) {
      switch self {
      case .remove: (["install", packages[1]], "1.1.0")
      // A second one goes forward again.
      case .rollback where found == after: (["enable", ScaleFolder.id], after)
      default: (arguments(packages), after)
      }
    }

    /// Those that start a worker may write the rest on another thread.
    var lateFiles: [String] {
      switch self {
      case .disable, .remove: []
      case .enable: ["disabled.json"] + PackageCrashTests.lateFiles
      default: PackageCrashTests.lateFiles
      }
    }
  }

  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  /// More than a change makes of any of them.
  private static let mostCalls = 500

  private struct EndlessChange: Error {
    let place: String
  }

  enum Fault: String, CaseIterable, Sendable {
    case killed = "signal=SIGKILL"
    case diskFull = "error=ENOSPC"

    /// A full disk refuses what needs room.
    var calls: [String] { self == .killed ? PackageCrashTests.calls : ["mkdirat", "write", "fsync", "renameat"] }
  }

  /// Where the fault comes: at the n-th call of a kind, of all or of those that touch one file.
  private struct Place: CustomStringConvertible {
    let call: String
    var number = 1
    let file: String?

    var description: String { "\(call) \(number) of \(file ?? "all")" }
  }

  /// Runs `driver` with a fault; it waits, so it belongs on a thread of its own.
  private static func run(
    _ command: [String], _ folder: PackageFolder, _ fault: Fault, at place: Place
  ) throws -> ChildProcess.Outcome {
    var arguments = ["-f", "-qqq", "-o", folder.sandbox.path("trace")]
    if let name = place.file {
      let isOwn = name.contains("record") || name.contains("disabled")
      let owner = name.contains("versions") ? "packages/" : isOwn ? "packages/\(ScaleFolder.id)/" : ""
      arguments += ["-P", name, "-P", "\(folder.fragments)/\(owner)\(name)"]
    }
    arguments += ["-e", "trace=\(place.call)"]
    arguments += ["-e", "inject=\(place.call):\(fault.rawValue):when=\(place.number)", "--"]
    arguments += [try Installation.shared().program.path, "driver"] + command + ["--json"]
    return try ChildProcess.run(
      URL(filePath: "/usr/bin/strace"), arguments,
      environment: [
        "HOME": folder.sandbox.root.path, "PATH": "/usr/bin:/bin", "METERHOST_REGISTRY_FRAGMENTS": folder.fragments,
        "METERHOST_STATE": folder.sandbox.path("state"),
      ])
  }

  @Test(
    "leaves what was before or what is after, and the next change goes on", arguments: Change.allCases, Fault.allCases)
  func faultEverywhere(change: Change, fault: Fault) async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let packages = [try await folder.package("1.0.0"), try await folder.package("1.1.0")]
      let made =
        change.installed(of: packages).map { ["install", $0] }
        + (change == .enable ? [["disable", ScaleFolder.id]] : [])
      for command in made {
        let done = try await folder.run(command)
        try #require(done.status == 0, "\(done.err)")
      }
      let before = sandbox.path("before")
      try FileManager.default.copyItem(atPath: folder.fragments, toPath: before)
      let seen = try await onOwnThread { () throws -> Set<String> in
        var seen: Set<String> = []
        for file in [nil] + change.lateFiles.map(Optional.some) {
          for call in fault.calls {
            var place = Place(call: call, file: file)
            // Until there are fewer calls of this kind than that.
            while try meets(change, fault, at: place, packages, folder, before, &seen) {
              place.number += Self.isNightly || place.number < 3 ? 1 : 4
              // A change that fails without any fault would be met for ever.
              guard place.number <= Self.mostCalls else { throw EndlessChange(place: "\(place)") }
            }
          }
        }
        return seen
      }
      #expect(seen == [change.before, change.after], "faults come before and after the change is true")
    }
  }

  /// One change with a fault over a fresh copy of the folder; false: the fault never came.
  private func meets(
    _ change: Change, _ fault: Fault, at place: Place, _ packages: [String], _ folder: PackageFolder,
    _ before: String, _ seen: inout Set<String>
  ) throws -> Bool {
    try FileManager.default.removeItem(atPath: folder.fragments)
    try FileManager.default.copyItem(atPath: before, toPath: folder.fragments)
    let done = try Self.run(change.arguments(packages), folder, fault, at: place)
    let trace = try String(contentsOfFile: folder.sandbox.path("trace"), encoding: .utf8)
    // A worker ends by the host's SIGKILL every time: only the host's own end tells that it was the fault.
    guard trace.contains("INJECTED") || done.status != 0 else { return false }
    if fault == .diskFull { #expect(!done.end.isSignalled) }
    let found = try folder.version() ?? "none"
    #expect([change.before, change.after].contains(found), "\(place): \(found)")
    seen.insert(found)
    if done.status == 0 { #expect(found == change.after, "\(place)") }
    let next = change.next(packages, found: found)
    let outcome = try ChildProcess.run(
      try Installation.shared().program, ["driver"] + next.arguments,
      environment: ["METERHOST_REGISTRY_FRAGMENTS": folder.fragments, "METERHOST_STATE": folder.sandbox.path("state")])
    #expect(outcome.status == 0, "\(place): \(outcome.err)")
    #expect(try folder.version() ?? "none" == next.version, "\(place)")
    try expectTidiness(folder, place)
    return true
  }

  private func expectTidiness(_ folder: PackageFolder, _ place: Place) throws {
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.fragments).filter { path in
      path.hasSuffix(".part") || path.contains(".staging")
    }
    #expect(left.isEmpty, "\(place): \(left)")
    let versions = try FileManager.default.contentsOfDirectory(
      atPath: "\(folder.fragments)/packages/\(ScaleFolder.id)"
    ).filter { $0.hasPrefix("1.") }
    #expect(versions.count <= 2, "\(place): \(versions)")
  }
}
