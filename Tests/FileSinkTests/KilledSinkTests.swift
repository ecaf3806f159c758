import Foundation
import Glibc
import MeterCore
import TestSupport
import Testing

@testable import FileSink

/// `file-sink-probe` writes readings in batches and says so after each; it is killed again and again, and begins each time some
/// batches before the last one that it has acknowledged, as a store does that had no time to note them.
@Suite("Killed while it writes files", .timeLimit(.minutes(60)))
struct KilledSinkTests {
  private static let isNightly = ProcessInfo.processInfo.environment["METERHOST_NIGHTLY"] == "1"
  private static let batch = 40
  private static let program = BuildProducts.folder.appending(path: "file-sink-probe")

  private let files: SinkFiles
  private let format: FileSinkSetting.Format

  private init(_ format: FileSinkSetting.Format) throws {
    self.format = format
    files = try SinkFiles(format)
  }

  init() throws { try self.init(.jsonLines) }

  private func arguments(from first: Int, to last: Int) -> [String] {
    [files.url.path, format.rawValue, "\(first)", "\(last)", "\(Self.batch)"]
  }

  /// The last batch that was acknowledged in what a probe has said; a line without an end was not said.
  private func last(in text: Data) -> Int {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
    return lines.compactMap { $0.hasPrefix("acknowledged ") ? Int($0.dropFirst(13)) : nil }.last ?? 0
  }

  /// Kills the probe as soon as it has acknowledged so many batches, wherever it is by then.
  private func killed(after count: Int, from first: Int) throws -> Int {
    let child = try ChildProcess(Self.program, arguments(from: first, to: first + 1_000), output: .pipe)
    let output = try child.output()
    var text = Data()
    while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
      let next = try output.nextBytes()
      if next.isEmpty { break }
      text += next
    }
    child.signal(SIGKILL)
    text += try output.bytesToEnd()
    child.waitForEnd()
    files.waitUntilFree()
    return last(in: text)
  }

  /// Kills the probe at one of the calls by which it changes the disk, before the kernel does it.
  private func killed(atCall number: Int, from first: Int) throws -> Int {
    let calls = "write,pwrite64,fsync,ftruncate,flock"
    let trace = files.temporary.url.appending(path: "trace").path
    let outcome = try ChildProcess.run(
      URL(filePath: "/usr/bin/strace"),
      [
        "-f", "-qqq", "-o", trace, "-e", "trace=\(calls)", "-e", "inject=\(calls):signal=SIGKILL:when=\(number)", "--",
        Self.program.path,
      ] + arguments(from: first, to: first + 25))
    files.waitUntilFree()
    return last(in: Data(outcome.out.utf8))
  }

  /// What is wrong with the files behind the last batch of all; nil for nothing.
  private func problem(_ batches: Int) throws -> String? {
    let outcome = try ChildProcess.run(Self.program, arguments(from: max(1, batches - 2), to: batches))
    guard outcome.status == 0 else { return "the last run: \(outcome.out) \(outcome.err)" }
    let items = try files.items()
    let expected = DeliveredItem.first(1...(batches * Self.batch))
    if items == expected { return nil }
    let missing = Set(expected).subtracting(items).count
    return "\(items.count) of \(expected.count) readings, \(missing) missing, \(items.count - Set(items).count) doubled"
  }

  @Test("killed at any moment, every reading is there once and whole", arguments: FileSinkSetting.Format.allCases)
  func anyMoment(format: FileSinkSetting.Format) async throws {
    let test = try Self(format)
    let found = try await onOwnThread { () -> (String?, Int) in
      var generator = SeededGenerator(seed: format == .csv ? 1 : 2)
      var done = 0
      for _ in 0..<(Self.isNightly ? 300 : 25) {
        let first = max(1, done + 1 - Int.random(in: 0...2, using: &generator))
        done = max(done, try test.killed(after: .random(in: 0...6, using: &generator), from: first))
      }
      return (try test.problem(done + 3), done)
    }
    #expect(found.0 == nil)
    #expect(found.1 > 10, "it has come further than a few batches")
  }

  @Test("killed at each system call, every reading is there once and whole", arguments: FileSinkSetting.Format.allCases)
  func everyCall(format: FileSinkSetting.Format) async throws {
    let test = try Self(format)
    let found = try await onOwnThread { () -> (String?, Int) in
      var done = 0
      for number in 1..<(Self.isNightly ? 60 : 20) {
        done = max(done, try test.killed(atCall: number, from: max(1, done)))
      }
      return (try test.problem(done + 3), done)
    }
    #expect(found.0 == nil)
    #expect(found.1 > 3, "it has lived through some batches")
  }
}
