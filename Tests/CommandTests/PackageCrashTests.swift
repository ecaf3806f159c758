import Foundation
import TestSupport
import Testing

/// An installation is killed, or the disk is full, at each of the system calls by which it changes the disk.
@Suite("Installing on a machine that fails", .timeLimit(.minutes(15))) struct PackageCrashTests {
  /// What changes files, or makes changes last. strace counts each of them for itself, and for each thread.
  private static let calls = ["mkdirat", "fchmodat", "write", "fchmod", "fsync", "renameat", "unlinkat"]
  /// Files that are written when the bundle was started in a worker, so perhaps on another thread: counted by themselves.
  private static let lateFiles = [".org.example.scale.json.part", ".versions.json.part", ".record.json.part"]

  /// More than an installation makes of any of them.
  private static let mostCalls = 500

  private struct EndlessInstallation: Error {
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

  /// Runs `driver install` with a fault; it waits, so it belongs on a thread of its own.
  private static func install(
    _ file: String, _ folder: PackageFolder, _ fault: Fault, at place: Place
  ) throws -> ChildProcess.Outcome {
    var arguments = ["-f", "-qqq", "-o", folder.sandbox.path("trace")]
    if let name = place.file {
      let owner = name.contains("versions") ? "packages/" : name.contains("record") ? "packages/\(ScaleFolder.id)/" : ""
      arguments += ["-P", name, "-P", "\(folder.fragments)/\(owner)\(name)"]
    }
    arguments += ["-e", "trace=\(place.call)"]
    arguments += ["-e", "inject=\(place.call):\(fault.rawValue):when=\(place.number)", "--"]
    arguments += [try Installation.shared().program.path, "driver", "install", file, "--json"]
    return try ChildProcess.run(
      URL(filePath: "/usr/bin/strace"), arguments,
      environment: [
        "HOME": folder.sandbox.root.path, "PATH": "/usr/bin:/bin", "METERHOST_REGISTRY_FRAGMENTS": folder.fragments,
        "METERHOST_STATE": folder.sandbox.path("state"),
      ])
  }

  @Test("leaves the old version or the new one, and the next installation goes on", arguments: Fault.allCases)
  func faultEverywhere(fault: Fault) async throws {
    try await Sandbox.with { sandbox in
      let folder = try await PackageFolder(in: sandbox)
      try await folder.trust()
      let packages = [try await folder.package("1.0.0"), try await folder.package("1.1.0")]
      guard try await folder.run(["install", packages[0]]).status == 0 else { throw CancellationError() }
      let before = sandbox.path("before")
      try FileManager.default.copyItem(atPath: folder.fragments, toPath: before)
      let seen = try await onOwnThread { () throws -> Set<String> in
        var seen: Set<String> = []
        for file in [nil] + Self.lateFiles.map(Optional.some) {
          for call in fault.calls {
            var place = Place(call: call, file: file)
            // Until there are fewer calls of this kind than that.
            while try meets(fault, at: place, packages[1], folder, before, &seen) {
              place.number += 1
              // An installation that fails without any fault would be met for ever.
              guard place.number <= Self.mostCalls else { throw EndlessInstallation(place: "\(place)") }
            }
          }
        }
        return seen
      }
      #expect(seen == ["1.0.0", "1.1.0"], "faults come before and after the new version is in use")
    }
  }

  /// One installation with a fault over a fresh copy of the folder; false: the fault never came.
  private func meets(
    _ fault: Fault, at place: Place, _ package: String, _ folder: PackageFolder, _ before: String,
    _ seen: inout Set<String>
  ) throws -> Bool {
    try FileManager.default.removeItem(atPath: folder.fragments)
    try FileManager.default.copyItem(atPath: before, toPath: folder.fragments)
    let done = try Self.install(package, folder, fault, at: place)
    let trace = try String(contentsOfFile: folder.sandbox.path("trace"), encoding: .utf8)
    // A worker ends by the host's SIGKILL every time: only the host's own end tells that it was the fault.
    guard trace.contains("INJECTED") || done.status != 0 else { return false }
    if fault == .diskFull { #expect(!done.end.isSignalled) }
    let found = try folder.version() ?? "none"
    #expect(["1.0.0", "1.1.0"].contains(found), "\(place): \(found)")
    seen.insert(found)
    if done.status == 0 { #expect(found == "1.1.0", "\(place)") }
    let next = try ChildProcess.run(
      try Installation.shared().program, ["driver", "install", package],
      environment: ["METERHOST_REGISTRY_FRAGMENTS": folder.fragments, "METERHOST_STATE": folder.sandbox.path("state")])
    #expect(next.status == 0, "\(place): \(next.err)")
    #expect(try folder.version() == "1.1.0", "\(place)")
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.fragments).filter { path in
      path.hasSuffix(".part") || path.contains(".staging")
    }
    #expect(left.isEmpty, "\(place): \(left)")
    let versions = try FileManager.default.contentsOfDirectory(
      atPath: "\(folder.fragments)/packages/\(ScaleFolder.id)"
    ).filter { $0.hasPrefix("1.") }
    #expect(versions.count <= 2, "\(place): \(versions)")
    return true
  }
}
