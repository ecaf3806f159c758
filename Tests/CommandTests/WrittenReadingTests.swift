import Foundation
import TestSupport
import Testing

/// What a person writes: refused alike, whichever command it is given to.
@Suite(.timeLimit(.minutes(60))) struct WrittenReadingTests {
  private func submit(_ type: String, _ values: [String], _ sandbox: Sandbox) async throws -> String {
    let done = try await Program.run(
      ["submit", "--type", type, "--confirm-first", "--no-upload", "--json"] + values.flatMap { ["--value", $0] },
      in: sandbox)
    return try #require(try done.objects().first?["log_id"] as? String, "\(done.err)")
  }

  @Test("a correction is refused for what a submission is refused for")
  func corrections() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let glucose = try await submit("diabetes", ["blood_glucose=6.2 mmol/L"], sandbox)
      let pressure = try await submit("biometrics", ["systolic=121 mm[Hg]", "diastolic=79 mm[Hg]"], sandbox)
      let cases: [(String, [String], String)] = [
        (glucose, ["--value", "blood_glucose=112"], "implausible"),
        (pressure, ["--value", "systolic=131 kPa"], "implausible"),
        (pressure, ["--value", "systolic=500 mm[Hg]"], "implausible"),
        (pressure, ["--value", "systolic=70"], "implausible"),
        (pressure, ["--value", "systolic=10 kPa"], "implausible"),
        (pressure, ["--value", "systolic=130", "--value", "systolic=140"], "duplicate"),
        (pressure, ["--time", "2050-07-01T08:00"], "future_time"),
      ]
      for (logID, change, code) in cases {
        let refused = try await Program.run(["queue", "edit", logID, "--json"] + change, in: sandbox)
        #expect(try refused.status == 64 && refused.jsonError()["code"] as? String == code, "\(change) \(refused.err)")
      }
      let edited = try await Program.run(
        ["queue", "edit", pressure, "--value", "systolic=17.5 kPa", "--value", "diastolic=85", "--json"], in: sandbox)
      #expect(try edited.status == 0 && edited.objects().first?["revision"] as? Int == 2, "\(edited.err)")
    }
  }

  @Test("a time that is still to come is refused, and the sum of today is not")
  func future() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let weight = ["submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--no-upload", "--json"]
      let refused = try await Program.run(weight + ["--time", "2050-07-01T08:00"], in: sandbox)
      #expect(try refused.status == 64 && refused.jsonError()["code"] as? String == "future_time", "\(refused.err)")
      let document = try sandbox.file(
        "future.json",
        """
        {"type": "weight", "time": "2050-07-01", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
        """)
      let file = try await Program.run(["submit", document, "--no-upload", "--json"], in: sandbox)
      #expect(try file.status == 64 && file.jsonError()["code"] as? String == "future_time", "\(file.err)")
      let today = String("\(Date().formatted(.iso8601))".prefix(10))
      let sum = try sandbox.file(
        "today.json", #"{"type": "routine", "day": "\#(today)", "values": [{"metric": "steps", "value": 812}]}"#)
      let taken = try await Program.run(["submit", sum, "--no-upload"], in: sandbox)
      #expect(taken.status == 0, "\(taken.err)")
      #expect(try await Program.run(weight + ["--time", "2026-07-01"], in: sandbox).status == 0)
    }
  }

  @Test("a reading that is named twice is one")
  func namedTwice() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let logID = try await submit("weight", ["body_weight=70.5 kg"], sandbox)
      let confirmed = try await Program.run(["queue", "confirm", logID, logID.uppercased(), "--json"], in: sandbox)
      #expect(try confirmed.status == 0 && confirmed.objects().count == 1, "\(confirmed.err)")
    }
  }

  @Test("a user of a meter that cannot be is refused", arguments: ["255", "256"])
  func slots(slot: String) async throws {
    try await Sandbox.with { sandbox in
      let assign = ["meters", "assign", "5b0c8e2e-91b4-8d4c-a1f0-3c2f6f0f7a11"]
      for command in [["read", "5000"], ["pair", "5000"], assign] {
        let done = try await Program.run(command + ["--slot", slot, "--json"], in: sandbox)
        #expect(try done.status == 64 && done.jsonError()["code"] as? String == "user_slot", "\(done.err)")
      }
    }
  }

  @Test func aReadThatEndsTheSessionSaysWhereItsReadingsAre() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      let url = try #require(try started.objects().first?["receiver"] as? String, "\(started.err)")
      receiver.interrupt()
      _ = await receiver.outcome()
      // It comes back, and knows another token for the user.
      let accounts = try sandbox.file("accounts", "o:u:another-token-of-this-user\n")
      let port = try #require(URL(string: url)?.port)
      let next = try Program(
        ["receive", "--database", sandbox.path("other.sqlite"), "--port", "\(port)", "--accounts", accounts, "--json"],
        in: sandbox)
      try await next.line(with: "listening")
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      let delivery = try #require(try read.objects().last { $0["event"] as? String == "delivery" }, "\(read.out)")
      #expect(delivery["session_ended"] as? Bool == true)
      let kept = try #require(delivery["recovery_file"] as? String)
      #expect((delivery["hint"] as? String)?.contains("session recover \(kept)") == true)
      for program in [next, meter] {
        program.interrupt()
        _ = await program.outcome()
      }
    }
  }
}
