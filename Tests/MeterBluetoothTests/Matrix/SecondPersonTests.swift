import Foundation
import MeterCore
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// Assignment over every shipped meter with a memory: whatever breaks, a second person is never taken for the first one.
@Suite("Every shipped meter that changes hands", .jumpingTime, .timeLimit(.minutes(60)))
struct SecondPersonTests {
  static let subjects = MatrixMeter.all.filter(\.hasHistory)

  @Test("the second person gets nothing of the first one, and the first one loses nothing", arguments: subjects)
  func changesHands(subject: MatrixMeter) async throws {
    var random = SeededGenerator(seed: 15)
    let total = try await DropMatrixTests.pdus(subject)
    for count in try Self.places(subject, total) {
      let faults = [count, Int.random(in: 1...total, using: &random)].enumerated().map { index, count in
        #"{"kind": "disconnect-after-pdu", "count": \#(count), "lost": \#(Bool.random(using: &random)), "#
          + #""only_connection": \#(index + 1)}"#
      }
      try await changesHands(
        MatrixBench(subject, faults: faults, isolation: .ofPlace(count)),
        "\(subject.testDescription), PDU \(count) of \(total)")
    }
  }

  /// By day some of them, other ones of each meter, and few before records go over the link, which they do in the second half. Three and
  /// five leave a part of them for the real worker (``DriverHostConfiguration/Isolation/ofPlace(_:)``).
  private static func places(_ subject: MatrixMeter, _ total: Int) throws -> [Int] {
    if Nightly.isOn { return Array(1...total) }
    let number = try #require(subjects.firstIndex { $0.testDescription == subject.testDescription })
    return (1...total).filter { place in (place + number) % (place > total / 2 ? 3 : 5) == 0 }
  }

  private func changesHands(_ bench: MatrixBench, _ place: String) async throws {
    _ = try await bench.read()
    var kept = Set(try bench.readings.map(Self.withoutState))
    try bench.bench.start("grace")
    for _ in 0..<3 {
      let read = try await bench.read { $0.takesHistory = false }
      #expect(read.submitted.allSatisfy { $0.disposition != .pending }, "\(place): \(read.submitted)")
      // Who indicates its records may forget them: they wait for a person.
      let found = try bench.readings
      #expect(found.isEmpty || bench.meter.script.behaviour.indicatesRecords, "\(place): \(found)")
      #expect(found.allSatisfy { $0.state == .held }, "\(place): \(found)")
    }
    kept.formUnion(try bench.readings.map(Self.withoutState))
    try bench.bench.start("ada")
    for _ in 0..<2 {
      try bench.expectEnd(of: try await bench.read(), mayBeEmpty: true, place)
    }
    kept.formUnion(try bench.readings.map(Self.withoutState))
    try checkKept(kept, bench, place)
  }

  /// What ada has again is what the meter holds; of one that forgets, what anybody has got is.
  private func checkKept(_ kept: Set<Reading>, _ bench: MatrixBench, _ place: String) throws {
    try bench.checkQueue(place)
    switch bench.meter.script.behaviour.memory {
    case .keeps:
      let problem = try bench.subject.problem(with: bench.readings, brokenLinks: 0)
      #expect(problem == nil, "\(place): \(problem ?? "")")
    case .endsWithConfirmation:
      // A copy that is held for the second person is nobody's reading twice.
      #expect(kept == Set(bench.subject.expected.map(Self.withoutState)), "\(place): \(kept)")
    // Its procedure is over for the second person as for the first: the host does not know that it forgets.
    case .endsWithProcedure: break
    }
  }

  private static func withoutState(_ reading: Reading) -> Reading {
    var reading = reading
    reading.state = .pending
    return reading
  }

  @Test("what a forgetful meter was not asked for is held, and delivered when it is", arguments: [false, true])
  func notAskedFor(isWindow: Bool) async throws {
    let bench = try MatrixBench(try #require(MatrixMeter.bloodPressure.first { $0.script == "omron-x4-smart" }))
    let first = try await bench.read { options in
      options.takesHistory = isWindow
      if isWindow { options.window.limit = 1 }
    }
    #expect(first.end == "completed" && bench.meter.recordsLeft == 0)
    let held = try bench.bench.store.queueSnapshot().filter { $0.state == .held }
    #expect(held.count == (isWindow ? 1 : 2) && held.allSatisfy { $0.reason == "not_asked_for" })
    #expect(first.summary.left.isEmpty)
  }

  @Test("a monitor that sends its memory again brings with --history what was held")
  func historyReleases() async throws {
    let bench = try MatrixBench(try #require(MatrixMeter.bloodPressure.first { $0.script == "blood-pressure-memory" }))
    _ = try await bench.read { $0.takesHistory = false }
    #expect(try bench.readings.allSatisfy { $0.state == .held } && bench.records == 3)
    let history = try await bench.read()
    #expect(history.submitted.count == 2 && history.submitted.allSatisfy { $0.disposition == .pending })
    try bench.checkReadings("with history", brokenLinks: 0)
    let again = try await bench.read()
    #expect(again.submitted.isEmpty && again.summary.duplicates == 3)
  }
}
