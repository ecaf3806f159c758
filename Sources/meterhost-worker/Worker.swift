import CLinux
import DriverRuntime
import Glibc

/// Serves the one bundle that the host sends as an open descriptor, over the socket that it passed at birth. With the
/// argument `probe` it serves a conformance suite instead of a host.
@main
struct Worker {
  static func main() {
    clinux_hold_standard_streams()
    let mode = CommandLine.arguments.dropFirst()
    guard mode.isEmpty || mode == ["probe"], isSocket(3) else {
      say("meterhost-worker is started by meterhost; it does nothing by itself\n")
      exit(64)
    }
    exit(mode.isEmpty ? WorkerServer(socket: 3).run() : ProbeServer(socket: 3).run())
  }
}

private func isSocket(_ descriptor: Int32) -> Bool {
  var kind: Int32 = 0
  var size = socklen_t(MemoryLayout<Int32>.size)
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
}

private func say(_ message: String) {
  var message = message
  message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
