import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Who is to blame: recordings in which something was changed, so that the replay is unlike them in one thing.
@Suite(.timeLimit(.minutes(60))) struct ReplayVerdictTests {
  private static let fault = DriverFault(.crashed, driver: "recorded", message: "the worker died")

  private func changed(
    _ values: [[UInt8]], _ change: (inout [RecordingStep]) throws -> Void
  ) async throws -> ReplayReport {
    var recording = try await RecordingBench.record(values)
    try change(&recording.steps)
    return try await RecordingBench.replay(recording)
  }

  @Test func aFaultWhenTheSessionIsClosedIsTriedOut() async throws {
    let recording = try await RecordingBench.record([[9], [8]])
    #expect(recording.head.end == .fault && recording.head.fault == "crashed")
    #expect(recording.steps.contains { if case .closingFault = $0 { true } else { false } })
    let report = try await RecordingBench.replay(recording)
    #expect(report.outcome == .faultAgain && report.verdict == .driver, "\(report)")
  }

  @Test func aFaultAtTheEndThatDoesNotComeAgainIsTheMachines() async throws {
    let report = try await changed([[9]]) { steps in
      let last = steps.last
      #expect(last == .closed)
      steps[steps.count - 1] = .closingFault(Self.fault)
    }
    #expect(report.outcome == .faultGone && report.verdict == .machine, "\(report)")
    // All came out as it was recorded, and that decides nothing.
    let refused = DriverFault(.brokeRule, driver: "recorded", rule: "R24", message: "another")
    let other = try await changed([[9], [8]]) { $0[$0.count - 1] = .closingFault(refused) }
    #expect(other.outcome == .differs && other.verdict == .undecided, "\(other)")
    let new = try await changed([[9], [8]]) { $0[$0.count - 1] = .closed }
    #expect(new.outcome == .differs && new.verdict == .none, "\(new)")
  }

  @Test func aClosingFaultSurvivesItsFile() throws {
    let frame = RecordingFrame.step(.closingFault(Self.fault))
    #expect(frame.bytes.first == 11)
    var reader = WireReader(frame.bytes)
    #expect(try RecordingFrame(from: &reader) == frame)
  }

  @Test func anotherFaultAtTheSamePlaceDecidesNothing() async throws {
    let report = try await changed([[9], [2]]) { steps in
      steps[steps.count - 1] = .fault(DriverFault(.hung, driver: "recorded", rule: "R16", message: "it hung"))
    }
    #expect(report.outcome == .differs && report.verdict == .undecided, "\(report)")
  }

  @Test func theSameFaultAtAnotherPlaceDecidesNothing() async throws {
    let report = try await changed([[9], [9], [2]]) { steps in
      let found = steps.firstIndex { if case .event(let event) = $0 { event.sequence == 3 } else { false } }
      let place = try #require(found)
      guard case .event(var event) = steps[place] else { return }
      event.fact = .notification(handle: 3, [2])
      steps[place] = .event(event)
    }
    #expect(report.outcome == .differs && report.event == 3 && report.verdict == .undecided, "\(report)")
  }

  /// A session that was broken off while the driver asked its services.
  private func brokenOff(_ drop: (Range<Int>) -> Int?) async throws -> ReplayReport {
    try await changed([[1]]) { steps in
      let (lastEvent, lastUnit) = (
        steps.lastIndex { if case .event = $0 { true } else { false } },
        steps.lastIndex { if case .unit = $0 { true } else { false } }
      )
      let (event, end) = (try #require(lastEvent), try #require(lastUnit))
      #expect(end - event > 3)
      steps.replaceSubrange(end..., with: [.fault(Self.fault)])
      if let place = drop(event + 1..<end) { steps.remove(at: place) }
    }
  }

  @Test func whoeverAsksForSomethingElseHasNotGotPastTheFault() async throws {
    let same = try await brokenOff { _ in nil }
    #expect(same.outcome == .faultGone && same.verdict == .machine, "\(same)")
    // The recorded session had not got that far.
    let more = try await brokenOff { $0.upperBound - 1 }
    #expect(more.outcome == .faultGone && more.verdict == .machine, "\(more)")
    let other = try await brokenOff { $0.lowerBound }
    #expect(other.outcome == .differs && other.verdict == .undecided, "\(other)")
  }

  @Test func anEventWithoutItsOutputIsNotPlayed() async throws {
    let report = try await changed([[9], [2]]) { $0.removeLast() }
    #expect(report.outcome == .identicalSoFar && report.events == 2 && report.verdict == .none, "\(report)")
  }
}
