import Foundation
import TestSupport
import Testing

/// What a bundle has made of its worker does not matter when the host is gone.
@Suite("A driver that would outlive its host", .timeLimit(.minutes(5))) struct OutlivingDriverTests {
  /// A process as everybody may see it.
  private struct Seen {
    let parent: Int32
    let state: Substring
    /// How many filters of system calls it has.
    let filters: Int

    init?(_ pid: Int32) {
      guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return nil }
      var facts: [Substring: Substring] = [:]
      for line in status.split(separator: "\n") {
        let words = line.split(separator: ":", maxSplits: 1)
        if words.count == 2 { facts[words[0]] = words[1].drop { $0 == "\t" || $0 == " " } }
      }
      guard let parent = facts["PPid"].flatMap({ Int32($0) }) else { return nil }
      (self.parent, state, filters) = (parent, facts["State"] ?? "", facts["Seccomp_filters"].flatMap { Int($0) } ?? 0)
    }
  }

  /// The worker in which the bundle's constructor has done its work: that of loading, and one of the constructor's own.
  private func worker(of host: Program) async throws -> Int32 {
    while true {
      let pid = try #require(host.pid, "the host has ended")
      let own = try #require(Seen(pid)).filters
      let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
      let found = all.first { Seen($0).map { $0.parent == pid && $0.filters == own + 2 } == true }
      if let found { return found }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test(
    "is killed with it, also when its worker's own way out is gone",
    .enabled(
      if: (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.contains("Seccomp_filters") == true))
  func killed() async throws {
    try await Sandbox.with { sandbox in
      let bundle = try CompiledBundle.make(
        ["main.c", "crashes.c", "hangs.c", "greed.c", "lies.c", "escapes.c", "stays.c"], in: "Misbehaving",
        defines: ["IN_CONSTRUCTOR=\"outlive\"", "KIT_ID=\"\(CrashingDriver.id)\""])
      let environment = try await CrashingDriver.install(in: sandbox, bundle: bundle)
      let host = try Program(
        ["driver", "call", CrashingDriver.id, "self_test"], in: sandbox, environment: environment)
      let worker = try await worker(of: host)
      defer { Glibc.kill(worker, SIGKILL) }
      host.kill()
      #expect(await host.outcome().isSignalled)
      // Whoever takes it over may leave its remains.
      while let seen = Seen(worker), !seen.state.hasPrefix("Z") {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }
}
