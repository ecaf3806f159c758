import MeterDrivers
import Testing
import VirtualMeter

@testable import MeterBluetooth
import TestSupport

/// The meter refuses any one request of a read; the next one brings what it holds, each record once.
@Suite("Every generic profile, with an ATT error at every request", .jumpingTime, .timeLimit(.minutes(60)))
struct ErrorMatrixTests {
  static let generic: [UInt32] = [1000, 2000, 3000, 4000, 5000, 6000]
  static let stored = MatrixMeter.all.filter { generic.contains($0.peripheral) }
  static let live = LiveMeter.all.filter { generic.contains($0.meter.peripheral) }
  /// Unlikely Error by day; by night also what says something of the handle, of security, of the meter.
  static let codes: [UInt8] = Nightly.isOn ? [0x0E, 0x01, 0x03, 0x05, 0x08, 0x11, 0x80, 0xFD] : [0x0E]

  @Test("each generic profile has a meter here, and in the matrix of broken links")
  func complete() {
    #expect(Set(Self.stored.map(\.peripheral) + Self.live.map(\.meter.peripheral)) == Set(Self.generic))
    #expect(Set((MatrixMeter.all + LiveMeter.all.map(\.meter)).map(\.peripheral)).isSuperset(of: Self.generic))
  }

  @Test("loses nothing and delivers nothing twice", arguments: stored, codes)
  func everyRequest(subject: MatrixMeter, code: UInt8) async throws {
    let whole = try MatrixBench(subject)
    #expect(try await whole.read().end == "completed")
    let total = whole.meter.counters.pdusIn
    #expect(total > 5)
    var doneWithout = 0
    for count in 1...total {
      var bench = try MatrixBench(subject, faults: [Self.fault(count, code)])
      let broken = try await bench.read()
      let place = "\(subject.testDescription), error \(code) at request \(count) of \(total)"
      #expect(Self.isTold(broken), "\(place): \(broken.words) \(broken.error?.message ?? "")")
      #expect(try broken.submitted.count == bench.records, "\(place)")
      try bench.checkQueue(place)
      if broken.end == "completed", subject.problem(with: try bench.readings, brokenLinks: 1) != nil {
        // The one subscription that its driver can do without: contexts, or compositions.
        bench.subject = subject.withoutSupplements
        doneWithout += 1
      }
      try await bench.finish(place, brokenLinks: 1)
    }
    #expect(doneWithout <= 1, "\(subject.testDescription)")
  }

  @Test("a meter without a memory brings one reading in a read that completes", arguments: live, codes)
  func everyRequest(live: LiveMeter, code: UInt8) async throws {
    let whole = try MatrixBench(live.meter)
    #expect(try await whole.read().end == "completed")
    let total = whole.meter.counters.pdusIn
    // Side by side: most of the time they wait for the next value.
    await withTaskGroup(of: Void.self) { group in
      for count in 1...total {
        group.addTask {
          do { try await refused(live, count, code) } catch { Issue.record("request \(count): \(error)") }
        }
      }
    }
  }

  private func refused(_ live: LiveMeter, _ count: Int, _ code: UInt8) async throws {
    let bench = try MatrixBench(live.meter, faults: [Self.fault(count, code)])
    let place = "\(live.testDescription), error \(code) at request \(count)"
    let first = try await bench.read()
    #expect(Self.isTold(first), "\(place): \(first.words)")
    let completed = first.end == "completed" ? 1 : 0
    #expect(try bench.records == completed, "\(place)")
    let second = try await bench.read()
    #expect(second.end == "completed", "\(place): \(second.words) \(second.error?.message ?? "")")
    #expect(try bench.records == completed + 1, "\(place)")
    try bench.checkQueue(place)
  }

  private static func fault(_ count: Int, _ code: UInt8) -> String {
    #"{"kind": "error-at-request", "count": \#(count), "code": "0x\#(String(code, radix: 16))", "only_connection": 1}"#
  }

  /// A refusal that matters ends the read with a typed error; one of something that the driver can do without does not.
  private static func isTold(_ read: ReadResult) -> Bool {
    read.end == "completed"
      || read.error.map { [.communicationFailure, .meterError, .notPaired].contains($0.code) } == true
  }
}

extension MatrixMeter {
  /// What it is read to when it refuses the characteristic that adds something to its records.
  fileprivate var withoutSupplements: MatrixMeter {
    let supplements: Set<String> = ["relationship_to_meal", "body_fat", "body_muscle_percent", "body_impedance"]
    return with { $0.expected.removeAll { supplements.contains($0.metric) } }
  }
}
