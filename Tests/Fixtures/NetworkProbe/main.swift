import Glibc
import LinuxSockets

// Says `listening`, and `changed` for each of the next changes of the network; a program for tests that give it a
// network of its own.
//
// Usage: network-probe CHANGES

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

do {
  let monitor = try NetworkMonitor()
  say("listening")
  var reach = NetworkReach()
  for _ in 0..<(Int(CommandLine.arguments.dropFirst().first ?? "1") ?? 1) {
    guard try await monitor.waitForChange(&reach) else { break }
    say("changed")
  }
} catch {
  say("\(error)")
  exit(1)
}
