import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct RecordingCommandTests {
  private func record(_ sandbox: Sandbox) async throws -> String {
    let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
    let meter = try Program(["meter", "run", file], in: sandbox)
    try await meter.line(with: "advertising")
    let read = try await Program.run(
      ["read", "1000", "--history", "--record", "--no-upload", "--json"], in: sandbox)
    meter.interrupt()
    _ = await meter.outcome()
    #expect(read.status == 0, "\(read.err)")
    let names = try read.objects().compactMap { $0["recordings"] as? [String] }.flatMap(\.self)
    return try #require(names.first)
  }

  @Test func aReadIsRecordedReplayedExportedAndRemoved() async throws {
    try await Sandbox.with { sandbox in
      let name = try await record(sandbox)
      let list = try await Program.run(["driver", "recordings", "--json"], in: sandbox)
      #expect(try list.objects().map { $0["name"] as? String } == [name])
      let replay = try await Program.run(["driver", "replay", name, "--json"], in: sandbox)
      let report = try #require(try replay.objects().first)
      #expect(replay.status == 0 && report["outcome"] as? String == "identical", "\(replay.out)\(replay.err)")
      #expect(report["verdict"] as? String == "none" && report["records"] == nil)
      let people = try await Program.run(["driver", "replay", name, "--records"], in: sandbox)
      #expect(people.status == 0 && people.out.contains("identical") && people.out.contains("blood_glucose"))
      let shown = try await Program.run(["driver", "recordings", "show", name], in: sandbox)
      #expect(shown.status == 0 && shown.out.contains("org.meterhost.glucose") && !shown.out.contains("blood_glucose"))

      let key = sandbox.path("support.key")
      #expect(try await Program.run(["driver", "recordings", "key", "make", key], in: sandbox).status == 0)
      let again = try await Program.run(["driver", "recordings", "key", "make", key, "--json"], in: sandbox)
      #expect(again.status == 1 && again.err.contains("recording_file"))
      let copy = sandbox.path("copy.mhrec")
      let without = try await Program.run(["driver", "recordings", "export", name, copy, "--json"], in: sandbox)
      #expect(without.status == 64 && without.err.contains("support_key"))
      #expect(try await Program.run(["driver", "recordings", "support-key", key + ".pub"], in: sandbox).status == 0)
      #expect(try await Program.run(["driver", "recordings", "export", name, copy], in: sandbox).status == 0)
      let closed = try await Program.run(["driver", "replay", copy, "--json"], in: sandbox)
      #expect(closed.status == 69 && closed.err.contains("recording_key"))
      #expect(try await Program.run(["driver", "replay", copy, "--key", key], in: sandbox).status == 0)
      // The bundle of another driver holds no such driver: another build, named on purpose.
      let other = try Installation.shared().library("thermometer").path
      let differs = try await Program.run(["driver", "replay", name, "--bundle", other, "--json"], in: sandbox)
      #expect(differs.status == 69 && differs.err.contains("recording_unavailable"), "\(differs.out)\(differs.err)")

      // Of a name the beginning is enough, where it is one recording's.
      let beginning = String(name.prefix(12))
      for words in [["recordings", "show", beginning], ["replay", beginning]] {
        let meant = try await Program.run(["driver"] + words + ["--json"], in: sandbox)
        #expect(meant.status == 0, "\(words): \(meant.err)")
      }
      let kept = try await Program.run(["driver", "recordings", "keep", beginning, "--json"], in: sandbox)
      #expect(try kept.objects().first?["kept"] as? String == name, "\(kept.err)")
      let removed = try await Program.run(["driver", "recordings", "remove", beginning, "--json"], in: sandbox)
      #expect(try removed.objects().first?["removed"] as? String == name, "\(removed.err)")
      let gone = try await Program.run(["driver", "recordings", "remove", name, "--json"], in: sandbox)
      #expect(gone.status == 64 && gone.err.contains("unknown_recording"))
    }
  }

  @Test func aCrashNamesItsRecordingAndTheReplayDecides() async throws {
    try await Sandbox.with { sandbox in
      let environment = try await CrashingDriver.install(in: sandbox)
      let file = try Installation.shared().meters.appending(path: "contour-next-one.json").path
      let meter = try Program(["meter", "run", file], in: sandbox)
      try await meter.line(with: "advertising")
      let read = try await Program.run(
        ["read", CrashingDriver.peripheral, "--no-upload", "--json"], in: sandbox, environment: environment)
      meter.interrupt()
      _ = await meter.outcome()
      #expect(read.status == 1, "\(read.out)\(read.err)")
      let failed = try #require(try read.objects().last { $0["event"] as? String == "failed" })
      let name = try #require((failed["recordings"] as? [String])?.first)
      #expect(failed["code"] as? String == "driver_crashed")
      #expect(try read.jsonError()["message"] as? String == failed["text"] as? String)
      #expect((failed["text"] as? String)?.contains("meterhost driver replay \(name)") == true)
      let replay = try await Program.run(["driver", "replay", name, "--json"], in: sandbox, environment: environment)
      let report = try #require(try replay.objects().first)
      #expect(replay.status == 3 && report["verdict"] as? String == "driver", "\(replay.out)\(replay.err)")
      #expect((report["fault"] as? [String: Any])?["code"] as? String == "crashed")
      // Where the driver is not installed its bundle is named; what it was recorded with decides.
      let bundle = sandbox.root.appending(path: "registry.d/librecorded.so").path
      let elsewhere = try await Program.run(["driver", "replay", name, "--bundle", bundle], in: sandbox)
      #expect(elsewhere.status == 3 && elsewhere.out.contains("the driver's"), "\(elsewhere.out)\(elsewhere.err)")
      let without = try await Program.run(["driver", "replay", name, "--json"], in: sandbox)
      #expect(without.status == 69 && without.err.contains("recording_unavailable"))
    }
  }

  @Test func limitsAreEnforcedWhenTheStateFolderIsOpened() async throws {
    try await Sandbox.with { sandbox in
      let (_, second) = (try await record(sandbox), try await record(sandbox))
      #expect(try await Program.run(["driver", "recordings", "settings", "--number", "1"], in: sandbox).status == 0)
      #expect(try await Program.run(["driver", "recordings", "--json"], in: sandbox).objects().count == 2)
      #expect(try await Program.run(["queue", "list"], in: sandbox).status == 0)
      let left = try await Program.run(["driver", "recordings", "--json"], in: sandbox).objects()
      #expect(left.map { $0["name"] as? String } == [second])
    }
  }

  /// A phone's capture of a glucose meter in the form of the Linux monitor: discovery, subscriptions, one reading.
  private func capture(_ sandbox: Sandbox) throws -> String {
    func big(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }
    var file = Array("btsnoop\0".utf8) + big(1, 4) + big(2001, 4)
    var time = 0x00DC_DDB3_0F2F_8000 + 1_600_000_000_000_000
    func record(_ opcode: Int, _ content: [UInt8]) {
      time += 10_000
      file += big(content.count, 4) + big(content.count, 4) + big(opcode, 4) + big(0, 4) + big(time, 8) + content
    }
    func exchange(_ request: [UInt8], _ answers: [UInt8]...) {
      for (opcode, boundary, pdu) in [(4, 0, request)] + answers.map({ (5, 0x20, $0) }) {
        let (length, frame) = (UInt8(pdu.count), UInt8(pdu.count + 4))
        record(opcode, [0x40, UInt8(boundary), frame, 0, length, 0, 4, 0] + pdu)
      }
    }
    record(3, [0x3E, 19, 1, 0, 0x40, 0, 0, 0, 1, 0, 0x78, 0x0E, 0x6C, 0x54, 24, 0, 0, 0, 72, 0, 5])
    exchange([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x11, 6, 10, 0, 25, 0, 8, 0x18])
    exchange(
      [0x08, 10, 0, 25, 0, 3, 0x28],
      [0x09, 7, 11, 0, 0x10, 12, 0, 0x18, 0x2A, 14, 0, 0x10, 15, 0, 0x34, 0x2A])
    exchange(
      [0x08, 15, 0, 25, 0, 3, 0x28], [0x09, 7, 17, 0, 2, 18, 0, 0x51, 0x2A, 19, 0, 0x28, 20, 0, 0x52, 0x2A])
    for (handle, value) in [(21, 2), (13, 1), (16, 1)] as [(UInt8, UInt8)] {
      exchange([0x12, handle, 0, value, 0], [0x13])
    }
    exchange(
      [0x12, 20, 0, 1, 1], [0x13],
      [0x1B, 12, 0, 0x13, 0x1E, 0, 0xE2, 0x07, 9, 0x14, 5, 0x1B, 7, 0x5C, 0xFE, 0x6F, 0xB0, 0xF1],
      [0x1B, 15, 0, 2, 0x1E, 0, 2], [0x1D, 20, 0, 6, 0, 1, 1])
    record(3, [5, 4, 0, 0x40, 0, 0x13])
    try Data(file).write(to: sandbox.root.appending(path: "btsnoop_hci.log"))
    return sandbox.path("btsnoop_hci.log")
  }

  @Test func aPhonesCaptureIsImportedAndReplayed() async throws {
    try await Sandbox.with { sandbox in
      let file = try capture(sandbox)
      let done = try await Program.run(
        ["driver", "import-capture", file, "--peripheral", "1000", "--json"], in: sandbox)
      let imported = try #require(try done.objects().first)
      #expect(done.status == 0 && imported["address"] as? String == "54:6C:0E:78:00:01", "\(done.out)\(done.err)")
      let name = try #require(imported["recording"] as? String)
      let replay = try await Program.run(["driver", "replay", name, "--json"], in: sandbox)
      let report = try #require(try replay.objects().first)
      #expect(replay.status == 0 && report["outcome"] as? String == "ran", "\(replay.out)\(replay.err)")
      let records = (report["records"] as? [[String: Any]] ?? []).filter { $0["kind"] as? String == "measurement" }
      #expect(records.map { $0["sequence"] as? Int } == [30])

      let key = sandbox.path("support.key")
      #expect(try await Program.run(["driver", "recordings", "key", "make", key], in: sandbox).status == 0)
      let output = ["--output", sandbox.path("capture.mhrec"), "--support-key", key + ".pub"]
      let written = try await Program.run(
        ["driver", "import-capture", file, "--peripheral", "1000"] + output, in: sandbox)
      #expect(written.status == 0, "\(written.err)")
      #expect(
        try await Program.run(["driver", "replay", sandbox.path("capture.mhrec"), "--key", key], in: sandbox).status
          == 0)

      for (arguments, status, code) in [
        ([file, "--peripheral", "9999"], 64, "unknown_peripheral"),
        ([key, "--peripheral", "1000"], 64, "not_a_capture"),
        ([file, "--peripheral", "4000"], 1, "capture_unresolved"),
        ([file, "--peripheral", "32"], 69, "driver_unavailable"),
        ([file, "--peripheral", "1000", "--address", "00:00:00:00:00:09"], 64, "capture_without_meter"),
      ] as [([String], Int32, String)] {
        let refused = try await Program.run(["driver", "import-capture"] + arguments + ["--json"], in: sandbox)
        #expect(refused.status == status && refused.err.contains(code), "\(arguments): \(refused.err)")
      }
    }
  }

  @Test func settingsAreKeptAndBounded() async throws {
    try await Sandbox.with { sandbox in
      let set = try await Program.run(
        ["driver", "recordings", "settings", "--all", "on", "--days", "7", "--json"], in: sandbox)
      #expect(set.status == 0)
      let shown = try #require(
        try await Program.run(["driver", "recordings", "settings", "--json"], in: sandbox).objects().first)
      #expect(shown["all"] as? Bool == true && shown["days"] as? Int == 7 && shown["number"] as? Int == 200)
      #expect(try await Program.run(["driver", "recordings", "settings", "--days", "0"], in: sandbox).status == 64)
      #expect(try await Program.run(["driver", "replay", "nothing", "--json"], in: sandbox).status == 64)
      let file = try sandbox.file("text", "no recording")
      let refused = try await Program.run(["driver", "replay", file, "--json"], in: sandbox)
      #expect(refused.status == 64 && refused.err.contains("not_a_recording"))
    }
  }
}
