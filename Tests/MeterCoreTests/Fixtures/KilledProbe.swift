import Foundation
import TestSupport

/// `store-probe` in a process of its own, which strace(1) may kill at a system call.
struct KilledProbe {
  let isKilled: Bool
  let lines: [String]

  /// The last number behind a word that the probe has said; 0 when it has not.
  func last(_ word: String) -> Int {
    lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }.last ?? 0
  }

  /// Runs the probe to its end; it waits, so it belongs on a thread of its own.
  ///
  /// - Parameters:
  ///   - folder: Holds the state folder that the probe uses.
  ///   - calls: The system calls that count, in strace's notation. Each thread counts for itself.
  ///   - number: Kills it at that call, before the kernel does it.
  init(_ folder: TemporaryFolder, _ arguments: [String], calls: String, killedAt number: Int? = nil) throws {
    let program = BuildProducts.folder.appending(path: "store-probe")
    let tracing = number.map { number in
      [
        "-f", "-qqq", "-o", folder.url.appending(path: "trace").path, "-e", "trace=\(calls)", "-e",
        "inject=\(calls):signal=SIGKILL:when=\(number)", "--", program.path,
      ]
    }
    let done = try ChildProcess.run(
      tracing == nil ? program : URL(filePath: "/usr/bin/strace"), (tracing ?? []) + [folder.state.path] + arguments)
    waitUntilFree(stateFolder: folder.state)
    isKilled = done.end.isSignalled || done.status == 128 + SIGKILL
    lines = done.lines
  }
}
