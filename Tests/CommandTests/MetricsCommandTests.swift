import Foundation
import TestSupport
import Testing

@Suite("meterhost metrics", .timeLimit(.minutes(60))) struct MetricsCommandTests {
  @Test("without a running host it says so, and makes no folder") func noHost() async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["metrics", "--json"], in: sandbox)
      #expect(done.status == 69 && done.out.isEmpty && done.err.contains("no_running_host"))
      #expect(done.err.contains("meterhost run"))
    }
  }

  @Test("what is no address is refused", arguments: ["8.8.8.8:80", "example.org:9464", "x"])
  func badAddress(text: String) async throws {
    try await Sandbox.with { sandbox in
      let done = try await Program.run(["run", "--metrics", text, "--json"], in: sandbox)
      #expect(done.status == 64 && done.err.contains("metrics_address"))
    }
  }
}
