import Foundation
import MeterBluetooth
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// What a person notices headless reads by.
@Suite(.timeLimit(.minutes(60))) struct FeedbackTests {
  @Test(
    "a meter that was read and had nothing new is noticed, too",
    arguments: [(0, "nothing new"), (1, "1 new reading"), (7, "7 new readings")])
  func counts(count: Int, words: String) throws {
    var summary = ReadSummary()
    let record = try RecordDocument(
      Array(
        #"{"type": "weight", "time": "2026-03-01T08:00Z", "values": [{"metric": "body_weight", "value": 70, "unit": "kg"}]}"#
          .utf8),
      name: "x"
    ).entries[0].record()
    summary.records = Array(repeating: CommitRecord(record: record, disposition: .pending), count: count)
    let moment = FeedbackMoment(
      .didRead(peripheral: 1000, meter: UUID(), summary), in: try GatewayFixture.gateway(.inProcess))
    #expect(moment.text.hasSuffix(": \(words)") && moment.variables["METERHOST_COUNT"] == "\(count)")
    #expect(!moment.text.contains("70"), "feedback holds no reading")
  }

  private let moment = FeedbackMoment(
    .read, peripheral: 1000, peripheralName: "Meter <b>& Co</b>\u{1B}[2J", meter: UUID(), count: 3)

  private func script(_ name: String, _ body: String, in sandbox: Sandbox) throws -> String {
    try sandbox.file(name, "#!/bin/sh\n\(body)\n", mode: 0o700)
  }

  private func problem(
    _ runner: FeedbackRunner, _ action: FeedbackRunner.Action, for moment: FeedbackMoment? = nil
  ) async -> FeedbackProblem? {
    do throws(FeedbackProblem) {
      try await runner.perform(action, for: moment ?? self.moment)
      return nil
    } catch { return error }
  }

  private func lines(_ file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("/bin/a", ["/bin/a"]), ("  /bin/a  b\tc ", ["/bin/a", "b", "c"]),
    ("/bin/a 'b c' \"d \\\" e\"", ["/bin/a", "b c", "d \" e"]),
    ("/bin/a\\ b ''", ["/bin/a b", ""]), ("/bin/a $HOME `x` ; y > z", ["/bin/a", "$HOME", "`x`", ";", "y", ">", "z"]),
    ("/a '\\'", ["/a", "\\"]), ("", nil), ("   ", nil), ("/a 'b", nil), ("/a \"b", nil), ("/a b\\", nil),
  ])
  func aHookIsWordsAndNothingElse(text: String, words: [String]?) { #expect(HookText.words(text) == words) }

  @Test func aHookHearsOfTheMomentAndOfNothingElse() async throws {
    try await Sandbox.with { sandbox in
      let said = sandbox.path("said")
      let hook = try script("hook", "env > \(said); printf '%s\\n' \"$@\" >> \(said); cat >> \(said)", in: sandbox)
      let runner = FeedbackRunner(
        environment: ["PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": "/secret", "METERHOST_STATE": "/state"])
      #expect(await problem(runner, .hook([hook, "a b", "$HOME"])) == nil)
      let heard = Set(try lines(said))
      let wanted = [
        "METERHOST_EVENT=read", "METERHOST_PERIPHERAL=1000", "METERHOST_COUNT=3", "a b", "$HOME",
        "METERHOST_METER=\(moment.meter?.uuidString.lowercased() ?? "")",
      ]
      for line in wanted { #expect(heard.contains(line), "\(line)") }
      for name in ["CREDENTIALS_DIRECTORY", "METERHOST_STATE", "METERHOST_TEST", "METERHOST_ERROR"] {
        #expect(!heard.contains { $0.hasPrefix(name + "=") }, "\(name)")
      }
    }
  }

  @Test func aHookThatFailsSaysSoInOneShortLine() async throws {
    try await Sandbox.with { sandbox in
      let hook = try script("hook", "printf 'no\\033[2J \\n lamp'; exit 7", in: sandbox)
      let failed = try #require(await problem(FeedbackRunner(), .hook([hook])))
      #expect(failed.code == .failed && failed.message.contains("status 7: no [2J lamp"), "\(failed.message)")
      let dead = try script("dead", "kill -9 $$", in: sandbox)
      #expect(await problem(FeedbackRunner(), .hook([dead]))?.message.contains("signal 9") == true)
    }
  }

  @Test func aHookThatHangsIsKilledWithAllThatItHasStarted() async throws {
    try await Sandbox.with { sandbox in
      let child = sandbox.path("child")
      let hook = try script("hook", "sleep 1000 & echo $! > \(child).new; mv \(child).new \(child); wait", in: sandbox)
      let late = await problem(FeedbackRunner(limit: .milliseconds(500)), .hook([hook]))
      #expect(late?.code == .timeout, "\(late?.message ?? "nothing")")
      try await expectGone(child)
    }
  }

  @Test func whatAHookLeavesBehindEndsWithIt() async throws {
    try await Sandbox.with { sandbox in
      let child = sandbox.path("child")
      // It holds the hook's output open; nobody waits for that.
      let hook = try script("hook", "sleep 1000 & echo $! > \(child)", in: sandbox)
      #expect(await problem(FeedbackRunner(limit: .seconds(60)), .hook([hook])) == nil)
      try await expectGone(child)
    }
  }

  /// A process that was killed and whose parent is gone is soon taken away by init.
  private func expectGone(_ file: String) async throws {
    let pid = try #require(Int32(try lines(file).first ?? ""))
    while let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8), !state.contains(") Z ") {
      await Task.yield()
    }
  }

  @Test(arguments: ["yes", "yes >&2", "head -c 3000000 /dev/zero"])
  func aFloodIsCutOff(command: String) async throws {
    try await Sandbox.with { sandbox in
      let hook = try script("hook", "\(command)\nexit 3", in: sandbox)
      let flood = try #require(await problem(FeedbackRunner(limit: .seconds(1)), .hook([hook])))
      #expect(flood.message.utf8.count < 1_000)
    }
  }

  @Test func aHookThatNobodyWaitsForAnyMoreIsKilled() async throws {
    try await Sandbox.with { sandbox in
      let child = sandbox.path("child")
      let hook = try script("hook", "echo $$ > \(child).new; mv \(child).new \(child); exec sleep 1000", in: sandbox)
      let work = Task { await problem(FeedbackRunner(limit: .seconds(600)), .hook([hook])) }
      while !FileManager.default.fileExists(atPath: child) { await Task.yield() }
      work.cancel()
      #expect(await work.value?.code == .failed)
    }
  }

  @Test func missingProgramsAreNamedWithTheirCure() async throws {
    try await Sandbox.with { sandbox in
      let sound = try sandbox.file("sound", "RIFF")
      let bare = FeedbackRunner(environment: ["PATH": sandbox.path("nothing")])
      let found: [(FeedbackRunner.Action, FeedbackProblem.Code)] = [
        (.notification, .notifierMissing), (.sound(sound), .playerMissing), (.sound(sandbox.path("gone")), .soundFile),
        (.hook([sandbox.path("gone")]), .hookFile),
      ]
      for (action, code) in found {
        let met = await problem(bare, action)
        #expect(met?.code == code && met?.cure.isEmpty == false, "\(code)")
        #expect(await bare.problem(of: action) == met, "\(code)")
      }
    }
  }

  @Test func aNotificationHasNoMarkupOfAName() async throws {
    try await Sandbox.with { sandbox in
      let said = sandbox.path("said")
      _ = try script("notify-send", "printf '%s\\n' \"$@\" > \(said)", in: sandbox)
      #expect(await problem(FeedbackRunner(environment: ["PATH": sandbox.root.path]), .notification) == nil)
      #expect(
        try lines(said) == [
          "--app-name=MeterHost", "--", "Meter read", "Meter &lt;b&gt;&amp; Co&lt;/b&gt; [2J: 3 new readings",
        ])
    }
  }

  @Test(arguments: ["<\u{301}b>", "\u{D4E}<b\u{D4E}>", "&\u{301}lt;b&\u{200D}gt;", "<\u{FE0F}b>\u{20DD}"])
  func aMarkBesideASignMakesNoMarkup(of name: String) async throws {
    try await Sandbox.with { sandbox in
      let said = sandbox.path("said")
      _ = try script("notify-send", "printf '%s' \"$4\" > \(said)", in: sandbox)
      let named = FeedbackMoment(.read, peripheral: 1000, peripheralName: name, meter: UUID(), count: 3)
      let runner = FeedbackRunner(environment: ["PATH": sandbox.root.path])
      #expect(await problem(runner, .notification, for: named) == nil)
      let text = try String(contentsOfFile: said, encoding: .utf8)
      #expect(!text.unicodeScalars.contains { $0 == "<" || $0 == ">" }, "\(text)")
      let pieces = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
      #expect(!pieces.isEmpty)
      for piece in pieces {
        #expect(["amp;", "lt;", "gt;"].contains { piece.starts(with: $0.unicodeScalars) }, "\(text)")
      }
    }
  }

  @Test func theNextPlayerIsTriedWhenOneCannot() async throws {
    try await Sandbox.with { sandbox in
      let (sound, said) = (try sandbox.file("sound", "RIFF"), sandbox.path("said"))
      _ = try script("pw-play", "exit 1", in: sandbox)
      let runner = FeedbackRunner(environment: ["PATH": sandbox.root.path])
      #expect(await problem(runner, .sound(sound))?.code == .failed)
      _ = try script("aplay", "echo \"$1\" > \(said)", in: sandbox)
      #expect(await problem(runner, .sound(sound)) == nil)
      #expect(try lines(said) == [sound])
    }
  }

  @Test func whatCannotBeAHookIsRefused() async throws {
    try await Sandbox.with { sandbox in
      let plain = try sandbox.file("plain", "#!/bin/sh\n")
      let open = try sandbox.file("open", "#!/bin/sh\n", mode: 0o777)
      let hooks = [
        [], ["env"], ["./env"], [plain], [open], [sandbox.root.path], ["/bin/true\0x"],
        ["/bin/true", String(repeating: "x", count: 4_096)], ["/bin/true"] + Array(repeating: "x", count: 64),
      ]
      for hook in hooks { #expect(FeedbackFiles.problem(ofHook: hook)?.code == .hookFile, "\(hook.first ?? "")") }
      #expect(FeedbackFiles.problem(ofHook: ["/bin/true", "x"]) == nil)
    }
  }

  @Test func settingsAreKeptForEachMoment() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      let sound = try sandbox.file("sound", "RIFF")
      var request = FeedbackSetRequest([.read, .failed])
      (request.notification, request.sound, request.hook) = (true, .chosen(sound), .chosen(["/bin/true", "a b"]))
      let set = try await request.perform(on: owner)
      #expect(set.ready.isEmpty && set.read == set.failed && set.read.hook == ["/bin/true", "a b"])
      request = FeedbackSetRequest([.failed])
      request.sound = .nothing
      _ = try await request.perform(on: owner)
      let shown = try await FeedbackShowRequest().perform(on: owner)
      #expect(shown.failed.sound == nil && shown.failed.notification && shown.read.sound == sound)
      request.hook = .chosen(["true"])
      let refused = request
      await #expect(throws: GatewayError.self) { try await refused.perform(on: owner) }
      #expect(try await FeedbackShowRequest().perform(on: owner) == shown, "what was refused changes nothing")
      _ = try await FeedbackSetRequest.off([.read]).perform(on: owner)
      #expect(try store.feedbackSettings().read.isEmpty && !store.feedbackSettings().isEmpty)
      _ = try await FeedbackSetRequest.off(FeedbackMoment.Kind.allCases).perform(on: owner)
      #expect(try store.hostSetting("feedback") == nil)
      await #expect(throws: GatewayError.self) { try await FeedbackTestRequest().perform(on: owner) }
    }
  }

  @Test func aHookThatHangsHoldsUpNobodyAndOldMomentsArePassedBy() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let said = sandbox.path("said")
      _ = try script("notify-send", "echo \"$4\" >> \(said)", in: sandbox)
      let started = sandbox.path("started")
      let hook = try script("hang", "echo x >> \(started); exec sleep 1000", in: sandbox)
      var settings = FeedbackSettings()
      settings.read.hook = [hook]
      settings.read.notification = true
      try store.setFeedbackSettings(settings)
      let runner = FeedbackRunner(
        limit: .seconds(600), environment: ["PATH": "\(sandbox.root.path):/usr/bin:/bin"])
      let desk = FeedbackDesk(store: store, runner: runner, patience: .seconds(600))
      // Before anybody listens, and more than wait.
      for count in 1...(FeedbackDesk.mostWaiting + 4) {
        desk.tell(FeedbackMoment(.read, peripheral: 1, peripheralName: "M", count: count))
      }
      let running = Task { await desk.run() }
      let last = "M: \(FeedbackDesk.mostWaiting + 4) new readings"
      while try !FileManager.default.fileExists(atPath: said) || lines(said).last != last
        || !FileManager.default.fileExists(atPath: started)
      {
        await Task.yield()
      }
      #expect(try lines(said).count == FeedbackDesk.mostWaiting && lines(started).count == 1)
      running.cancel()
      await running.value
      let impatient = FeedbackDesk(store: store, runner: runner, patience: .zero)
      for count in 1...3 {
        impatient.tell(FeedbackMoment(.read, peripheral: 1, peripheralName: "late", count: count))
      }
      impatient.close()
      await impatient.run()
      #expect(try !lines(said).contains { $0.contains("late") })
    }
  }
}
