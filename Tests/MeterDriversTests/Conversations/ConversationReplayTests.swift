import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Rule R8: what is said to an extension is recorded and replayed without code of its kind.
@Suite("Recordings of extensions", .timeLimit(.minutes(60))) struct ConversationReplayTests {
  private func record(
    source: String = "groups", limits: SessionRecorder.Limits = .init(),
    _ talk: (Conversation) async throws -> Void
  ) async throws -> Recording {
    let recorder = SessionRecorder(limits: limits)
    let conversation = try await ConversationBench.open(source: source, recorder: recorder)
    try await talk(conversation)
    await conversation.close()
    return try RecordingBench.recording(recorder, ConversationBench.bundle(), ConversationBench.driver)
  }

  private func whole(limits: SessionRecorder.Limits = .init()) async throws -> Recording {
    try await record(limits: limits) { conversation in
      var host = TalkingHost()
      try await host.talk(with: conversation)
    }
  }

  private func replay(_ recording: Recording) async throws -> ReplayReport {
    try await RecordingReplay(host: ConversationBench.host()).run(recording, bundle: ConversationBench.bundle())
  }

  @Test("a conversation comes out the same again, byte for byte") func identical() async throws {
    let recording = try await whole()
    #expect(recording.head.events == 6 && recording.steps.last == .closed)
    let report = try await replay(recording)
    #expect(report.outcome == .identical && report.verdict == .none, "\(report)")
  }

  @Test("an answer that is too long to keep is compared all the same") func digest() async throws {
    let recording = try await whole(limits: .init(bytes: 2_000, steps: 100))
    #expect(recording.steps.contains { if case .unitDigest = $0 { true } else { false } }, "\(recording.steps.count)")
    let outcome = try await replay(recording).outcome
    #expect(outcome == .identical || outcome == .identicalSoFar)
  }

  @Test("another answer, and another question, are a difference") func differs() async throws {
    var recording = try await whole()
    let answer = try #require(recording.steps.lastIndex { if case .answered = $0 { true } else { false } })
    guard case .answered(let bytes) = recording.steps[answer] else { return }
    recording.steps[answer] = .answered(bytes + [0])
    #expect(try await replay(recording).outcome == .differs)
  }

  @Test("a fault that comes again is the driver's") func faultAgain() async throws {
    for offence in [ConversationBench.Offence.abort, .pointNaN] {
      let recording = try await record(source: "\(offence.rawValue)") { conversation in
        await #expect(throws: DriverFault.self) { try await conversation.tellFirstBytes() }
      }
      #expect(recording.head.end == .fault)
      let report = try await replay(recording)
      #expect(report.outcome == .faultAgain && report.verdict == .driver, "\(offence): \(report)")
    }
  }

  @Test("a fault that does not come again is the machine's") func faultGone() async throws {
    var recording = try await whole()
    let answer = try #require(recording.steps.lastIndex { if case .answered = $0 { true } else { false } })
    recording.steps.replaceSubrange(
      answer..., with: [.fault(DriverFault(.crashed, driver: ConversationBench.driver, message: "the worker died"))])
    let report = try await replay(recording)
    #expect(report.outcome == .faultGone && report.verdict == .machine, "\(report)")
  }

  @Test("a step of an extension survives its file") func frames() throws {
    let steps: [RecordingStep] = [.asked(extension: "meterhost.ocr/1-draft", isOpening: true, [1, 2]), .answered([])]
    for step in steps {
      var reader = WireReader(RecordingFrame.step(step).bytes)
      #expect(try RecordingFrame(from: &reader) == .step(step))
    }
  }

  @Test("steps that cannot follow each other are damaged") func damaged() throws {
    let open = RecordingStep.asked(extension: "x", isOpening: true, [])
    let call = RecordingStep.asked(extension: "x", isOpening: false, [])
    for steps in [[call], [open, open], [open, .answered([]), .answered([])], [.answered([]), open]] {
      #expect(throws: RecordingError.self) { try ExtensionCourse(steps) }
    }
    #expect(try ExtensionCourse([.closed]) == nil)
  }
}
