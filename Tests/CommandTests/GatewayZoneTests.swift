import Foundation
import TestSupport
import Testing

/// The machine's own zone, in every form in which TZ may say it.
@Suite(.timeLimit(.minutes(60))) struct GatewayZoneTests {
  private func submit(_ zone: String, _ sandbox: Sandbox) async throws -> Outcome {
    try await Program.run(
      [
        "submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--time", "2026-07-01T08:00", "--no-upload",
        "--json",
      ], in: sandbox, environment: ["TZ": zone])
  }

  private func time(_ sandbox: Sandbox) async throws -> String? {
    let item = try await Program.run(["queue", "list", "--json"], in: sandbox).objects().last
    return (item?["reading"] as? [String: Any])?["time"] as? String
  }

  @Test(
    "a time is read in it",
    arguments: [
      ("Europe/Berlin", "06"), (":Europe/Berlin", "06"), ("/usr/share/zoneinfo/Europe/Berlin", "06"),
      (":/usr/share/zoneinfo/Europe/Berlin", "06"), ("<+03>-3", "05"), ("UTC-2", "06"), ("UTC+2", "10"), ("UTC", "08"),
      ("UTC0", "08"), ("<+0530>-5:30", "02:30"),
    ])
  func submissions(zone: String, hour: String) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let submitted = try await submit(zone, sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
      let clock = hour.contains(":") ? hour : "\(hour):00"
      #expect(try await time(sandbox) == "2026-07-01T\(clock):00Z")
    }
  }

  @Test("what names no zone is refused, until the user's is stated", arguments: ["CET-1CEST", "BST", "Mars/Olympus"])
  func unknown(zone: String) async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let refused = try await submit(zone, sandbox)
      #expect(try refused.status == 64 && refused.jsonError()["code"] as? String == "unknown_zone", "\(refused.err)")
      #expect(refused.err.contains("Europe/Berlin"))
      let read = try await Program.run(
        ["read", "1000", "--timeout", "5", "--json"], in: sandbox, environment: ["TZ": zone])
      #expect(try read.status == 64 && read.jsonError()["code"] as? String == "unknown_zone", "\(read.err)")
      let started = try await Program.run(
        [
          "session", "start", "--user", "u", "--organization", "o", "--receiver", "http://127.0.0.1:9", "--zone",
          "Europe/Berlin",
        ], in: sandbox, input: Array("token-of-this-user-1".utf8))
      #expect(started.status == 0, "\(started.err)")
      #expect(try await submit(zone, sandbox).status == 0)
      #expect(try await time(sandbox) == "2026-07-01T06:00:00Z")
    }
  }

  @Test("what a meter shows is in it", arguments: [":Europe/Berlin", "UTC-2"])
  func meters(zone: String) async throws {
    try await Sandbox.with { sandbox in
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(
        ["read", "1000", "--history", "--json"], in: sandbox, environment: ["TZ": zone])
      let readings = try read.objects().flatMap { $0["readings"] as? [[String: Any]] ?? [] }
      #expect(readings.contains { $0["time"] as? String == "2018-09-19T20:27:07Z" }, "\(read.out) \(read.err)")
      meter.interrupt()
      _ = await meter.outcome()
    }
  }
}
