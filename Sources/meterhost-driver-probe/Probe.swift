import DriverProbe
import DriverRuntime

/// Serves a conformance suite, which chooses how its bundle is treated, over the socket that it passed at birth. No gateway starts it.
@main
struct Probe {
  static func main() {
    let words = "meterhost-driver-probe is started by meterhost driver test; it does nothing by itself"
    WorkerProgram.run(orSay: words) { socket in ProbeServer(socket: socket).run() }
  }
}
