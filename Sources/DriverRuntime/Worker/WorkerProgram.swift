import CLinux
import Glibc

/// What the programs that run drivers have in common: they are started by another program, which passes a socket at birth, and do
/// nothing by themselves.
public enum WorkerProgram {
  private static let socket: Int32 = 3

  /// Serves the socket and ends with what `serve` says; with status 64 where there is no socket.
  ///
  /// - Parameter words: What a person is told who has started it.
  public static func run(orSay words: String, _ serve: (_ socket: Int32) -> Int32) -> Never {
    clinux_hold_standard_streams()
    guard CommandLine.arguments.count == 1, isSocket(socket) else {
      var line = "\(words)\n"
      line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
      exit(64)
    }
    exit(serve(socket))
  }

  private static func isSocket(_ descriptor: Int32) -> Bool {
    var kind: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
  }
}
