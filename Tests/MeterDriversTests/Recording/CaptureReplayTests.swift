import DriverRuntime
import Foundation
import TestSupport
import Testing

@testable import MeterDrivers

/// Runs of a driver against captured steps that somebody made up.
@Suite(.timeLimit(.minutes(60))) struct CaptureReplayTests {
  private func replay(_ steps: [CapturedStep]) async throws -> ReplayReport {
    var recording = try await RecordingBench.record([[9]], isolation: .inProcess)
    recording.head.origin = .capture
    recording.steps = steps.map { .captured($0) }
    // As it comes out of a file.
    let read = try Recording(head: recording.head, content: recording.content)
    return try await RecordingBench.replay(read, isolation: .inProcess)
  }

  private func step(_ time: Int64, _ fact: DriverFact) -> CapturedStep {
    CapturedStep(unixMicroseconds: time, content: .fact(fact))
  }

  @Test func theEarliestAndTheLatestTimeArePlayed() async throws {
    let range = RecordedTime.range
    for times in [[range.lowerBound, range.upperBound], [range.upperBound, range.lowerBound], [range.upperBound]] {
      let steps =
        [step(times[0], .connected(mtu: 23))] + times.map { step($0, .notification(handle: 3, [9])) }
      let report = try await replay(steps)
      #expect(report.outcome == .ran && report.records.count == times.count, "\(report)")
    }
  }

  @Test func aDriverThatRefusesToGoOnIsSaidToHave() async throws {
    let report = try await replay([
      step(1, .connected(mtu: 23)), step(2, .notification(handle: 3, [9])), step(3, .notification(handle: 3, [10])),
      step(4, .notification(handle: 3, [9])),
    ])
    #expect(report.outcome == .differs && report.events == 3 && report.records.count == 1, "\(report)")
    #expect(report.words.contains { $0.contains("refused to go on") && $0.contains("MH_E_DENIED") })
  }

  @Test func manyPacketsArePlayedInReasonableTime() async throws {
    let steps = [step(0, .connected(mtu: 23))] + (1...5000).map { step(Int64($0), .notification(handle: 3, [9])) }
    let report = try await replay(steps)
    #expect(report.outcome == .ran && report.records.count == 5000)
  }
}
