import Foundation
import TestSupport
import Testing

/// What works without a session, and what is refused.
@Suite(.timeLimit(.minutes(60))) struct NoSessionTests {
  @Test(
    "nothing is submitted without a session",
    arguments: [
      ["submit", "--type", "weight", "--value", "body_weight=70.5 kg"],
      ["submit", "image", "0b0c7d5e-2a53-4f0e-9a77-6a2f5e3f2b10", "display.png"],
    ])
  func submissions(_ arguments: [String]) async throws {
    try await Sandbox.with { sandbox in
      let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      try #require(Data(base64Encoded: pixel)).write(to: URL(filePath: sandbox.path("display.png")))
      let refused = try await Program.run(
        arguments + ["--json"], in: sandbox, environment: ["METERHOST_LOG": "core=warning"])
      #expect(refused.status == 1 && refused.out.isEmpty)
      #expect(try refused.jsonError()["code"] as? String == "no_session", "\(refused.err)")
      #expect(refused.err.contains("warning core: a submission was refused: there is no session"), "\(refused.err)")
      for list in [["queue", "list"], ["queue", "list", "--default-user"], ["queue", "images"]] {
        #expect(try await Program.run(list + ["--json"], in: sandbox).out.isEmpty)
      }
    }
  }

  @Test func whatWasReadWithoutASessionStaysVisible() async throws {
    try await Sandbox.with { sandbox in
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      meter.interrupt()
      _ = await meter.outcome()
      try await Program.startSession(in: sandbox)
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty, "they are not the user's")
      let listed = try await Program.run(["queue", "list", "--default-user", "--json"], in: sandbox).objects()
      #expect(listed.map { $0["reason"] as? String } == ["no_session", "no_session"])
      let next = try await Program.run(
        ["queue", "list", "--default-user", "--json", "--limit", "1", "--after", "\(listed[0]["position"] ?? 0)"],
        in: sandbox)
      #expect(try next.objects().map { $0["log_id"] as? String } == [listed[1]["log_id"] as? String])
    }
  }
}
