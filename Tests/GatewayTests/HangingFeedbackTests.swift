import Foundation
import HostErrors
import MeterCore
import MeterDrivers
import TestSupport
import Testing

@testable import GatewayAPI
@testable import GatewayEngine

/// Feedback whose files do not answer is refused, is heard of, and can be taken back; all other goes on.
@Suite("Feedback beside files that hang", .timeLimit(.minutes(10)))
struct HangingFeedbackTests {
  private let moment = FeedbackMoment(.failed, peripheral: 1, peripheralName: "M", error: "no_reading")

  private func script(_ name: String, _ body: String, in sandbox: Sandbox) throws -> String {
    try sandbox.file(name, "#!/bin/sh\n\(body)\n", mode: 0o700)
  }

  private func problem(_ runner: FeedbackRunner, _ action: FeedbackRunner.Action) async -> FeedbackProblem? {
    do throws(FeedbackProblem) {
      try await runner.perform(action, for: moment)
      return nil
    } catch { return error }
  }

  @Test("no file of a person is touched but where it may hang", arguments: ["hook", "sound", "notification"])
  func hanging(kind: String) async throws {
    try await Sandbox.with { sandbox in
      let said = sandbox.path("said")
      let program = try script("notify-send", "echo x > \(said)", in: sandbox)
      _ = try script("aplay", "echo x > \(said)", in: sandbox)
      let sound = try sandbox.file("sound", "RIFF")
      let action = try #require(
        ["hook": FeedbackRunner.Action.hook([program]), "sound": .sound(sound), "notification": .notification][kind])
      let runner = FeedbackRunner(
        environment: ["PATH": "\(sandbox.root.path):/usr/bin:/bin"], files: FeedbackFileWork(most: 0))
      let given = await problem(runner, action)
      #expect(given?.code == .timeout)
      #expect(await runner.problem(of: action)?.code == .timeout)
      #expect(!FileManager.default.fileExists(atPath: said))
    }
  }

  @Test("what hangs is neither chosen nor kept from being taken back")
  func takenBack() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let owner = GatewayOwner(gateway: try GatewayFixture.gateway(.inProcess), store: store)
      let hanging = FeedbackRunner(files: FeedbackFileWork(most: 0))
      var settings = FeedbackSettings()
      (settings.read.sound, settings.failed.hook) = (sandbox.path("sound"), ["/bin/true"])
      try store.setFeedbackSettings(settings)
      var choices = [FeedbackSetRequest(), FeedbackSetRequest()]
      choices[0].hook = .chosen(["/bin/true"])
      choices[1].sound = .chosen(try sandbox.file("sound", "RIFF"))
      for choice in choices {
        let refused = await #expect(throws: GatewayError.self) { try await choice.perform(on: owner, hanging) }
        #expect(refused?.code == "feedback_timeout" && refused?.kind == .temporary)
      }
      #expect(try store.feedbackSettings() == settings, "what was refused changes nothing")
      var notified = FeedbackSetRequest([.ready])
      notified.notification = true
      #expect(try await notified.perform(on: owner, hanging).ready.notification)
      let off = try await FeedbackSetRequest.off([.read]).perform(on: owner, hanging)
      #expect(off.read.isEmpty && off.problems.map(\.code) == [.timeout], "\(off.problems)")
      _ = try await FeedbackSetRequest.off(FeedbackMoment.Kind.allCases).perform(on: owner, hanging)
      #expect(try store.feedbackSettings().isEmpty)
    }
  }

  @Test("a lane whose files hang keeps no other one silent")
  func lanes() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      for name in ["notify-send", "aplay", "hook"] {
        _ = try script(name, "echo x > \(sandbox.path("said-\(name)"))", in: sandbox)
      }
      var settings = FeedbackSettings()
      (settings.failed.notification, settings.failed.sound) = (true, try sandbox.file("sound", "RIFF"))
      settings.failed.hook = [sandbox.path("hook")]
      try store.setFeedbackSettings(settings)
      let runner = FeedbackRunner(environment: ["PATH": "\(sandbox.root.path):/usr/bin:/bin"])
      let desk = FeedbackDesk(store: store, runner: runner, patience: .seconds(600)) {
        FeedbackFileWork(most: $0 == "sound" ? 0 : 8)
      }
      desk.tell(moment)
      desk.close()
      await desk.run()
      let said = ["notify-send", "aplay", "hook"].filter {
        FileManager.default.fileExists(atPath: sandbox.path("said-\($0)"))
      }
      #expect(said == ["notify-send", "hook"])
    }
  }

  @Test("each lane counts what hangs by itself, and so does what a person asks")
  func counters() async throws {
    try await Sandbox.with { sandbox in
      let store = try MeterStore(folder: URL(filePath: sandbox.path("state")))
      let files = FeedbackDesk(store: store).lanes.map { ObjectIdentifier($0.runner.files) }
      #expect(Set(files + [ObjectIdentifier(FeedbackFileWork.forRequests)]).count == 4)
    }
  }
}
