import Foundation
import TestSupport
import Testing

/// One process owns the folder, and the other commands ask it.
@Suite(.timeLimit(.minutes(60))) struct ServiceCommandTests {
  private func withService(_ body: (Sandbox, Program) async throws -> Void) async throws {
    try await Sandbox.with { sandbox in
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: #""event":"running""#)
      try await body(sandbox, service)
      service.interrupt()
      let ended = await service.outcome()
      #expect(ended.status == 0 && !ended.isSignalled, "\(ended.err)")
    }
  }

  @Test func aReadGoesThroughTheService() async throws {
    try await withService { sandbox, service in
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      let events = try read.objects().compactMap { $0["event"] as? String }
      #expect(events.first == "started" && events.contains("should_submit") && events.last == "completed", "\(events)")
      let listed = try await Program.run(["queue", "list", "--json"], in: sandbox)
      #expect(try listed.objects().map { $0["state"] as? String } == ["held", "held"])
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  /// Whether they have some is the machine's to say; that the host has asked for them shows in its log, by the folder's own settings, too.
  @Test(arguments: ["drivers=info", ""]) func itsLogSaysWhetherWorkersHaveControlGroups(level: String) async throws {
    try await Sandbox.with { sandbox in
      let environment = ["METERHOST_LOG": level]
      if level.isEmpty {
        let set = try await Program.run(
          ["log", "set", "info", "--area", "drivers"], in: sandbox, environment: environment)
        #expect(set.status == 0, "\(set.err)")
      }
      let service = try Program(["run", "--json"], in: sandbox, environment: environment)
      try await service.line(with: #""event":"running""#)
      service.interrupt()
      let ended = await service.outcome()
      let words = ["each worker gets a control group of its own", "workers get no control groups"]
      #expect(words.contains { ended.err.contains("drivers: \($0)") }, "\(ended.err)")
    }
  }

  @Test func aReadThatIsInterruptedEndsInOrderAtTheService() async throws {
    try await withService { sandbox, service in
      let read = try Program(["read", "1000", "--json"], in: sandbox)
      try await read.line(with: #""event":"started""#)
      let second = try await Program.run(["read", "1000", "--json"], in: sandbox)
      #expect(second.status == 75)
      #expect(try second.jsonError()["code"] as? String == "busy")
      read.interrupt()
      let ended = await read.outcome()
      #expect(ended.status == 130, "\(ended.err)")
      #expect(try ended.objects().last?["event"] as? String == "cancelled")
      let list = try await Program.run(["queue", "list"], in: sandbox)
      #expect(list.status == 0, "\(list.err)")
    }
  }

  @Test func aReaderThatIsKilledLetsTheNextOneRead() async throws {
    try await withService { sandbox, service in
      let read = try Program(["read", "1000", "--json"], in: sandbox)
      try await read.line(with: #""event":"started""#)
      read.kill()
      _ = await read.outcome()
      var status: Int32 = 75
      while status == 75 {
        let next = try Program(["read", "1000", "--timeout", "600", "--json"], in: sandbox)
        // The service hears of the death when the kernel has closed the socket.
        if (try? await next.line(with: #""event":"started""#)) != nil { next.interrupt() }
        status = await next.outcome().status
      }
      #expect(status == 130)
    }
  }

  @Test func submittedRecordsAndEventsGoThroughTheService() async throws {
    try await withService { sandbox, service in
      let file = try sandbox.file(
        "records.json",
        """
        {"type": "weight", "time": "2026-03-01T08:00:00Z", "values": [{"metric": "body_weight", "value": 70.5, "unit": "kg"}]}
        {"type": "routine", "day": "2026-03-01", "values": [{"metric": "steps", "value": 8123}]}
        """)
      try await Program.startSession(in: sandbox)
      let submitted = try await Program.run(["submit", "record", file, "--json"], in: sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
      #expect(try submitted.objects().map { $0["outcome"] as? String } == ["new", "new"])
    }
  }

  @Test func eventsAreHeardThroughTheServiceAndWithoutIt() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let alone = try await Program.run(["events", "--json"], in: sandbox)
      #expect(try alone.objects().map { $0["event"] as? String } == ["session_started"], "\(alone.err)")
      // As every command: words without --json, whatever standard output is.
      let words = try await Program.run(["events"], in: sandbox)
      #expect(words.lines.count == 1 && words.out.hasSuffix("session of u (o) started\n"), "\(words.out)")
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: "running")
      let following = try Program(["events", "--follow", "--after", "0", "--json"], in: sandbox)
      let line = try await following.line(with: "session_started")
      #expect(try Outcome.object(line)["cursor"] as? Int == 1)
      following.interrupt()
      let ended = await following.outcome()
      #expect(ended.status == 0 && !ended.isSignalled, "\(ended.err)")
      let wrong = try await Program.run(["events", "--after", "99", "--json"], in: sandbox)
      #expect(wrong.status == 64)
      #expect(try wrong.jsonError()["code"] as? String == "unknown_cursor")
      service.interrupt()
      _ = await service.outcome()
    }
  }

  @Test func anOwnerThatIsNoServiceIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let read = try Program(["read", "1000", "--json", "--timeout", "3600"], in: sandbox)
      try await read.line(with: #""event":"started""#)
      let list = try await Program.run(["queue", "list", "--json"], in: sandbox)
      #expect(list.status == 75)
      let error = try list.jsonError()
      #expect(error["code"] as? String == "busy")
      #expect((error["message"] as? String)?.contains("\(try #require(read.pid))") == true)
      let second = try await Program.run(["run"], in: sandbox)
      #expect(second.status == 75, "\(second.err)")
      read.interrupt()
      _ = await read.outcome()
    }
  }

  @Test func aServiceThatWasKilledLeavesNothingThatIsInTheWay() async throws {
    try await Sandbox.with { sandbox in
      let service = try Program(["run", "--json"], in: sandbox)
      try await service.line(with: "running")
      service.kill()
      _ = await service.outcome()
      #expect(try await Program.run(["queue", "list"], in: sandbox).status == 0)
      let next = try Program(["run", "--json"], in: sandbox)
      try await next.line(with: "running")
      #expect(try await Program.run(["queue", "list"], in: sandbox).status == 0)
      next.interrupt()
      _ = await next.outcome()
    }
  }

  @Test func aRecordOfTheCommandLineIsTakenAndCorrected() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let submitted = try await Program.run(
        [
          "submit", "--type", "diabetes", "--value", "blood_glucose=112 mg/dL", "--note", "before breakfast",
          "--confirm-first", "--json",
        ], in: sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
      let logID = try #require(try submitted.objects().first?["log_id"] as? String)
      let edited = try await Program.run(
        ["queue", "edit", logID, "--value", "blood_glucose=6.2 mmol/L", "--time", "2026-03-01T08:00Z", "--json"],
        in: sandbox)
      #expect(edited.status == 0, "\(edited.err)")
      let item = try #require(try edited.objects().first)
      #expect(item["revision"] as? Int == 2)
      let reading = item["reading"] as? [String: Any]
      #expect(reading?["time"] as? String == "2026-03-01T08:00:00Z")
      let value = (reading?["values"] as? [[String: Any]])?.first
      #expect(value?["value"] as? Double == 6.2 && value?["unit"] as? String == "mmol/L")
      for wrong in [["--value", "steps=1"], ["--value", "blood_glucose=x"], ["--value", "blood_glucose=1 kg"]] {
        let refused = try await Program.run(["queue", "edit", logID] + wrong, in: sandbox)
        #expect(refused.status == 64, "\(refused.err)")
      }
    }
  }

  @Test(
    "wrong submissions are refused by name",
    arguments: [
      (["--type", "weight", "--value", "steps=1"], "not_of_type"), (["/nonexistent"], "record_file"),
      (["--type", "weight", "--value", "body_weight=9000 kg"], "implausible"),
    ])
  func wrongSubmissions(_ arguments: [String], _ code: String) async throws {
    let refused = try await Program.run(
      "submit", "record", "--json", arguments[0], arguments.count > 1 ? arguments[1] : "--no-upload",
      arguments.count > 2 ? arguments[2] : "--no-upload", arguments.count > 3 ? arguments[3] : "--no-upload")
    #expect(refused.status == 64, "\(refused.err)")
    #expect(try refused.jsonError()["code"] as? String == code)
  }

  @Test func aSessionAndItsImagesGoThroughTheService() async throws {
    try await withService { sandbox, service in
      let (receiver, started) = try await Program.startReceiver(in: sandbox)
      #expect(try started.objects().first?["validated"] as? Bool == true, "\(started.err)")
      let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      let png = try #require(Data(base64Encoded: pixel))
      let image = sandbox.path("display.png")
      try png.write(to: URL(filePath: image))
      let submitted = try await Program.run(
        ["submit", "--type", "weight", "--value", "body_weight=70.5 kg", "--image", image, "--json"], in: sandbox)
      #expect(submitted.status == 0, "\(submitted.err)")
      let logID = try #require(try submitted.objects().first?["log_id"] as? String)
      let second = try await Program.run(["submit", "image", logID, image, "--json"], in: sandbox)
      #expect(second.status == 0, "\(second.err)")
      let following = try Program(["events", "--follow", "--after", "0", "--json"], in: sandbox)
      let line = try await following.line(with: "record_image_submitted")
      #expect(line.contains(logID), "the image follows its record")
      following.interrupt()
      let heard = try await following.outcome().objects().compactMap { $0["event"] as? String }
      #expect(heard.prefix(3) == ["session_started", "record_submitted", "record_image_submitted"], "\(heard)")
      let wrong = try await Program.run(["submit", "image", logID, sandbox.path("accounts"), "--json"], in: sandbox)
      #expect(try wrong.jsonError()["code"] as? String == "image_not_an_image" && wrong.status == 64)
      let ended = try await Program.run(["session", "end", "--json"], in: sandbox)
      #expect(try ended.objects().first?["unsynced"] as? Int == 0, "\(ended.err)")
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func anImplausibleRecordCanBeHeld() async throws {
    try await Sandbox.with { sandbox in
      try await Program.startSession(in: sandbox)
      let held = try await Program.run(
        ["submit", "--type", "weight", "--value", "body_weight=9000 kg", "--hold-implausible", "--json"], in: sandbox)
      let deliveries = try held.objects().first?["deliveries"] as? [[String: Any]]
      #expect(deliveries?.first?["reason"] as? String == "implausible_value", "\(held.err)")
    }
  }
}
