import Foundation
import RecordSupport
import TestSupport
import Testing

@testable import MeterCore

/// A process that commits with others in one transaction, or that ends its session and takes the recovery file back, is killed
/// at the system calls by which it changes the disk: at each of them every night, at a sample of them for each change.
@Suite("Killed in shared transactions and at a session's end", .timeLimit(.minutes(60)))
struct CrashInGroupsAndEndsTests {
  /// What changes files, or makes changes last. strace counts them for each thread.
  private static let calls = "pwrite64,write,fdatasync,fsync,ftruncate,fallocate,unlink,rename,mkdir,link,chmod"
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"

  private struct Findings: Sendable {
    var problems: [String] = []
    /// How many units had been acknowledged when the probe died.
    var deaths: Set<Int> = []
    var kills = 0
  }

  /// Kills the probe at its first call and so on, until it lives to its end; on a thread of its own, because the probe is
  /// waited for, and other tests need the threads that tests share.
  ///
  /// - Parameters:
  ///   - mode: What the probe does.
  ///   - units: How many units it commits; it has committed `before` when it is started to be killed.
  ///   - stride: Calls from one kill to the next.
  ///   - problem: What is wrong with a folder, of the probe that has said these lines.
  private func kill(
    _ mode: String, units: Int, before: Int, stride: Int,
    _ problem: @escaping @Sendable (TemporaryFolder, KilledProbe) throws -> String?
  ) async throws -> Findings {
    try await onOwnThread {
      var findings = Findings()
      for place in Swift.stride(from: 1, to: .max, by: Self.isNightly ? 1 : stride) {
        let folder = try TemporaryFolder()
        _ = try KilledProbe(folder, ["\(before)", mode], calls: Self.calls)
        let run = try KilledProbe(folder, ["\(units)", mode], calls: Self.calls, killedAt: place)
        if let problem = try problem(folder, run) { findings.problems.append("killed at call \(place): \(problem)") }
        guard run.isKilled else { break }
        findings.kills += 1
        findings.deaths.insert(run.last("acknowledged"))
        let next = try KilledProbe(folder, ["\(units)", mode], calls: Self.calls)
        if let problem = try problem(folder, next) { findings.problems.append("after call \(place): \(problem)") }
      }
      return findings
    }
  }

  @Test("of submitters who share transactions with one who is refused, each keeps what was acknowledged, and no half")
  func sharedTransactions() async throws {
    let units = Self.isNightly ? 4 : 2
    let found = try await kill("shared", units: units, before: 0, stride: 9) { try sharedProblem($0, $1, units) }
    #expect(found.problems == [])
    // Which thread serves a commit, and so which calls are counted together, is not the test's to say.
    #expect(found.kills > 5, "\(found.kills)")
    #expect(found.deaths.count > 1, "it dies between the commits as well: \(found.deaths)")
  }

  @Test("while a session ends and its file is taken back, every reading is in the queue or in the file, once")
  func sessionEnd() async throws {
    let units = Self.isNightly ? 4 : 2
    let found = try await kill("end", units: units, before: 1, stride: 5) { try endProblem($0, $1, units) }
    #expect(found.problems == [])
    #expect(found.kills > 10, "\(found.kills)")
    #expect(found.deaths.isSuperset(of: [0, units]), "it dies before and after the end: \(found.deaths)")
  }
}

/// What is wrong after submitters have shared transactions.
private func sharedProblem(_ folder: TemporaryFolder, _ run: KilledProbe, _ units: Int) throws -> String? {
  let store = try MeterStore(folder: folder.whenFree())
  let generation = try store.currentSession().generation
  let sequences = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }.sorted()
  var expected: [UInt64] = []
  for lane in 1...7 {
    let cursor = try store.storage(generation: generation, family: "probe\(lane)", meter: Fixture.meter)["user/cursor"]
    let done = Int(cursor?.first ?? 0)
    expected += (0..<done * 3).map { UInt64(lane * 1000 + $0 + 1) }
    let acknowledged = run.last("lane \(lane)")
    // One more may be on disk whose acknowledgement was cut off; a run that says nothing has found what was there.
    guard done >= acknowledged, done <= (run.isKilled ? acknowledged + 1 : units) else {
      return "lane \(lane) has \(done) units, \(acknowledged) acknowledged"
    }
    guard run.isKilled || done == units else { return "lane \(lane) ended with \(done) units: \(run.lines)" }
  }
  return sequences == expected ? nil : "\(sequences), expected \(expected)"
}

/// What is wrong after a session has ended, when what it has left is taken back.
private func endProblem(_ folder: TemporaryFolder, _ run: KilledProbe, _ units: Int) throws -> String? {
  let store = try MeterStore(folder: folder.whenFree())
  if try store.currentSession().user == nil {
    guard try store.queueSnapshot().isEmpty else { return "rows of a session that has ended" }
    guard store.recordings.files.isEmpty else { return "recordings of a session that has ended" }
    _ = try store.startSession(Fixture.user, token: Fixture.token)
  }
  let recovery = folder.state.appending(path: "recovery")
  let names = (try? FileManager.default.contentsOfDirectory(atPath: recovery.path)) ?? []
  for name in names where name.hasSuffix(".jsonl") {
    let taken = try store.recover(recovery.appending(path: name))
    if let problem = taken.imageProblems.first { return problem }
  }
  let found = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }.sorted()
  // The first unit was there before.
  let acknowledged = max(1, run.last("acknowledged"))
  let most = run.isKilled ? acknowledged + 1 : units
  guard found == (0..<found.count).map({ UInt64($0 + 1) }), found.count.isMultiple(of: 3),
    (acknowledged...max(acknowledged, most)).contains(found.count / 3)
  else { return "\(found), \(acknowledged) units acknowledged" }
  guard run.isKilled || found.count == units * 3 else { return "\(found) at the end: \(run.lines)" }
  let pending = try store.tally()[.pending] ?? 0
  guard pending == found.count else { return "\(pending) pending of \(found.count)" }
  let images = try store.imageSnapshot().count
  return images == 1 ? nil : "\(images) images"
}
