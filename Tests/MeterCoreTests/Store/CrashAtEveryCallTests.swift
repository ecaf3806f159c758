import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A process that commits readings is killed at each of the system calls by which it changes the disk; one that repairs, by day
/// at every second.
@Suite("Killed at every system call", .timeLimit(.minutes(60)))
struct CrashAtEveryCallTests {
  /// What changes files, or makes changes last. strace counts them for each thread.
  private static let calls = "pwrite64,write,fdatasync,fsync,ftruncate,fallocate,unlink,rename,mkdir,link,chmod"
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  /// Each makes the same calls again.
  private static let units = isNightly ? 4 : 2

  private func probe(
    _ folder: TemporaryFolder, _ mode: String, units: Int = units, killedAt number: Int? = nil
  ) throws -> KilledProbe {
    try KilledProbe(folder, ["\(units)", mode], calls: Self.calls, killedAt: number)
  }

  /// What is wrong with the folder; it must hold whole units up to the cursor, and at least what was acknowledged.
  private func problem(_ folder: TemporaryFolder, acknowledged: Int) throws -> String? {
    let store = try MeterStore(folder: folder.whenFree())
    let sequences = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }
    let generation = try store.currentSession().generation
    let cursor = try store.storage(generation: generation, family: "probe", meter: Fixture.meter)["user/cursor"]?.first
    let units = Int(cursor ?? 0)
    guard sequences == (1...UInt64(Self.units * 3)).prefix(units * 3).map({ $0 }) else {
      return "\(sequences) with cursor \(units)"
    }
    guard (acknowledged...acknowledged + 1).contains(units) else {
      return "\(units) units, \(acknowledged) acknowledged"
    }
    let pending = try store.tally()[.pending] ?? 0
    return pending == sequences.count ? nil : "\(pending) pending of \(sequences.count)"
  }

  /// What is wrong with a folder whose repair was killed, and with the next repair.
  private func repairedProblem(_ folder: TemporaryFolder) throws -> String? {
    for repairs in [false, true] {
      if repairs { _ = try MeterStore.repair(folder: folder.whenFree()) }
      let store = try MeterStore(folder: folder.whenFree())
      let sequences = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }
      guard sequences == (1...UInt64(Self.units * 3)).map({ $0 }) else { return "\(repairs): \(sequences)" }
      if let damage = try store.damage().first { return damage }
    }
    return nil
  }

  @Test("nothing acknowledged is lost, nothing is there by half, and the next run goes on where it was")
  func everyCall() async throws {
    let found = try await killEverywhere("alone")
    #expect(found.problems == [])
    #expect(found.deaths == Set(0...Self.units), "it dies before, between and after the commits")
  }

  @Test("killed anywhere in a repair: the damaged database or the new one is there, with everything")
  func everyCallOfARepair() async throws {
    let found = try await killEverywhere("repair")
    #expect(found.problems == [])
    #expect(found.deaths == [0], "the repair writes nothing new")
  }

  private struct Findings: Sendable {
    var problems: [String] = []
    /// How many units had been acknowledged when the probe died.
    var deaths: Set<Int> = []
  }

  /// Kills the probe at one call after the other, until it lives to its end; on a thread of its own, because the probe is
  /// waited for, and other tests need the threads that tests share.
  private func killEverywhere(_ mode: String) async throws -> Findings {
    try await onOwnThread { try killOneByOne(mode) }
  }

  private func killOneByOne(_ mode: String) throws -> Findings {
    var findings = Findings()
    let full = try TemporaryFolder(inMemory: true)
    if mode == "repair" { _ = try probe(full, "alone") }
    for place in stride(from: 1, to: .max, by: mode == "repair" && !Self.isNightly ? 2 : 1) {
      // Who is killed leaves what it has written to the kernel: no disk is waited for.
      let folder = try TemporaryFolder(inMemory: true)
      if mode == "repair" {
        try FileManager.default.copyItem(at: full.state, to: folder.state)
        let run = try probe(folder, mode, killedAt: place)
        guard run.isKilled else { break }
        findings.deaths.insert(run.last("acknowledged"))
        if let problem = try repairedProblem(folder) {
          findings.problems.append("killed at call \(place): \(problem)")
        }
        continue
      }
      let run = try probe(folder, mode, killedAt: place)
      guard run.isKilled else {
        if run.last("acknowledged") != Self.units { findings.problems.append("not killed: \(run.lines)") }
        break
      }
      findings.deaths.insert(run.last("acknowledged"))
      if let problem = try problem(folder, acknowledged: run.last("acknowledged")) {
        findings.problems.append("killed at call \(place): \(problem)")
      }
      let next = try probe(folder, mode)
      if let problem = try problem(folder, acknowledged: Self.units) {
        findings.problems.append("after call \(place): \(problem), \(next.lines)")
      }
    }
    return findings
  }
}
