import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// R25 against the disk: what cannot be put there is not confirmed, and the meter keeps it.
@Suite("A disk that fails at every commit of every shipped meter", .jumpingTime, .timeLimit(.minutes(60)))
struct FailingCommitMatrixTests {
  @Test("nothing is confirmed that is not on disk, and the next read brings the rest", arguments: MatrixMeter.all)
  func everyCommit(subject: MatrixMeter) async throws {
    var failures = 0
    for change in 1...200 {
      let bench = try MatrixBench(subject, isolation: .ofPlace(change))
      try bench.bench.breakDisk(atChange: change)
      let broken = try await bench.read()
      guard broken.end != "completed" else { break }
      failures += 1
      let place = "\(subject.testDescription), change \(change)"
      #expect(broken.error?.code == .storeFailure, "\(place): \(broken.words)")
      #expect(broken.error?.message.contains("injected") == true, "\(place)")
      // What the meter was told to forget is on disk; the failed transaction has left nothing.
      let stored = try bench.records
      // A scale's weight may wait in its driver's key for its composition.
      let waits = if case .scale = bench.meter.script.behaviour { 1 } else { 0 }
      #expect(bench.meter.recordsLeft + stored + waits >= subject.records, "\(place)")
      #expect(broken.submitted.count == stored, "\(place)")
      try bench.bench.mendDisk()
      try await bench.finish(place, brokenLinks: 1)
    }
    #expect(failures >= subject.records)
  }
}
