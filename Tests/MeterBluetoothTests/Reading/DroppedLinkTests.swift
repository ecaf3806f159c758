import MeterDrivers
import TestSupport
import Testing
import VirtualMeter

@testable import MeterBluetooth

/// R25's own tests: the link drops at every PDU, and what is read in the end is what the meter holds, once.
@Suite("A link that drops at every PDU", .timeLimit(.minutes(5)))
struct DroppedLinkTests {
  /// One way of a meter to be, and what it must be read to.
  struct Profile: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var peripheral: UInt32
    var expected: [Reading]
    var make: @Sendable (_ faults: String) throws -> VirtualMeter

    static func glucose(_ name: String, _ behaviour: String, records: Int = 5) -> Profile {
      Profile(
        testDescription: "glucose, \(name)", peripheral: 1000, expected: BenchMeter.glucoseReadings(records)
      ) { faults in try BenchMeter.glucose(behaviour, records: records, faults: faults) }
    }

    static func thermometer(_ name: String, _ behaviour: String) -> Profile {
      Profile(
        testDescription: "thermometer, \(name)", peripheral: 4000, expected: BenchMeter.thermometerReadings()
      ) { faults in try BenchMeter.thermometer(behaviour, faults: faults) }
    }
  }

  static let profiles: [Profile] = [
    .glucose("oldest first", #", "order": "oldest-first""#),
    .glucose("newest first", #", "order": "newest-first""#),
    .glucose("oldest first, deleted on confirmation", #", "delete_on_confirmation": true"#),
    .glucose(
      "newest first, deleted on confirmation", #", "order": "newest-first", "delete_on_confirmation": true"#),
    .thermometer("deleted on confirmation", #", "delete_on_confirmation": true"#),
    .thermometer("resends what was never confirmed", ""),
    .thermometer("resends all", #", "resend_all": true"#),
  ]

  /// PDUs of an undisturbed first read.
  static func pdus(_ profile: Profile) async throws -> Int {
    let meter = try profile.make("")
    let result = try await ReadBench(meter, isolation: .inProcess).read(profile.peripheral)
    #expect(result.end == "completed", "\(result.words)")
    return meter.counters.pdusIn + meter.counters.pdusOut
  }

  @Test("loses nothing and delivers nothing twice", arguments: profiles)
  func everyPDU(profile: Profile) async throws {
    let total = try await Self.pdus(profile)
    #expect(total > 10)
    for count in 1...total {
      let fault = #"{"kind": "disconnect-after-pdu", "count": \#(count), "only_connection": 1}"#
      let meter = try profile.make(fault)
      // Workers for some, so that both ways of running a driver are dropped at each kind of PDU.
      let bench = try ReadBench(meter, isolation: count % 4 == 0 ? .worker : .inProcess)
      let broken = try await bench.read(profile.peripheral)
      #expect(broken.end == "completed" || broken.error?.code == .communicationFailure, "\(count): \(broken.words)")
      let committed = try bench.readings
      #expect(Set(committed).count == committed.count && broken.submitted.count == committed.count)
      try await finish(profile, meter, bench, after: "PDU \(count)", broken)
    }
  }

  @Test("loses nothing when it drops again and again", arguments: profiles)
  func everyPDUTwice(profile: Profile) async throws {
    var random = SeededGenerator(seed: 7)
    let total = try await Self.pdus(profile)
    for _ in 0..<12 {
      let counts = (1...3).map { ($0, Int.random(in: 1...total, using: &random)) }
      let faults = counts.map { connection, count in
        #"{"kind": "disconnect-after-pdu", "count": \#(count), "only_connection": \#(connection)}"#
      }
      let meter = try profile.make(faults.joined(separator: ","))
      let bench = try ReadBench(meter, isolation: .inProcess)
      var last = ReadResult()
      for _ in counts { last = try await readUnlessEmpty(profile, meter, bench) ?? last }
      try await finish(profile, meter, bench, after: "PDUs \(counts.map(\.1))", last)
    }
  }

  private func readUnlessEmpty(
    _ profile: Profile, _ meter: VirtualMeter, _ bench: ReadBench
  ) async throws -> ReadResult? {
    // A thermometer that has nothing more to say waits for a measurement, which nobody takes here.
    guard try profile.peripheral == 1000 || bench.readings.count < profile.expected.count else { return nil }
    return try await bench.read(profile.peripheral)
  }

  private func finish(
    _ profile: Profile, _ meter: VirtualMeter, _ bench: ReadBench, after what: String, _ broken: ReadResult
  ) async throws {
    let clean = try await readUnlessEmpty(profile, meter, bench)
    #expect(clean == nil || clean?.end == "completed", "\(what): \(clean?.words ?? []) \(clean?.error?.message ?? "")")
    let readings = try bench.readings
    #expect(Set(readings) == Set(profile.expected), "\(what): \(readings)")
    #expect(readings.count == profile.expected.count, "\(what): something is there twice")
    if profile.peripheral == 1000 {
      let again = try await bench.read(profile.peripheral)
      #expect(again.end == "completed" && again.submitted.isEmpty, "\(what): \(again.words)")
    }
  }

  /// A thermometer without a clock gives its readings no identity (C6, class `live`): what is promised is that none is
  /// lost, and that one is doubled only when its confirmation was lost on the way, at most once a broken link.
  @Test("a thermometer without a clock loses nothing, and doubles at most the reading whose confirmation was lost")
  func withoutClock() async throws {
    let total = try await Self.pdus(
      Profile(testDescription: "", peripheral: 4000, expected: []) { faults in
        try BenchMeter.thermometer(#", "delete_on_confirmation": true"#, hasClock: false, faults: faults)
      })
    var doubled = 0
    for count in 1...total {
      let meter = try BenchMeter.thermometer(
        #", "delete_on_confirmation": true"#, hasClock: false,
        faults: #"{"kind": "disconnect-after-pdu", "count": \#(count), "only_connection": 1}"#)
      let bench = try ReadBench(meter, isolation: .inProcess)
      _ = try await bench.read(4000)
      if meter.recordsLeft > 0 { _ = try await bench.read(4000) }
      let values = try bench.readings.map(\.value).sorted()
      #expect(Set(values) == [36, 36.1, 36.2], "PDU \(count)")
      #expect(values.count <= 4, "PDU \(count)")
      doubled += values.count - 3
    }
    #expect(doubled <= 3, "one for each indication that got through and whose confirmation did not")
  }
}
