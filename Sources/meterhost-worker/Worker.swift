import DriverRuntime
import Glibc

/// Serves the one bundle that the host passed as an open descriptor, over the socket that it passed beside it.
@main
struct Worker {
  static func main() {
    guard CommandLine.arguments.count == 2 else {
      say("meterhost-worker is started by meterhost; it does nothing by itself\n")
      exit(64)
    }
    exit(WorkerServer(bundle: 3, socket: 4, name: CommandLine.arguments[1]).run())
  }
}

private func say(_ message: String) {
  var message = message
  message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
