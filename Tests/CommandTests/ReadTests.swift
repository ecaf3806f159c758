import Foundation
import TestSupport
import Testing

/// Meter, gateway and receiver, each a process of its own.
@Suite(.timeLimit(.minutes(60))) struct ReadTests {
  static let token = "patient-token-0123456789abcdef"

  private func receiver(_ sandbox: Sandbox, port: Int = 0) async throws -> (program: Program, url: String) {
    let accounts = try sandbox.file("accounts", "# whose\r\nclinic:patient-1:\(Self.token)\r\n")
    let program = try Program(
      ["receive", "--database", "receiver.sqlite", "--port", "\(port)", "--accounts", accounts, "--json"], in: sandbox)
    let line = try Outcome.object(try await program.line(with: "listening"))
    return (program, try #require(line["url"] as? String))
  }

  private func meter(_ name: String, _ sandbox: Sandbox, _ options: [String] = []) async throws -> Program {
    let file = try Installation.shared().meters.appending(path: name).path
    let program = try Program(["meter", "run", file] + options, in: sandbox)
    try await program.line(with: "advertising")
    return program
  }

  private func start(
    _ sandbox: Sandbox, _ url: String, user: String = "patient-1", token: String = token,
    options: [String] = ["--json"], environment: [String: String] = [:]
  ) async throws -> Outcome {
    let file = try sandbox.file("token", token + "\n")
    return try await Program.run(
      ["session", "start", "--user", user, "--organization", "clinic", "--receiver", url, "--token-file", file]
        + options, in: sandbox, environment: environment)
  }

  @Test func aReadingGoesFromAMetersProcessToTheReceivers() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      let meter = try await meter("contour-next-one.json", sandbox, ["--trace", "--json"])
      var outcomes = [try await start(sandbox, url)]
      #expect(outcomes[0].status == 0)
      #expect(try outcomes[0].objects().first?["validated"] as? Bool == true)
      let read = try await Program.run(["read", "1000", "--history", "--json"], in: sandbox)
      #expect(read.status == 0, "\(read.err)")
      let events = try read.objects()
      let names = events.compactMap { $0["event"] as? String }
      for name in ["started", "connected", "ready", "should_submit", "completed", "delivery"] {
        #expect(names.contains(name), "\(names)")
      }
      let readings = events.flatMap { $0["readings"] as? [[String: Any]] ?? [] }
      let values = readings.compactMap { ($0["values"] as? [[String: Any]])?.first?["value"] as? Double }
      #expect(values.sorted() == [111, 118])
      #expect(
        readings.compactMap { $0["civil_time"] as? String }.sorted() == ["2018-09-19T22:27:07", "2018-10-07T10:11:11"])
      let delivery = try #require(events.last { $0["event"] as? String == "delivery" })
      #expect(delivery["waiting"] as? Int == 0)
      let list = try await Program.run(["queue", "list"], in: sandbox)
      #expect(list.status == 0 && list.out.isEmpty && list.err.contains("nothing waits"))
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty)
      for logID in readings.compactMap({ $0["log_id"] as? String }) {
        let shown = try #require(
          try await Program.run(["queue", "show", logID, "--json"], in: sandbox).objects().first)
        #expect(shown["state"] as? String == "delivered")
        #expect((shown["receiver_id"] as? String)?.isEmpty == false)
        #expect(try await Program.run(["queue", "show", logID], in: sandbox).out.contains("delivered"))
      }
      let again = try await Program.run(["read", "1000", "--history"], in: sandbox)
      #expect(again.out.isEmpty, "\(again.out)")
      outcomes += [read, list, again]
      outcomes.append(try await Program.run(["session", "show"], in: sandbox))
      #expect(outcomes.last?.out.contains("patient-1") == true)
      outcomes.append(try await Program.run(["session", "show", "--json"], in: sandbox))
      outcomes.append(try await Program.run(["doctor"], in: sandbox))
      #expect(outcomes.last?.out.contains("a validated session") == true)
      outcomes.append(try await Program.run(["session", "end"], in: sandbox))
      #expect(outcomes.last?.out.contains("everything had been delivered") == true)
      meter.interrupt()
      receiver.interrupt()
      outcomes += [await meter.outcome(), await receiver.outcome()]
      #expect(outcomes.suffix(2).map(\.status) == [0, 0])
      for outcome in outcomes { #expect(!(outcome.out + outcome.err).contains(Self.token)) }
    }
  }

  @Test func aReceiverThatWasAwayGetsTheReadingsWhenItIsBack() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      #expect(try await start(sandbox, url).status == 0)
      receiver.interrupt()
      #expect(await receiver.outcome().status == 0)
      let meter = try await meter("contour-next-one.json", sandbox)
      let read = try await Program.run(["read", "1000", "--history"], in: sandbox)
      #expect(read.status == 0 && read.lines.count == 2)
      #expect(read.err.contains("2 readings wait for delivery"))
      let waiting = try await Program.run(["queue", "list", "--json"], in: sandbox).objects()
      #expect(waiting.compactMap { $0["state"] as? String } == ["pending", "pending"])
      let one = try await Program.run(["queue", "list", "--limit", "1"], in: sandbox)
      #expect(one.lines.count == 2 && one.err.contains("more"))
      let port = try #require(URL(string: url)?.port)
      let back = try await self.receiver(sandbox, port: port).program
      // The next command waits as the last one would have; a person who knows that the receiver is back need not.
      let again = try await Program.run(["read", "1000", "--history"], in: sandbox)
      #expect(again.status == 0, "\(again.err)")
      #expect(try await Program.run(["queue", "flush"], in: sandbox).status == 0)
      let next = try await Program.run(["read", "1000", "--history"], in: sandbox)
      #expect(next.err.contains("nothing waits for delivery"), "\(next.err)")
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty)
      back.interrupt()
      meter.interrupt()
      _ = (await back.outcome(), await meter.outcome())
    }
  }

  @Test func confirmedReadingsAreDeliveredAndOthersAreNot() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      #expect(try await start(sandbox, url).status == 0)
      let meter = try await meter("contour-next-one.json", sandbox)
      let read = try await Program.run(["read", "1000", "--history", "--confirm-first"], in: sandbox)
      #expect(read.status == 0 && read.err.contains("2 held for a person's word"), "\(read.err)")
      let held = try await Program.run(["queue", "list", "--json"], in: sandbox).objects()
      let logIDs = held.compactMap { $0["log_id"] as? String }
      #expect(held.compactMap { $0["reason"] as? String } == ["awaiting_confirmation", "awaiting_confirmation"])
      let confirmed = try await Program.run(["queue", "confirm", logIDs[0], "--json"], in: sandbox)
      #expect(try confirmed.objects().first?["log_id"] as? String == logIDs[0], "\(confirmed.err)")
      let shown = try await Program.run(["queue", "show", logIDs[0], "--json"], in: sandbox).objects()
      #expect(shown.first?["state"] as? String == "delivered")
      let left = try await Program.run(["queue", "list", "--json"], in: sandbox).objects()
      #expect(left.compactMap { $0["log_id"] as? String } == [logIDs[1]])
      let again = try await Program.run(["queue", "confirm", logIDs[0]], in: sandbox)
      #expect(again.status == 1 && again.err.contains("do not wait"), "\(again.err)")
      #expect(try await Program.run(["queue", "confirm", "x"], in: sandbox).status == 64)
      receiver.interrupt()
      meter.interrupt()
      _ = (await receiver.outcome(), await meter.outcome())
    }
  }

  /// libcurl is loaded when something is sent: a broken one stops deliveries, and nothing else.
  @Test func aBrokenLibcurlStopsDeliveriesOnly() async throws {
    try await Sandbox.with { sandbox in
      let libraries = sandbox.root.appending(path: "libraries")
      try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
      try Data("no library".utf8).write(to: libraries.appending(path: "libcurl.so.4"))
      let broken = ["LD_LIBRARY_PATH": libraries.path]
      let (receiver, url) = try await receiver(sandbox)
      let started = try await start(sandbox, url, options: [], environment: broken)
      #expect(started.status == 0 && started.out.contains("install the package libcurl4"), "\(started.out)")
      let meter = try await meter("contour-next-one.json", sandbox)
      let read = try await Program.run(["read", "1000", "--history"], in: sandbox, environment: broken)
      #expect(read.status == 0 && read.lines.count == 2 && read.err.contains("2 readings wait for delivery"))
      let doctor = try await Program.run(["doctor"], in: sandbox, environment: broken)
      #expect(doctor.status == 1 && doctor.out.contains("libcurl.so.4"), "\(doctor.out)")
      receiver.interrupt()
      meter.interrupt()
      _ = (await receiver.outcome(), await meter.outcome())
    }
  }

  @Test func withoutASessionReadingsAreHeldAndTheOperatorIsTold() async throws {
    try await Sandbox.with { sandbox in
      let meter = try await meter("contour-next-one.json", sandbox)
      let read = try await Program.run(["read", "1000", "--history"], in: sandbox)
      #expect(read.status == 0 && read.err.contains("no session"))
      #expect(read.lines.count == 2 && read.lines.allSatisfy { $0.contains("held") })
      #expect(try await Program.run(["doctor"], in: sandbox).out.contains("2 held"))
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func nothingHeardInTimeIsStatus75() async throws {
    try await Sandbox.with { sandbox in
      let read = try await Program.run(["read", "1000", "--history", "--timeout", "0.2", "--json"], in: sandbox)
      #expect(read.status == 75)
      #expect(try read.jsonError()["code"] as? String == "connection_timeout")
    }
  }

  @Test func interruptingARead() async throws {
    try await Sandbox.with { sandbox in
      let read = try Program(["read", "1000", "--history", "--json", "--timeout", "3600"], in: sandbox)
      try await read.line(with: "started")
      read.interrupt()
      let done = await read.outcome()
      #expect(done.status == 130 && !done.isSignalled, "\(done.status) \(done.isSignalled) \(done.err)")
      #expect(done.out.contains("\"cancelled\""))
      #expect(try done.jsonError()["code"] as? String == "cancelled")
    }
  }

  @Test func interruptingAReadOfAMeterThatDoesNotAnswer() async throws {
    try await Sandbox.with { sandbox in
      let shipped = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let text = try String(contentsOfFile: shipped, encoding: .utf8)
      let script = try sandbox.file(
        "slow.json", text.replacing("\"behaviour\"", with: DemoCommandTests.stall + ",\n  \"behaviour\""))
      let meter = try Program(["meter", "run", script], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try Program(["read", "1000", "--history"], in: sandbox)
      try await meter.line(with: "connected")
      read.interrupt()
      let done = await read.outcome()
      #expect(
        done.status == 130 && !done.isSignalled && done.err.contains("error: interrupted"),
        "\(done.status) \(done.isSignalled) \(done.err)")
      // The state folder is free again and whole.
      #expect(try await Program.run(["queue", "list"], in: sandbox).status == 0)
      meter.interrupt()
      #expect(await meter.outcome().status == 0)
    }
  }

  @Test func aSecondProcessOnTheSameStateIsBusyAndNamesTheFirst() async throws {
    try await Sandbox.with { sandbox in
      let read = try Program(["read", "1000", "--history", "--json", "--timeout", "3600"], in: sandbox)
      try await read.line(with: "started")
      let pid = try #require(read.pid)
      for arguments in [["queue", "list"], ["session", "show"], ["session", "end"], ["read", "4000"]] {
        let second = try await Program.run(arguments + ["--json"], in: sandbox)
        #expect(second.status == 75)
        let error = try second.jsonError()
        #expect(error["code"] as? String == "busy")
        #expect((error["message"] as? String)?.contains("process \(pid)") == true)
      }
      read.interrupt()
      _ = await read.outcome()
    }
  }

  @Test func aReaderThatGoesAwayDoesNotEndARead() async throws {
    try await Sandbox.with { sandbox in
      let meter = try await meter("contour-next-one.json", sandbox)
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let read = try Program(["read", "1000", "--history", "--json"], in: sandbox, output: pipe.fileHandleForWriting)
      #expect(await read.outcome().status == 0)
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).lines.count == 2)
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func sessionsThatCannotStartSayWhy() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      let refused = try await start(sandbox, url, token: "unknown-token-0123456789abcdef")
      #expect(refused.status == 1)
      #expect(try refused.jsonError()["code"] as? String == "token_refused")
      #expect(!refused.err.contains("unknown-token"))
      let bad = try await start(sandbox, "ftp://x")
      #expect(bad.status == 64)
      #expect(try bad.jsonError()["code"] as? String == "receiver_address")
      let empty = try await start(sandbox, url, token: "")
      #expect(empty.status == 64)
      #expect(try empty.jsonError()["code"] as? String == "token")
      let two = try await start(sandbox, url, token: "two words")
      #expect(two.status == 64 && !two.err.contains("two words"))
      let base = ["session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver", url, "--json"]
      let missing = try await Program.run(base + ["--token-file", "absent"], in: sandbox)
      #expect(missing.status == 64)
      #expect(try missing.jsonError()["code"] as? String == "token_file")
      let show = try await Program.run(["session", "show", "--json"], in: sandbox).objects().first
      #expect(show?["user"] == nil)
      let piped = try await Program.run(base, in: sandbox, input: Array((Self.token + "\n").utf8))
      #expect(piped.status == 0)
      let open = try sandbox.file("open", Self.token, mode: 0o644)
      let warned = try await Program.run(base + ["--token-file", open], in: sandbox)
      #expect(warned.status == 0 && warned.err.contains("chmod 600"))
      // The refused token of somebody else leaves the session alone.
      #expect(try await start(sandbox, url, user: "patient-2", token: "unknown-token-0123456789abcdef").status == 1)
      let after = try await Program.run(["session", "show", "--json"], in: sandbox).objects().first
      #expect(after?["user"] as? String == "patient-1")
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func anotherUsersSessionEndsTheFirstAndKeepsItsReadings() async throws {
    try await Sandbox.with { sandbox in
      let away = "http://127.0.0.1:9"
      let first = try await start(sandbox, away)
      #expect(first.status == 0)
      #expect(try first.objects().first?["validated"] as? Bool == false)
      #expect((try first.objects().first?["reason"] as? String)?.isEmpty == false)
      let meter = try await meter("contour-next-one.json", sandbox)
      #expect(try await Program.run(["read", "1000", "--history", "--no-upload"], in: sandbox).status == 0)
      let second = try #require(try await start(sandbox, away, user: "patient-2").objects().first)
      let ended = try #require(second["ended"] as? [String: Any])
      #expect(ended["user"] as? String == "patient-1" && ended["unsynced"] as? Int == 2)
      let file = try #require(ended["recovery_file"] as? String)
      let kept = try String(contentsOfFile: file, encoding: .utf8)
      let readings = try kept.split(separator: "\n").map { try Outcome.object(String($0)) }
      #expect(readings.count { $0["record"] != nil } == 2)
      #expect(try !String(contentsOfFile: file, encoding: .utf8).contains(Self.token))
      // The new user's read brings the meter's memory again; the first user's readings are not theirs.
      #expect(try await Program.run(["queue", "list", "--json"], in: sandbox).out.isEmpty)
      meter.interrupt()
      _ = await meter.outcome()
    }
  }

  @Test func aTokenThatComesInPiecesIsReadWhole() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      let program = try Program(
        ["session", "start", "--user", "patient-1", "--organization", "clinic", "--receiver", url], in: sandbox,
        input: nil)
      try program.send(String(Self.token.prefix(9)))
      // Another process has used the folder in the meantime: waiting for a token does not block it.
      #expect(try await Program.run(["session", "show"], in: sandbox).status == 0)
      try program.send(String(Self.token.dropFirst(9)))
      try program.endInput()
      let done = await program.outcome()
      #expect(done.status == 0 && done.out.contains("started and validated"))
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func aPortInUseIsStatus69() async throws {
    try await Sandbox.with { sandbox in
      let (receiver, url) = try await receiver(sandbox)
      let port = try #require(URL(string: url)?.port)
      let second = try await Program.run(
        ["receive", "--database", "second.sqlite", "--port", "\(port)", "--json"], in: sandbox)
      #expect(second.status == 69)
      #expect(try second.jsonError()["code"] as? String == "cannot_listen")
      receiver.interrupt()
      _ = await receiver.outcome()
    }
  }

  @Test func accountsThatAreNoneNameTheLineAndNotTheToken() async throws {
    try await Sandbox.with { sandbox in
      for text in ["a:b:\(Self.token)\nclinic \(Self.token)\n", "::\n", "clinic::\(Self.token)\n"] {
        let accounts = try sandbox.file("accounts", text)
        let done = try await Program.run(["receive", "--database", "r.sqlite", "--accounts", accounts], in: sandbox)
        #expect(done.status == 64 && done.err.contains("accounts:") && !done.err.contains(Self.token))
      }
    }
  }

  @Test func aStateFolderThatCannotBeMadeIsNamed() async throws {
    try await Sandbox.with { sandbox in
      let file = try sandbox.file("file", "")
      let done = try await Program.run(["session", "show", "--state", file + "/state", "--json"], in: sandbox)
      #expect(done.status == 1)
      let message = try done.jsonError()["message"] as? String
      #expect(message?.contains(file) == true && message?.contains("Not a directory") == true)
    }
  }

  @Test func twoMetersWithOneAddressAreRefused() async throws {
    try await Sandbox.with { sandbox in
      let first = try await meter("contour-next-one.json", sandbox)
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let second = try await Program.run(["meter", "run", file, "--json"], in: sandbox)
      #expect(second.status == 69)
      #expect(try second.jsonError()["code"] as? String == "address_taken")
      first.interrupt()
      #expect(await first.outcome().status == 0)
    }
  }
}
