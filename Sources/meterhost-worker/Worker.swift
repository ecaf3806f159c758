import DriverRuntime

/// Serves the one bundle that the host sends as an open descriptor, over the socket that it passed at birth.
@main
struct Worker {
  static func main() {
    WorkerProgram.run(orSay: "meterhost-worker is started by meterhost; it does nothing by itself") { socket in
      WorkerServer(socket: socket).run()
    }
  }
}
