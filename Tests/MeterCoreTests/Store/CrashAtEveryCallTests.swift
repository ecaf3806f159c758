import Foundation
import TestSupport
import Testing

@testable import MeterCore

/// A process that commits readings is killed at each of the system calls by which it changes the disk.
@Suite("Killed at every system call", .timeLimit(.minutes(15)))
struct CrashAtEveryCallTests {
  /// What changes files, or makes changes last. strace counts them for each thread.
  private static let calls = "pwrite64,write,fdatasync,fsync,ftruncate,fallocate,unlink,rename,mkdir,link,chmod"
  private static let units = 4

  private struct Run {
    let isKilled: Bool
    let lines: [String]

    var acknowledged: Int { lines.compactMap { Int($0.dropFirst("acknowledged ".count)) }.last ?? 0 }
  }

  /// Runs the probe; with a number it is killed at that call, before the kernel does it.
  private func probe(
    _ folder: TemporaryFolder, _ mode: String, units: Int = units, killedAt number: Int? = nil
  ) throws -> Run {
    let process = Process()
    let program = BuildProducts.folder.appending(path: "store-probe")
    let arguments = [folder.state.path, "\(units)", mode]
    if let number {
      process.executableURL = URL(filePath: "/usr/bin/strace")
      process.arguments =
        [
          "-f", "-qqq", "-o", folder.url.appending(path: "trace").path, "-e", "trace=\(Self.calls)", "-e",
          "inject=\(Self.calls):signal=SIGKILL:when=\(number)", "--", program.path,
        ] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    waitUntilReleased(folder)
    let isKilled = process.terminationReason == .uncaughtSignal || process.terminationStatus == 128 + SIGKILL
    return Run(isKilled: isKilled, lines: said.split(separator: "\n").map(String.init))
  }

  /// The kernel takes a killed process apart after its tracer has gone; the lock of the folder says when it is done.
  private func waitUntilReleased(_ folder: TemporaryFolder) {
    let lock = open(folder.state.appending(path: "lock").path, O_RDWR | O_CLOEXEC)
    guard lock >= 0 else { return }
    flock(lock, LOCK_EX)
    close(lock)
  }

  /// What the folder holds: whole units up to the cursor, and at least what was acknowledged.
  private func check(_ folder: TemporaryFolder, _ run: Run, _ place: Int) throws {
    let store = try MeterStore(folder: folder.state)
    let sequences = try store.queueSnapshot().compactMap { $0.record?.deviceSequence }
    let generation = try store.currentSession().generation
    let cursor = try store.storage(generation: generation, family: "probe", meter: Fixture.meter)["user/cursor"]?.first
    let units = Int(cursor ?? 0)
    #expect(sequences == (1...12).prefix(units * 3).map { UInt64($0) }, "killed at call \(place)")
    #expect(units >= run.acknowledged, "killed at call \(place)")
    #expect(units <= run.acknowledged + 1, "killed at call \(place)")
    #expect(try store.tally()[.pending] ?? 0 == sequences.count, "killed at call \(place)")
  }

  @Test("nothing acknowledged is lost, nothing is there by half, and the next run goes on where it was")
  func everyCall() throws {
    let deaths = try killEverywhere("alone") { _ in }
    #expect(deaths == Set(0...Self.units), "it dies before, between and after the commits")
  }

  @Test("the same for those who share transactions, in a folder that is there already")
  func everySharedCall() throws {
    let deaths = try killEverywhere("shared") { folder in
      let opened = try probe(folder, "shared", units: 0)
      #expect(opened.lines == ["opened"])
    }
    // Which thread serves a commit, and so which calls are counted together, is not the test's to say.
    #expect(deaths.contains { $0 > 0 }, "it dies between the commits as well")
  }

  /// Kills the probe at its first call, its second and so on, until it lives to its end.
  ///
  /// - Returns: How many units had been acknowledged when it died.
  private func killEverywhere(_ mode: String, _ prepare: (TemporaryFolder) throws -> Void) throws -> Set<Int> {
    var deaths: Set<Int> = []
    for place in 1... {
      let folder = try TemporaryFolder()
      try prepare(folder)
      let run = try probe(folder, mode, killedAt: place)
      guard run.isKilled else {
        #expect(run.lines.last == "acknowledged \(Self.units)", "\(run.lines)")
        break
      }
      try check(folder, run, place)
      deaths.insert(run.acknowledged)
      let next = try probe(folder, mode)
      #expect(
        next.lines.last == "acknowledged \(Self.units)" || run.acknowledged == Self.units, "\(place): \(next.lines)")
      try check(folder, Run(isKilled: false, lines: ["acknowledged \(Self.units)"]), place)
    }
    return deaths
  }
}
