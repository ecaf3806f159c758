import HostPrimitives
import CLinux
import DriverContract
import Glibc

/// The reading end of a worker's standard output and error. A worker whose pipe is full writes into nothing, so that
/// nobody has to read in time.
package final class WorkerOutput: Sendable {
  private let descriptor: Int32

  /// The most that is looked at at a time; a pipe holds as much.
  private static let most = 65_536
  private static let mostLines = 100
  private static let longestLine = 1024

  /// Takes over the descriptor, which does not wait.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// What was printed since the last call.
  package func text() -> String {
    var text: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
      while text.count < Self.most {
        let count = read(descriptor, room.baseAddress, room.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        text += room.prefix(count)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The same as lines of the driver's log: printing is no way out of a worker (rule R7), and its author wants to know.
  func logLines() -> [DriverLogLine] {
    let lines = text().split(whereSeparator: \.isNewline)
    guard !lines.isEmpty else { return [] }
    let shown = lines.prefix(Self.mostLines).map { line in
      DriverLogLine(level: .warning, message: "printed: \(String(line).oneLine(atMost: Self.longestLine)) [rule R7]")
    }
    guard lines.count > shown.count else { return shown }
    let rest = lines.count - shown.count
    return shown + [DriverLogLine(level: .warning, message: "\(rest) printed lines were dropped [rule R7]")]
  }
}
