import DriverRuntime
import DriverContract
import Foundation
import HostPrimitives
import Synchronization
import TestSupport
import Testing

@testable import MeterDrivers

@Suite(.timeLimit(.minutes(60))) struct ReplayTests {
  @Test(arguments: DriverHostConfiguration.Isolation.allCases, DriverHostConfiguration.Isolation.allCases)
  func aSessionReplaysToTheSameBytesWithoutItsKeys(
    recorded: DriverHostConfiguration.Isolation, replayed: DriverHostConfiguration.Isolation
  ) async throws {
    let recording = try await RecordingBench.record([[1], [9], [6], [1], [5]], isolation: recorded)
    let report = try await RecordingBench.replay(recording, isolation: replayed)
    #expect(report.outcome == .identical, "\(report.words)")
    #expect(report.verdict == .none && report.events == 6)
    // Random bytes, the session's handle, a readable key and a code made with a secret one: twice; and the readings.
    #expect(report.records.count == 4105)
    let units = recording.steps.compactMap { if case .unit(let unit) = $0 { unit } else { nil } }
    #expect(units.flatMap(\.records) == report.records)
  }

  @Test(arguments: ["good", "many", "storing", "chatty", "failing"])
  func driversOfTheFixtureReplay(driver: String) async throws {
    let bundle = try DriverHostTests.bundle()
    let recording = try await RecordingBench.record([[62, 1], [88, 3], [7, 0]], bundle: bundle, driver: driver)
    let report = try await RecordingBench.replay(recording, bundle: bundle)
    #expect(report.outcome == .identical && report.isSameBundle, "\(report.words)")
  }

  @Test func noKeyIsInARecordingThatTheDriverDoesNotReadItself() async throws {
    let recording = try await RecordingBench.record([[1]])
    func holds(_ bytes: [UInt8]) -> Bool { Data(recording.content).range(of: Data(bytes)) != nil }
    #expect(!holds(RecordingBench.key))
    for secret in ["a secret of the driver", "another one with a mark"] {
      #expect(!holds(Array(secret.utf8)), "\(secret)")
    }
    let written = recording.steps.flatMap {
      if case .unit(let unit) = $0 { unit.writes.map(\.key) } else { [String]() }
    }
    #expect(Set(written.map(ExactText.init)) == Set(["user/secret/own", "user/secret/\u{301}own"].map(ExactText.init)))
    // What the driver reads it knows: documented.
    #expect(holds(RecordingBench.readable))
  }

  @Test func anotherBuildDiffersAndItIsSaidWhere() async throws {
    let recording = try await RecordingBench.record([[9], [9]])
    let other = try RecordingBench.bundle(defines: ["OTHER_BUILD"])
    let report = try await RecordingBench.replay(recording, bundle: other)
    #expect(report.outcome == .differs && report.event == 2 && report.verdict == .none && !report.isSameBundle)
    #expect(report.words.contains { $0.contains("51e-1") && $0.contains("recorded 50e-1") }, "\(report.words)")
    let refused = await #expect(throws: RecordingError.self) {
      try await RecordingReplay(host: DriverHost()).run(recording, bundle: other)
    }
    #expect(refused?.code == .otherBundle)
  }

  @Test func aBuildThatAsksForMoreIsTold() async throws {
    let recording = try await RecordingBench.record([[7]])
    let report = try await RecordingBench.replay(recording, bundle: RecordingBench.bundle(defines: ["OTHER_BUILD"]))
    #expect(report.outcome == .differs && report.event == 2)
    #expect(report.words.first?.contains("asked for 16 random bytes") == true, "\(report.words)")
  }

  @Test(arguments: [2, 3, 4] as [UInt8]) func aFaultThatComesAgainIsTheDrivers(order: UInt8) async throws {
    let recording = try await RecordingBench.record([[9], [order], [9]])
    #expect(recording.head.end == .fault && recording.head.events == 3)
    let report = try await RecordingBench.replay(recording)
    #expect(report.outcome == .faultAgain && report.event == 3 && report.verdict == .driver, "\(report)")
    #expect(report.fault?.code == report.recordedFault?.code)
    let verdict = try await RecordingReplay(host: DriverHost()).verdict(recording, bundle: RecordingBench.bundle())
    #expect(verdict == .driver)
    // Another bundle says nothing about this one.
    let other = try await RecordingBench.replay(recording, bundle: RecordingBench.bundle(defines: ["OTHER_BUILD"]))
    #expect(other.outcome == .differs && other.verdict == .undecided)
  }

  @Test func aFaultOfTheOpeningComesAgain() async throws {
    let bundle = try DriverHostTests.bundle(defines: ["CRASHES_AT_ENTRY"])
    let recording = try await RecordingBench.record([[9]], bundle: bundle, driver: "good")
    #expect(recording.head.end == .fault && recording.head.events == 0)
    let report = try await RecordingBench.replay(recording, bundle: bundle)
    #expect(report.outcome == .faultAgain && report.event == 0 && report.verdict == .driver)
  }

  @Test func aRefusalIsNoFault() async throws {
    let bundle = try DriverHostTests.bundle()
    let recording = try await RecordingBench.record([[9]], bundle: bundle, driver: "refuse")
    #expect(recording.head.end == .orderly)
    let report = try await RecordingBench.replay(recording, bundle: bundle)
    #expect(report.outcome == .identical && report.verdict == .none)
  }

  @Test func aWorkerThatWasKilledFromOutsideIsTheMachines() async throws {
    let worker = try NumberedWorker()
    let recording = try await RecordingBench.record([[9], [9], [1]], worker: worker.path) { number in
      if number == 2 { worker.kill() }
    }
    #expect(recording.head.end == .fault && recording.head.fault == "worker_killed" && recording.head.events == 3)
    let report = try await RecordingBench.replay(recording)
    #expect(report.outcome == .faultGone && report.event == 3 && report.verdict == .machine, "\(report)")
  }

  @Test func anOutputThatTheHostRefusesIsTheDrivers() async throws {
    let fault = DriverFault(.brokeRule, driver: "recorded", rule: "R12", message: "a reading that cannot be")
    let recording = try await RecordingBench.record([[9]], refusing: fault)
    #expect(recording.head.end == .fault)
    let report = try await RecordingBench.replay(recording)
    #expect(report.outcome == .faultAgain && report.event == 2 && report.verdict == .driver)
    let other = try await RecordingBench.replay(recording, bundle: RecordingBench.bundle(defines: ["OTHER_BUILD"]))
    #expect(other.outcome == .differs && other.verdict == .undecided)
  }

  @Test func aLongSessionStaysWithinBoundsAndReplays() async throws {
    let limits = SessionRecorder.Limits(bytes: 400_000, steps: 100_000)
    let values = [[UInt8]](repeating: [5], count: 4)
    let recording = try await RecordingBench.record(values, isolation: .inProcess, limits: limits)
    // 4096 records are more than half of it: later units stand there as their SHA-256.
    #expect(recording.content.count <= limits.bytes)
    #expect(recording.steps.contains { if case .unitDigest = $0 { true } else { false } })
    #expect(!recording.head.isTruncated)
    #expect(try await RecordingBench.replay(recording, isolation: .inProcess).outcome == .identical)
    let other = try await RecordingBench.replay(
      recording, bundle: RecordingBench.bundle(defines: ["OTHER_BUILD"]), isolation: .inProcess)
    #expect(other.outcome == .differs)
  }

  @Test func aFullRecordingSaysSoAndDecidesNothing() async throws {
    let limits = SessionRecorder.Limits(bytes: 2000, steps: 100_000)
    let values = [[UInt8]](repeating: [9], count: 200) + [[2]]
    let recording = try await RecordingBench.record(values, limits: limits)
    #expect(recording.head.isTruncated && recording.head.end == .fault)
    #expect(recording.content.count < limits.bytes + 1000)
    let report = try await RecordingBench.replay(recording)
    #expect(report.outcome == .identicalSoFar && report.verdict == .undecided, "\(report)")
    // The event whose output did not fit any more is not played.
    #expect((Int(recording.head.events) - 1...Int(recording.head.events)).contains(report.events) && report.events > 5)
  }

  @Test func whatASessionIsHandedAfterItsEndIsNotInIt() async throws {
    let recorder = SessionRecorder()
    let bundle = try RecordingBench.bundle()
    let session = try await DriverHost().open(
      bundle, driver: "recorded", opening: RecordingBench.opening, recorder: recorder)
    let events = RecordingBench.events([[2], [9]])
    _ = try await session.handle(events[0])
    for event in events[1...] { await #expect(throws: DriverFault.self) { try await session.handle(event) } }
    await session.close()
    let recording = try RecordingBench.recording(recorder, bundle, "recorded")
    #expect(recording.head.events == 2 && recording.head.fault == "crashed")
    #expect(try await RecordingBench.replay(recording).verdict == .driver)
  }

  @Test func aRecordingOfACancelledSessionReplays() async throws {
    let recorder = SessionRecorder()
    let bundle = try RecordingBench.bundle()
    let session = try await DriverHost().open(
      bundle, driver: "recorded", opening: RecordingBench.opening, recorder: recorder)
    let events = RecordingBench.events([[9], [9]])
    _ = try await session.handle(events[0])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.handle(events[1])
    }
    await #expect(throws: DriverFault.self) { try await task.value }
    await session.close()
    #expect(recorder.fault == nil)
    let report = try await RecordingBench.replay(RecordingBench.recording(recorder, bundle, "recorded"))
    #expect(report.outcome == .identical && report.verdict == .none, "\(report)")
  }
}

/// A worker that tells its process number, and can be killed.
private final class NumberedWorker: Sendable {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "mh-worker-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try WrittenProgram.write(
      "#!/bin/sh\necho $$ > '\(pidFile.path)'\nexec '\(BuildProducts.worker.path)' \"$@\"\n", to: path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.appending(path: "worker").path }
  private var pidFile: URL { folder.appending(path: "pid") }

  func kill() {
    guard let text = try? String(contentsOf: pidFile, encoding: .utf8),
      let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    else { return }
    Glibc.kill(pid, SIGKILL)
  }
}
